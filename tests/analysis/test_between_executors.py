"""Where executors disagree: locations, rankings, preferences; and what must come out as zero."""

from __future__ import annotations

import pytest
from analysis_worlds import World, approx, estimate, results, row, sure_world, wins

from repairstudy.errors import MissingRollouts
from repairstudy.estimators.agreement import cohen_kappa


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


def test_an_executor_that_was_not_asked_is_not_missed() -> None:
    """Another executor's disagreement gave the deployed one fresh rollouts on its candidates."""
    world = disagreeing()
    for i in range(4):
        outcomes = {"a": wins(1), "b": wins(9)}
        world.roll("few", "evaluate", f"f{i}", 0, outcomes)
    frame = results(world).filter(analysis="disagreement")
    assert set(frame["evaluator"]) == {"executor:big"}


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
