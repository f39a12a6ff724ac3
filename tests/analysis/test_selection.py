"""Selections and values: by hand, and what must hold whatever the outcomes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, wins
from hypothesis import given, settings
from hypothesis import strategies as st

from repairstudy.analysis import Rules, Selections, build_pool, select
from repairstudy.errors import MissingRollouts
from repairstudy.records import TABLES
from repairstudy.store import check


def selected(world: World, rules: Rules | None = None) -> Selections:
    return select(build_pool(world.frames(), "pool"), rules)


def weights(found: Selections, evaluator: str, scope: str = "position") -> dict[object, float]:
    rows = found.selections.filter(evaluator=evaluator, scope=scope)
    return {(t, c): w for t, c, w in rows.select("t", "candidate_id", "weight").rows()}


def value(found: Selections, evaluator: str, scope: str = "position", **where: object) -> float:
    return float(found.values.filter(evaluator=evaluator, scope=scope, **where)["value"].item())


def one_position() -> World:
    """Candidate a always succeeds, b never, the original in half of its rollouts."""
    world = World()
    world.failure("f")
    world.position("f", 3, {"a": wins(6, 6), "b": wins(0, 6)}, wins(3, 6))
    return world


def test_matched_selection_by_hand() -> None:
    found = selected(one_position())
    assert weights(found, "matched") == {(3, "a"): 1.0, (3, "b"): 0.0}
    assert value(found, "matched") == pytest.approx(0.5, abs=1e-12)
    assert value(found, "random") == pytest.approx(0.0, abs=1e-12)
    row = found.values.filter(evaluator="random", scope="position").row(0, named=True)
    assert row["loss"] == pytest.approx(0.5, abs=1e-12)
    assert row["matched_value"] == pytest.approx(0.5, abs=1e-12)


def test_own_budgets_by_hand() -> None:
    """One success in 6 rollouts of a, none of b: own_1 finds it with probability 1/6.

    Then a is chosen and its 5 others all failed; else both tie, and a's others hold the success
    with probability 1: 5/6 * 1/2 * 1/5.
    """
    world = World()
    world.failure("f")
    world.position("f", 3, {"a": wins(1, 6), "b": wins(0, 6)}, wins(0, 6))
    found = selected(world)
    assert value(found, "own_1") == pytest.approx(5 / 6 * 0.5 / 5, abs=1e-12)
    assert weights(found, "own_1")[3, "a"] == pytest.approx(1 / 6 + 5 / 12, abs=1e-12)
    assert value(found, "flip_1") == pytest.approx(value(found, "own_1"), abs=1e-12)


def test_evaluators_have_the_names_of_the_design() -> None:
    world = one_position()
    world.score("judge", "f", 3, {"a": 0.0, "b": 1.0})
    world.roll("dep@greedy", "evaluate", "f", 3, {"a": [0, 1], "b": [1, 1]})
    world.roll("dep@0.3", "evaluate", "f", 3, {"a": [0, 1, 0], "b": [0, 0, 0]})
    world.roll("big", "evaluate", "f", 3, {"a": wins(1, 8), "b": wins(4, 8)})
    world.roll("small", "evaluate", "f", 3, {"a": [1, 0], "b": [1, 0]})
    found = selected(world)
    own = {"own_1", "own_2", "own_3", "own_4", "own_5", "accept_2_of_3", "flip_1"}
    given_ = {"judge", "greedy", "temperature_0.3", "executor:big", "executor:small"}
    at_position = own | given_ | {"matched", "random", "executor:big@5"}
    across = given_ | {"matched", "random", "earliest_success", "latest_significant"}
    assert set(found.values.filter(scope="position")["evaluator"]) == at_position
    assert set(found.values.filter(scope="failure")["evaluator"]) == across
    assert weights(found, "judge") == {(3, "a"): 0.0, (3, "b"): 1.0}
    assert weights(found, "greedy") == {(3, "a"): 0.0, (3, "b"): 1.0}  # the mean of its two runs
    assert weights(found, "temperature_0.3") == {(3, "a"): 1.0, (3, "b"): 0.0}
    assert weights(found, "executor:big") == {(3, "a"): 0.0, (3, "b"): 1.0}
    assert weights(found, "executor:small") == {(3, "a"): 0.5, (3, "b"): 0.5}
    assert value(found, "judge") == pytest.approx(-0.5, abs=1e-12)
    assert 0.0 < weights(found, "executor:big@5")[3, "a"] < 0.1


def test_the_equal_budget_is_a_rule() -> None:
    world = one_position()
    world.roll("big", "evaluate", "f", 3, {"a": wins(1, 8), "b": wins(4, 8)})
    found = selected(world, Rules(equal_budget=8))
    assert weights(found, "executor:big@8") == {(3, "a"): 0.0, (3, "b"): 1.0}


def test_a_candidate_without_a_score_is_never_chosen_unless_none_has_one() -> None:
    world = one_position()
    world.score("judge", "f", 3, {"a": None, "b": -5.0})
    world.score("mute", "f", 3, {"a": None, "b": None})
    found = selected(world)
    assert weights(found, "judge") == {(3, "a"): 0.0, (3, "b"): 1.0}
    assert weights(found, "mute") == {(3, "a"): 0.5, (3, "b"): 0.5}


def two_positions() -> World:
    """Gains over the original: at 2 a 0, b -.5; at 7 c .5, and d 0."""
    world = World()
    world.failure("f")
    world.position("f", 2, {"a": wins(10), "b": wins(5)}, wins(10))
    world.position("f", 7, {"c": wins(5), "d": wins(0)}, wins(0), primary=False)
    return world


def test_across_positions_the_largest_gain_counts_not_the_largest_mean() -> None:
    found = selected(two_positions())
    chosen = weights(found, "matched", "failure")
    assert chosen[7, "c"] > 0.9
    assert value(found, "matched", "failure") > 0.4
    assert weights(found, "random", "failure") == dict.fromkeys(chosen, 0.25)


def test_another_executor_compares_gains_where_it_ran_the_original_everywhere() -> None:
    world = two_positions()
    world.roll("big", "evaluate", "f", 2, {"a": wins(9), "b": wins(5), "orig": wins(9)})
    world.roll("big", "evaluate", "f", 7, {"c": wins(3), "d": wins(0), "orig": wins(1)})
    assert weights(selected(world), "executor:big", "failure")[7, "c"] == 1.0
    bare = two_positions()
    bare.roll("big", "evaluate", "f", 2, {"a": wins(9), "b": wins(5)})
    bare.roll("big", "evaluate", "f", 7, {"c": wins(3), "d": wins(0)})
    assert weights(selected(bare), "executor:big", "failure")[2, "a"] == 1.0


def test_evaluators_of_primary_positions_alone_have_no_failure_scope() -> None:
    world = two_positions()
    world.score("judge", "f", 2, {"a": 1.0, "b": 0.0})
    world.roll("near", "evaluate", "f", 2, {"a": [1.0], "b": [0.0]})
    values = selected(world).values
    for evaluator in ("judge", "executor:near"):
        rows = values.filter(evaluator=evaluator)
        assert rows.select("scope", "t").rows() == [("position", 2)]


def test_an_evaluator_is_there_for_all_failures_of_a_pool_or_for_none() -> None:
    """Also where one failure alone would allow it: its one position, or its outcomes of 0 and 1."""
    world = two_positions()
    world.failure("g")
    world.position("g", 0, {"a": wins(5, 12)}, wins(1, 12))
    world.rows["rollouts"] = [r for r in world.rows["rollouts"] if r["failure_id"] != "f"]
    for t, arms in ((2, "ab"), (7, "cd")):
        world.roll("dep", "label", "f", t, {c: [0.5, 0.25] * 6 for c in [*arms, "orig"]})
    world.score("judge", "f", 2, {"a": 1.0, "b": 0.0})
    world.score("judge", "g", 0, {"a": 1.0})
    values = select(build_pool(world.frames(), "pool", "reward")).values.filter(scope="failure")
    by_failure = values.group_by("failure_id").agg(pl.col("evaluator").sort())["evaluator"]
    assert by_failure.to_list() == [["earliest_success", "matched", "random"]] * 2


def test_with_one_position_both_scopes_agree_on_external_evaluators() -> None:
    world = one_position()
    world.score("judge", "f", 3, {"a": 0.0, "b": 1.0})
    found = selected(world)
    assert value(found, "judge", "failure") == pytest.approx(value(found, "judge"), abs=1e-12)
    assert value(found, "matched", "failure") == pytest.approx(value(found, "matched"), abs=1e-12)


@pytest.mark.parametrize("n", [1, 5])
def test_too_few_labels_to_hold_any_out_are_refused(n: int) -> None:
    world = World()
    world.failure("f")
    world.position("f", 3, {"a": wins(1, n), "b": wins(0, n)}, wins(0, n))
    with pytest.raises(MissingRollouts, match=f"needs 5 label rollouts .* there are {n}"):
        selected(world)
    if n == 5:
        assert "own_4" in set(selected(world, Rules(matched=3)).values["evaluator"])


outcomes = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=4)


@settings(max_examples=15, deadline=None)
@given(outcomes, outcomes, st.randoms(use_true_random=False))
def test_weights_add_up_and_names_of_candidates_do_not_matter(
    first: list[list[bool]], second: list[list[bool]], random: object
) -> None:
    def build(names: list[list[str]]) -> Selections:
        world = World()
        world.failure("f")
        for t, (arms, ids) in enumerate(zip((first, second), names, strict=True)):
            labels = {name: list(map(float, arm)) for name, arm in zip(ids, arms, strict=True)}
            world.position("f", t, labels, wins(2, 6), primary=t == 0)
            world.score("judge", "f", t, {name: sum(labels[name]) for name in ids})
        return selected(world)

    names = [[f"c{i}" for i in range(len(arms))] for arms in (first, second)]
    shuffled = [random.sample(ids, len(ids)) for ids in names]  # type: ignore[attr-defined]
    one, two = build(names), build(shuffled)
    sums = (
        one.selections.with_columns(
            place=pl.when(pl.col("scope") == "position").then("t").otherwise(-1)
        )
        .group_by("evaluator", "scope", "place")
        .agg(pl.col("weight").sum())
    )
    assert (sums["weight"] - 1.0).abs().max() < 1e-9
    both = one.values.join(
        two.values, on=["evaluator", "scope", "failure_id", "t"], nulls_equal=True, validate="1:1"
    )
    assert both.height == one.values.height
    assert (both["value"] - both["value_right"]).abs().max() < 1e-12


def test_the_tables_keep_the_data_contract() -> None:
    found = selected(two_positions())
    check(found.values, TABLES["values"], "values")
    check(found.selections, TABLES["selections"], "selections")


def test_no_selection_is_scored_on_what_selected_it() -> None:
    """Candidates without any difference: the value of every evaluator is the mean of all.

    A leak of the winner's curse would raise `matched` by .26 here, and `own_1` by .58.
    """
    rng = np.random.default_rng(20261129)
    world = World()
    for failure in range(200):
        world.failure(f"f{failure}")
        draws = (rng.random((7, 10)) < 0.3).astype(float)
        arms = {f"c{i}": list(draws[i]) for i in range(6)}
        world.position(f"f{failure}", 0, arms, list(draws[6]))
    values = selected(world).values.with_columns(gain=pl.col("value"))
    by_evaluator = values.group_by("evaluator", "scope").agg(
        pl.col("gain").mean(), se=pl.col("gain").std() / pl.len() ** 0.5
    )
    assert by_evaluator.height > 10
    for evaluator, scope, gain, se in by_evaluator.rows():
        assert abs(gain) < 4 * se, (evaluator, scope)
        assert se < 0.025


@pytest.mark.parametrize(("originals", "tested"), [(10, True), (20, False)])
def test_too_many_rewards_of_the_original_leave_the_latest_significant_step_out(
    originals: int, tested: bool
) -> None:
    """C(20, 10) halves of the original cannot all be tested; the other evaluators still choose."""
    world = World()
    world.failure("f")
    rng = np.random.default_rng(1)
    rewards = {name: rng.random(10).round(1).tolist() for name in "ab"}
    world.position("f", 3, rewards, rng.random(originals).round(1).tolist())
    found = select(build_pool(world.frames(), "pool", "reward"))
    across = set(found.values.filter(scope="failure")["evaluator"])
    assert ("latest_significant" in across) == tested
    assert {"matched", "random", "earliest_success"} <= across
