"""Each analysis on pools small enough to compute by hand."""

from __future__ import annotations

import json
from functools import cache
from math import inf, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, approx, estimate, frozen, results, row, sure_world, wins
from golden import golden_file

from repairstudy.analysis import analyse, build_pool, import_outcomes, select
from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.store import check


@cache
def golden() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results of the golden pool, and its expected values a failure."""
    pool = build_pool(import_outcomes(golden_file("outcomes_binary.parquet")), "outcomes")
    expected = pl.DataFrame(json.loads(golden_file("expected_binary.json").read_text()))
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
    pool = build_pool(import_outcomes(golden_file("outcomes_binary.parquet")), "outcomes")
    other = analyse([pool], select(pool).values, frozen(interval={"type": kind}))
    key = ("losses", "executor:larger", "loss")
    wide, narrow = row(other, *key), row(golden()[0], *key)
    assert wide["estimate"] == narrow["estimate"]
    assert wide["ci_low"] < narrow["ci_low"]  # type: ignore[operator]
    if kind == "t":
        same = row(golden()[0], "sensitivity", "executor:larger", "loss_t")
        assert (wide["ci_low"], wide["ci_high"]) == (same["ci_low"], same["ci_high"])


def test_failures_alone_may_be_the_unit() -> None:
    pool = build_pool(import_outcomes(golden_file("outcomes_binary.parquet")), "outcomes")
    alone = analyse([pool], select(pool).values, frozen(bootstrap={"unit": "failure"}))
    found = row(alone, "losses", "executor:larger", "loss")
    assert "clusters" not in (found["note"] or "")  # type: ignore[operator]
    assert found["ci_low"] != row(golden()[0], "losses", "executor:larger", "loss")["ci_low"]


def test_the_same_input_gives_the_same_rows() -> None:
    pool = build_pool(import_outcomes(golden_file("outcomes_binary.parquet")), "outcomes")
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
        assert row(frame, "decomposition", name, "target_loss")["note"] == f"at r = {r}"


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


def test_values_of_another_pool_are_refused() -> None:
    pool = build_pool(sure_world().frames(), "pool")
    values = select(pool).values.filter(pl.col("failure_id") != "f2")
    with pytest.raises(DataError, match="values of 3 failures, the pool has 4"):
        analyse([pool], values, frozen())


def test_without_originals_losses_remain_and_net_gains_say_why_they_are_missing(
    tmp_path: Path,
) -> None:
    golden_table = pl.read_parquet(golden_file("outcomes_binary.parquet"))
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
