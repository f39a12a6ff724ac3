"""Each analysis on pools small enough to compute by hand."""

from __future__ import annotations

import json
import os
from functools import cache
from math import inf, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, frozen, wins

from repairstudy.analysis import analyse, build_pool, import_outcomes, select
from repairstudy.errors import DataError, MissingRollouts
from repairstudy.estimators.agreement import cohen_kappa
from repairstudy.estimators.exact import exact_external, exact_value
from repairstudy.records import TABLES
from repairstudy.store import check

DATA = Path(os.environ.get("REPAIRSTUDY_DATA", Path(__file__).parents[2] / "../shared/data"))
GOLDEN = DATA / "golden"


def results(world: World, **plan: object) -> pl.DataFrame:
    frames = world.frames()
    pool = build_pool(frames, "pool")
    return analyse(
        [pool],
        select(pool).values,
        frozen(**plan),
        exact_values=frames["exact_values"],
        executors=frames["executors"],
    )


def row(frame: pl.DataFrame, analysis: str, evaluator: str, estimand: str) -> dict[str, object]:
    found = frame.filter(analysis=analysis, evaluator=evaluator, estimand=estimand)
    assert found.height == 1, (analysis, evaluator, estimand)
    return found.row(0, named=True)


def estimate(frame: pl.DataFrame, *key: str) -> float:
    found = row(frame, *key)["estimate"]
    assert isinstance(found, float)
    return found


def approx(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


@cache
def golden() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results of the golden pool, and its expected values a failure."""
    pool = build_pool(import_outcomes(GOLDEN / "outcomes_binary.parquet"), "outcomes")
    expected = pl.DataFrame(json.loads((GOLDEN / "expected_binary.json").read_text()))
    return analyse([pool], select(pool).values, frozen()), expected


def test_results_keep_the_data_contract() -> None:
    check(golden()[0], TABLES["results"], "results")


def test_net_gains_losses_and_the_curve_are_means_of_the_golden_values() -> None:
    frame, expected = golden()
    for name in ("matched", "random", "own_3", "executor:larger", "executor:larger@5"):
        mean = expected[name].mean()
        assert estimate(frame, "losses", name, "net_gain") == pytest.approx(mean, abs=1e-9)
        if name != "matched":
            loss = expected["matched"].mean() - mean  # type: ignore[operator]
            assert estimate(frame, "losses", name, "loss") == pytest.approx(loss, abs=1e-9)
    for n in range(1, 6):
        found = estimate(frame, "budget_curve", f"own_{n}", "net_gain")
        assert found == pytest.approx(expected[f"own_{n}"].mean(), abs=1e-9)
    assert frame.filter(analysis="budget_curve")["evaluator"].to_list() == [
        f"own_{n}" for n in range(10)
    ]
    gap = estimate(frame, "positive_control", "matched", "control_gap")
    assert gap == pytest.approx(expected["matched"].mean() - expected["random"].mean(), abs=1e-9)


def test_split_schemes_are_the_golden_ones() -> None:
    frame, expected = golden()
    common = estimate(frame, "split_scheme", "matched", "net_gain_common_252")
    assert common == pytest.approx(expected["matched_common_splits"].mean(), abs=1e-9)
    independent = estimate(frame, "split_scheme", "matched", "net_gain_independent")
    assert independent == pytest.approx(expected["matched"].mean(), abs=1e-9)
    published = estimate(frame, "split_scheme", "matched", "net_gain_random_50")
    spread = estimate(frame, "split_scheme", "matched", "net_gain_random_50_sd")
    assert 0 < spread < 0.01
    assert abs(published - common) < 4 * spread


def test_the_interval_is_the_percentile_interval_over_clusters() -> None:
    """By a bootstrap written down here: 12 tasks with two failures each."""
    frame, expected = golden()
    losses = (expected["matched"] - expected["executor:larger"]).to_numpy()
    by_task = losses.reshape(12, 2).mean(axis=1)
    draws = by_task[np.random.default_rng(1).integers(0, 12, (20_000, 12))].mean(axis=1)
    found = row(frame, "losses", "executor:larger", "loss")
    se = by_task.std() / sqrt(12)
    assert found["ci_low"] == pytest.approx(np.quantile(draws, 0.025), abs=0.15 * se)
    assert found["ci_high"] == pytest.approx(np.quantile(draws, 0.975), abs=0.15 * se)
    assert found["p_value"] == pytest.approx((draws <= 0).mean(), abs=0.02)


@pytest.mark.parametrize("kind", ["bootstrap_t", "t"])
def test_other_intervals_are_wider_for_few_clusters(kind: str) -> None:
    pool = build_pool(import_outcomes(GOLDEN / "outcomes_binary.parquet"), "outcomes")
    other = analyse([pool], select(pool).values, frozen(interval={"type": kind}))
    key = ("losses", "executor:larger", "loss")
    wide, narrow = row(other, *key), row(golden()[0], *key)
    assert wide["estimate"] == narrow["estimate"]
    assert wide["ci_low"] < narrow["ci_low"]  # type: ignore[operator]
    if kind == "t":
        same = row(golden()[0], "sensitivity", "executor:larger", "loss_t")
        assert (wide["ci_low"], wide["ci_high"]) == (same["ci_low"], same["ci_high"])


def test_failures_alone_may_be_the_unit() -> None:
    pool = build_pool(import_outcomes(GOLDEN / "outcomes_binary.parquet"), "outcomes")
    alone = analyse([pool], select(pool).values, frozen(bootstrap={"unit": "failure"}))
    found = row(alone, "losses", "executor:larger", "loss")
    assert "clusters" not in (found["note"] or "")  # type: ignore[operator]
    assert found["ci_low"] != row(golden()[0], "losses", "executor:larger", "loss")["ci_low"]


def test_the_same_input_gives_the_same_rows() -> None:
    pool = build_pool(import_outcomes(GOLDEN / "outcomes_binary.parquet"), "outcomes")
    assert analyse([pool], select(pool).values, frozen()).equals(golden()[0])


def test_parts_of_the_loss_add_up_at_equal_rollouts() -> None:
    world = World()
    for i in range(4):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(6), "b": wins(4)}, wins(0))
        world.roll("big", "evaluate", f"f{i}", 0, {"a": wins(5, 20), "b": wins(15, 20)})
        world.roll("dep@greedy", "evaluate", f"f{i}", 0, {"a": [0, 0], "b": [1, 1]})
        world.roll("dep@0.3", "evaluate", f"f{i}", 0, {"a": wins(1, 3), "b": wins(0, 3)})
    frame = results(world)
    cases = {"greedy": 1, "temperature_0.3": 3, "executor:big@5": 5}
    assert set(frame.filter(analysis="decomposition")["evaluator"]) == set(cases)
    for name, r in cases.items():
        parts = [estimate(frame, "decomposition", name, x) for x in ("target_loss", "budget_loss")]
        assert sum(parts) == approx(estimate(frame, "losses", name, "loss"))
        same = estimate(frame, "budget_curve", f"own_{r}", "net_gain")
        assert parts[0] == approx(same - estimate(frame, "losses", name, "net_gain"))
        assert f"at {r} rollouts" in str(row(frame, "decomposition", name, "target_loss")["note"])


def sure_world(failures: int = 4) -> World:
    """a always succeeds, b never, the original never; big prefers b, judges differ."""
    world = World()
    for i in range(failures):
        name = f"f{i}"
        world.failure(name)
        sources = {"a": ["clever", "privileged"], "b": ["random"]}
        world.position(name, 0, {"a": wins(10), "b": wins(0)}, wins(0), sources=sources)
        world.roll("big", "evaluate", name, 0, {"a": wins(5, 20), "b": wins(15, 20)})
        world.score("best", name, 0, {"a": 1.0, "b": 0.0})
        world.score("worst", name, 0, {"a": 0.0, "b": 1.0})
        world.score("blind", name, 0, {"a": 0.0, "b": 0.0})
    return world


def test_equivalent_budgets_by_hand() -> None:
    """One own rollout already finds a: V_0 = .5, V_1 = V_2 = ... = 1."""
    frame = results(sure_world())
    for name, budget in {"best": 1.0, "blind": 0.0, "worst": -inf}.items():
        assert estimate(frame, "equivalent_budget", name, "equivalent_budget") == budget
    worst = row(frame, "equivalent_budget", "worst", "equivalent_budget")
    assert (worst["ci_low"], worst["ci_high"]) == (-inf, -inf)
    assert worst["note"] == "worse than random"


def test_an_evaluator_better_than_the_curve_has_no_finite_budget() -> None:
    world = World()
    for i in range(4):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(6), "b": wins(5)}, wins(0))
        world.score("best", f"f{i}", 0, {"a": 1.0, "b": 0.0})
    found = row(results(world), "equivalent_budget", "best", "equivalent_budget")
    assert found["estimate"] == inf
    assert found["note"] == "more than 9 rollouts"


def test_counts_are_of_distinct_rollouts() -> None:
    frame = results(sure_world())
    assert row(frame, "losses", "own_2", "loss")["n_rollouts"] == 4 * 20
    assert row(frame, "losses", "own_2", "net_gain")["n_rollouts"] == 4 * 30
    assert row(frame, "losses", "executor:big@5", "loss")["n_rollouts"] == 4 * (20 + 40)
    assert row(frame, "losses", "best", "loss")["n_failures"] == 4


def test_candidate_set_against_the_privileged_action() -> None:
    world = sure_world()
    world.failure("g")  # without a privileged candidate
    world.position("g", 0, {"a": wins(0)}, wins(0), sources={"a": ["random"]})
    world.roll("big", "evaluate", "g", 0, {"a": wins(0, 20)})
    for name in ("best", "worst", "blind"):
        world.score(name, "g", 0, {"a": 0.0})
    frame = results(world)
    assert row(frame, "candidate_set", "privileged", "net_gain")["n_failures"] == 4
    assert estimate(frame, "candidate_set", "privileged", "net_gain") == approx(1.0)
    assert estimate(frame, "candidate_set", "matched", "net_gain") == approx(1.0)
    assert estimate(frame, "candidate_set", "matched", "set_minus_privileged") == approx(0.0)


def test_method_ranking_by_hand() -> None:
    frame = results(sure_world())
    ranking = frame.filter(analysis="method_ranking")
    means = {
        "clever|dep": ("net_gain", 1.0), "privileged|dep": ("net_gain", 1.0),
        "random|dep": ("net_gain", 0.0), "clever|big": ("value", 0.25),
        "privileged|big": ("value", 0.25), "random|big": ("value", 0.75),
    }  # fmt: skip
    for name, (estimand, mean) in means.items():
        assert estimate(frame, "method_ranking", name, estimand) == approx(mean)
    assert estimate(frame, "method_ranking", "dep|big", "kendall_tau") == approx(-1.0)
    change = estimate(frame, "method_ranking", "dep|big", "winner_change_probability")
    assert change == approx(1.0)
    assert ranking.height == len(means) + 2


def test_location_labels_by_hand() -> None:
    """Which of two positions is decisive: dep says 0 0 1 1, big says 0 1 1 0 of four failures."""
    world = World()
    labels = {"dep": (0, 0, 1, 1), "big": (0, 1, 1, 0)}
    for i in range(4):
        world.failure(f"f{i}")
        for t in (0, 1):
            gains = {name: wins(8 if labels[name][i] == t else 5) for name in labels}
            world.position(f"f{i}", t, {"a": gains["dep"]}, wins(1), primary=t == 0)
            world.roll("big", "evaluate", f"f{i}", t, {"a": gains["big"], "orig": wins(1)})
    world.failure("g")  # one position says nothing about locations
    world.position("g", 0, {"a": wins(5)}, wins(1))
    world.roll("big", "evaluate", "g", 0, {"a": wins(5), "orig": wins(1)})
    frame = results(world)
    kappa = row(frame, "location_labels", "dep|big", "kappa")
    assert kappa["estimate"] == approx(cohen_kappa(labels["dep"], labels["big"]))
    assert kappa["n_failures"] == 4
    assert estimate(frame, "location_labels", "dep|big", "exact_agreement") == approx(0.5)
    assert -1.0 <= kappa["ci_low"] <= 0.0 <= kappa["ci_high"] <= 1.0  # type: ignore[operator]


def test_of_tied_positions_the_earliest_is_decisive() -> None:
    world = World()
    for i in range(3):
        world.failure(f"f{i}")
        for t in (0, 1):
            world.position(f"f{i}", t, {"a": wins(5)}, wins(1), primary=t == 0)
            other = {"a": wins(5 + t * (i == 0)), "orig": wins(1)}
            world.roll("big", "evaluate", f"f{i}", t, other)
    frame = results(world)
    assert estimate(frame, "location_labels", "dep|big", "exact_agreement") == approx(2 / 3)


def disagreeing(fresh: dict[str, list[float]] | None = None) -> World:
    world = sure_world()
    for i in range(4):
        for executor, (on_a, on_b) in {"dep": (6, 4), "big": (3, 8)}.items():
            outcomes = fresh or {"a": wins(on_a), "b": wins(on_b)}
            world.roll(executor, "fresh", f"f{i}", 0, outcomes)
    return world


def test_disagreements_are_settled_by_fresh_rollouts_alone() -> None:
    frame = results(disagreeing())
    assert estimate(frame, "disagreement", "executor:big", "deployed_advantage") == approx(0.2)
    assert estimate(frame, "disagreement", "executor:big", "evaluator_advantage") == approx(0.5)
    found = row(frame, "disagreement", "executor:big", "deployed_advantage")
    assert (found["n_failures"], found["n_rollouts"]) == (4, 4 * 4 * 10)
    assert results(sure_world()).filter(analysis="disagreement").is_empty()


def test_half_a_disagreement_is_refused() -> None:
    with pytest.raises(MissingRollouts, match="lacks fresh rollouts: failure f0, step 0"):
        results(disagreeing({"a": wins(5)}))


def test_negative_controls_are_zero_where_nothing_can_differ() -> None:
    world = sure_world()
    for i in range(4):
        world.roll("dep", "control", f"f{i}", 0, {"a": wins(5, 5), "b": wins(0, 5)})
    frame = results(world)
    name = "executor:dep@other_seeds"
    assert estimate(frame, "negative_control", name, "loss") == approx(0.0)
    assert row(frame, "negative_control", name, "loss")["n_rollouts"] == 4 * (20 + 10)
    assert estimate(frame, "negative_control", "original", "net_gain") == approx(0.0)
    swapped = sure_world()
    for i in range(4):
        swapped.roll("dep", "control", f"f{i}", 0, {"a": wins(0, 5), "b": wins(5, 5)})
    assert estimate(results(swapped), "negative_control", name, "loss") == approx(1.0)


def test_shuffled_labels_leave_no_gap() -> None:
    world = World()
    for i in range(60):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(10), "b": wins(1), "c": wins(1)}, wins(0))
    frame = results(world)
    assert estimate(frame, "positive_control", "matched", "control_gap") > 0.5
    found = row(frame, "negative_control", "shuffled", "control_gap")
    assert abs(found["estimate"]) < 0.06  # type: ignore[arg-type]
    assert found["ci_low"] < 0 < found["ci_high"]  # type: ignore[operator]


def test_validity_is_that_of_the_executors_that_took_part() -> None:
    world = sure_world()
    world.rows["executors"][0]["validity"] = 0.9
    world.executor("elsewhere", validity=0.5)
    frame = results(world).filter(analysis="validity")
    assert frame.select("evaluator", "estimate").rows() == [("dep", 0.9)]


P = {"a": 0.9, "b": 0.2, "c": 0.5, "orig": 0.1}
Q = {"a": 0.3, "b": 0.8, "c": 0.3, "orig": 0.3}


def known_world() -> World:
    world = World()
    for i in range(4):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(9), "b": wins(2), "c": wins(5)}, wins(1))
        other = {"a": wins(6, 20), "b": wins(16, 20), "c": wins(6, 20)}
        world.roll("big", "evaluate", f"f{i}", 0, other)
        world.roll("dark", "evaluate", f"f{i}", 0, other)
        world.score("judge", f"f{i}", 0, {"a": 0.0, "b": 1.0, "c": 1.0})
        world.exact("dep", f"f{i}", 0, P)
        world.exact("big", f"f{i}", 0, Q)
    return world


def test_exact_values_split_the_loss_into_target_and_noise() -> None:
    frame = results(known_world())
    p, q = ([table[c] for c in "abc"] for table in (P, Q))
    matched = exact_value(p, 5).value
    assert estimate(frame, "exact", "matched", "exact_net_gain") == approx(matched - 0.1)
    assert estimate(frame, "exact", "own_2", "exact_loss") == approx(
        matched - exact_value(p, 2).value
    )
    assert estimate(frame, "exact", "own_2", "true_target_loss") == approx(matched - 0.9)
    assert estimate(frame, "exact", "judge", "exact_loss") == approx(matched - 0.35)
    assert estimate(frame, "exact", "judge", "evaluator_noise") == approx(0.0)
    for name, r in (("executor:big", 20), ("executor:big@5", 5)):
        loss = matched - exact_external(p, q, r).value
        assert estimate(frame, "exact", name, "exact_loss") == approx(loss)
        assert estimate(frame, "exact", name, "true_target_loss") == approx(matched - 0.2)
        assert estimate(frame, "exact", name, "evaluator_noise") == approx(loss - (matched - 0.2))
    assert frame.filter(analysis="exact", evaluator="executor:dark").is_empty()


def test_the_exact_value_of_acceptance_by_hand() -> None:
    """flip_1 with two arms: one accepted alone, or both (half), or none (half)."""
    world = World()
    for i in range(3):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(9), "b": wins(2)}, wins(1))
        world.exact("dep", f"f{i}", 0, {"a": 0.9, "b": 0.2, "orig": 0.1})
    frame = results(world)
    alone_a, alone_b = 0.9 * 0.8, 0.1 * 0.2
    expected = alone_a * 0.9 + alone_b * 0.2 + (1 - alone_a - alone_b) * 0.55
    assert estimate(frame, "exact", "flip_1", "exact_net_gain") == approx(expected - 0.1)
    estimands = frame.filter(analysis="exact", evaluator="flip_1")["estimand"].to_list()
    assert estimands == ["exact_loss", "exact_net_gain"]


def test_estimates_of_many_failures_come_close_to_the_exact_values() -> None:
    rng = np.random.default_rng(4)
    world = World()
    for i in range(150):
        name = f"f{i}"
        world.failure(name)
        p, q = rng.beta(0.6, 1.4, 5), rng.beta(0.6, 1.4, 4)
        q = (q + p[:4]) / 2
        arms = dict(zip("abcd", ((rng.random((4, 10)) < p[:4, None]) * 1.0).tolist(), strict=True))
        world.position(name, 0, arms, ((rng.random(10) < p[4]) * 1.0).tolist())
        draws = (rng.random((4, 20)) < q[:, None]) * 1.0
        world.roll("big", "evaluate", name, 0, dict(zip("abcd", draws.tolist(), strict=True)))
        world.exact("dep", name, 0, dict(zip([*"abcd", "orig"], p.tolist(), strict=True)))
        world.exact("big", name, 0, dict(zip("abcd", q.tolist(), strict=True)) | {"orig": 0.0})
    frame = results(world)
    names = frame.filter(analysis="exact", estimand="exact_loss")["evaluator"].to_list()
    assert {"executor:big", "executor:big@5", "own_1", "accept_2_of_3", "random"} <= set(names)
    for name in names:
        found = row(frame, "losses", name, "loss")
        se = (found["ci_high"] - found["ci_low"]) / 3.92  # type: ignore[operator]
        exact = estimate(frame, "exact", name, "exact_loss")
        # The exact loss is of the same failures, so that the standard error is generous.
        assert abs(estimate(frame, "losses", name, "loss") - exact) <= 3.5 * se, name


def test_values_of_another_pool_are_refused() -> None:
    pool = build_pool(sure_world().frames(), "pool")
    values = select(pool).values.filter(pl.col("failure_id") != "f2")
    with pytest.raises(DataError, match="values of 3 failures, the pool has 4"):
        analyse([pool], values, frozen())


def test_without_originals_losses_remain_and_net_gains_say_why_they_are_missing(
    tmp_path: Path,
) -> None:
    golden_table = pl.read_parquet(GOLDEN / "outcomes_binary.parquet")
    bare = golden_table.filter(~pl.col("is_original")).drop("is_original")
    bare.write_parquet(tmp_path / "bare.parquet")
    pool = build_pool(import_outcomes(tmp_path / "bare.parquet"), "outcomes")
    frame = analyse([pool], select(pool).values, frozen())
    gain = row(frame, "losses", "matched", "net_gain")
    assert gain["estimate"] is None
    assert "net gain cannot be given" in str(gain["note"])
    for estimand, analysis in (("loss", "losses"), ("equivalent_budget", "equivalent_budget")):
        there = golden()[0].filter(analysis=analysis, estimand=estimand)
        here = frame.filter(analysis=analysis, estimand=estimand)
        assert here["evaluator"].to_list() == there["evaluator"].to_list()
        assert here["estimate"].to_numpy() == pytest.approx(there["estimate"].to_numpy(), abs=1e-9)
    assert frame.filter(analysis="failure_scope").is_empty()
