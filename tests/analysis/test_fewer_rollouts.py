"""Rows of adaptive allocation and of hybrid evaluators, on pools where the answer is known."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, approx, estimate, frozen, results, row, sure_world, wins

from repairstudy.analysis import analyse, build_pool, select
from repairstudy.analysis.statistics.adaptive import COSTS
from repairstudy.analysis.statistics.adaptive_exact import saved

FAILURES, ARMS, N = 24, 5, 10


def mixed_world(failures: int = FAILURES) -> World:
    """Candidates of all kinds; `big` succeeds as often as the deployed executor does."""
    rng = np.random.default_rng(8)
    world = World()
    for i in range(failures):
        p = rng.beta(0.5, 0.9, ARMS)
        drawn = {f"c{a}": (rng.random(N) < p[a]).astype(float).tolist() for a in range(ARMS)}
        world.failure(f"f{i}", cluster=f"task{i // 2}")
        world.position(f"f{i}", 0, drawn, [0.0] * N)
        seen = {f"c{a}": (rng.random(20) < p[a]).astype(float).tolist() for a in range(ARMS)}
        world.roll("big", "evaluate", f"f{i}", 0, seen)
        world.score("noise", f"f{i}", 0, {f"c{a}": float(rng.random()) for a in range(ARMS)})
    return world


@cache
def mixed() -> pl.DataFrame:
    return results(mixed_world())


def test_nothing_here_is_confirmatory() -> None:
    rows = mixed().filter(pl.col("analysis").is_in(["adaptive", "hybrid"]))
    assert rows.height > 50
    assert not rows["confirmatory"].any()
    assert rows["p_value"].null_count() == rows.height


def test_uniform_allocation_is_the_budget_curve() -> None:
    for m in (0, 1, 5, 9):
        curve = row(mixed(), "budget_curve", f"own_{m}", "net_gain")
        mine = row(mixed(), "adaptive", f"uniform@{m}", "net_gain")
        for column in ("estimate", "ci_low", "ci_high"):
            assert mine[column] == approx(curve[column])  # type: ignore[arg-type]
        for column in ("n_failures", "n_rollouts", "rollouts_query"):
            assert mine[column] == curve[column]
        assert estimate(mixed(), "adaptive", f"uniform@{m}", "rollouts") == m * ARMS


@pytest.mark.parametrize("rule", ["top_two", "perfect_information", "kl_lucb"])
def test_a_rule_that_drew_all_it_may_is_matched_selection_by_half(rule: str) -> None:
    half = estimate(mixed(), "budget_curve", "own_5", "net_gain")
    # 20 orders of each of 24 positions leave a standard error of about .008.
    assert estimate(mixed(), "adaptive", f"{rule}@5", "net_gain") == pytest.approx(half, abs=0.03)
    assert estimate(mixed(), "adaptive", f"{rule}@5", "rollouts") == 5 * ARMS


@pytest.mark.parametrize("rule", ["top_two", "perfect_information", "kl_lucb"])
def test_a_rule_beats_uniform_allocation_of_as_many(rule: str) -> None:
    for m in (2, 3):
        assert estimate(mixed(), "adaptive", f"{rule}@{m}", "rollouts") == m * ARMS
        assert estimate(mixed(), "adaptive", f"{rule}@{m}", "net_gain") > estimate(
            mixed(), "adaptive", f"uniform@{m}", "net_gain"
        )


def test_stricter_stops_spend_more() -> None:
    for rule in ("top_two", "perfect_information"):
        names = [f"{rule}@cost_{cost:g}" for cost in COSTS]
        spent = [estimate(mixed(), "adaptive", name, "rollouts") for name in names]
        assert spent == sorted(spent)
        assert spent[-1] < 5 * ARMS


def test_sure_candidates_need_few_rollouts() -> None:
    frame = results(sure_world())
    spent = estimate(frame, "adaptive", "perfect_information@cost_0.05", "rollouts")
    assert spent < 7
    gain = estimate(frame, "adaptive", "perfect_information@cost_0.05", "net_gain")
    assert gain == pytest.approx(1.0, abs=0.01)


def test_a_prior_from_a_good_score_helps_and_its_name_is_noted() -> None:
    frame = mixed()
    for kind in ("hybrid", "control_variate"):
        for r in (0, 1, 2):
            found = row(frame, "hybrid", f"{kind}@{r}", "gain_over_own")
            assert found["estimate"] > 0.02  # type: ignore[operator]
            assert found["note"] == "scores: executor:big, noise"
            difference = estimate(frame, "hybrid", f"{kind}@{r}", "net_gain") - estimate(
                frame, "hybrid", f"own@{r}", "net_gain"
            )
            assert found["estimate"] == pytest.approx(difference)
    own = row(frame, "hybrid", "own@3", "net_gain")
    assert own["estimate"] == estimate(frame, "budget_curve", "own_3", "net_gain")
    assert own["note"] is None


def test_the_rollouts_behind_a_hybrid_are_its_own_and_those_of_its_scores() -> None:
    alone = row(mixed(), "hybrid", "own@1", "net_gain")["n_rollouts"]
    found = row(mixed(), "hybrid", "hybrid@1", "net_gain")["n_rollouts"]
    assert alone == FAILURES * (ARMS + 1) * N
    assert found == alone + FAILURES * ARMS * 20  # type: ignore[operator]


def test_few_tasks_or_no_scores_give_no_hybrid() -> None:
    assert results(sure_world()).filter(analysis="hybrid").is_empty()
    bare = World()
    for i in range(12):
        bare.failure(f"f{i}")
        bare.position(f"f{i}", 0, {"a": wins(3), "b": wins(6)}, wins(0))
    frame = results(bare)
    assert frame.filter(analysis="hybrid").is_empty()
    assert frame.filter(analysis="adaptive", evaluator="top_two@1").height == 2


def test_the_orders_come_from_the_plans_seed() -> None:
    first, again, other = (
        results(mixed_world(3), bootstrap={"seed": seed})
        .filter(analysis="adaptive", evaluator="top_two@2", estimand="net_gain")
        .item(0, "estimate")
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_rewards_and_unequal_numbers_of_candidates_are_allocated_too() -> None:
    rng = np.random.default_rng(1)
    world = World()
    for i in range(8):
        arms = 2 + i % 3
        drawn = {f"c{a}": np.round(rng.random(6), 2).tolist() for a in range(arms)}
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, drawn, [0.1] * 6)
        world.score("judge", f"f{i}", 0, {f"c{a}": float(a) for a in range(arms)})
    pool = build_pool(world.frames(), "pool", "reward")
    frame = analyse([pool], select(pool).values, frozen(metric="reward"))
    mean_arms = np.mean([2 + i % 3 for i in range(8)])
    assert estimate(frame, "adaptive", "top_two@2", "rollouts") == pytest.approx(2 * mean_arms)
    half = estimate(frame, "budget_curve", "own_3", "net_gain")
    full = estimate(frame, "adaptive", "perfect_information@3", "net_gain")
    assert full == pytest.approx(half, abs=0.03)
    assert frame.filter(analysis="hybrid", estimand="net_gain")["estimate"].is_finite().all()


def test_savings_are_read_off_where_the_curve_meets_the_value_of_uniform() -> None:
    # Two stops: 10 rollouts for .4, 20 for .6; uniform takes 50 for .5, .7 or .3.
    means = np.array([[10, 0.4, 20, 0.6, target, 50] for target in (0.5, 0.7, 0.3)])
    np.testing.assert_allclose(saved(means), [1 - 15 / 50, np.nan, 1 - 10 / 50])


def test_exact_values_say_what_allocation_saves() -> None:
    world = World()
    rng = np.random.default_rng(4)
    for i in range(12):
        p = {f"c{a}": float(rate) for a, rate in enumerate(rng.beta(0.5, 0.9, 4))}
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {name: wins(round(10 * rate)) for name, rate in p.items()})
        world.exact("dep", f"f{i}", 0, {**p, "orig": 0.0})
    frame = results(world)
    for name in ("top_two", "perfect_information"):
        found = row(frame, "adaptive", name, "exact_rollouts_saved")
        assert 0.2 < found["estimate"] < 0.9  # type: ignore[operator]
        assert not found["confirmatory"]
    assert results(sure_world()).filter(estimand="exact_rollouts_saved").is_empty()
