"""Negative controls hold in a sound study, and fail when what they guard against is planted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, a_plan, estimate, frozen, results, row, wins

from repairstudy.analysis import analyse, build_pool, build_pools, select, select_all
from repairstudy.analysis.statistics.controls import (
    FAILED,
    HOLDS,
    judge_controls,
    negative_controls,
    planted,
)
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.records import generator

FAILURES = 40
VALUES = {"a": 0.3, "b": 0.5, "c": 0.6}
Draw = Callable[[float, int], list[float]]


def sound_world(seed: int = 1) -> World:
    """Planted values, every rollout a draw of its own; greedy runs always agree."""
    rng = generator("negative controls", seed)

    def draws(p: float, n: int) -> list[float]:
        return [float(value) for value in rng.random(n) < p]

    world = World()
    for i in range(FAILURES):
        name = f"f{i:02}"
        world.failure(name)
        world.position(name, 0, {c: draws(p, 10) for c, p in VALUES.items()}, draws(0.4, 10))
        world.roll("dep", "control", name, 0, {c: draws(p, 5) for c, p in VALUES.items()})
        world.roll("dep@greedy", "evaluate", name, 0, {c: [1.0, 1.0] for c in VALUES})
        world.exact("dep", name, 0, VALUES | {"orig": 0.4})
    return world


def controls(world: World) -> dict[str, str]:
    """The verdict of each negative control."""
    frames = world.frames()
    pool = build_pool(frames, "pool")
    study = PoolStudy.of(pool, select(pool).values, a_plan())
    rows = [*negative_controls(study), *planted(study, frames["exact_values"])]
    judge_controls(rows, 0.95)
    return {row.evaluator.rpartition("@")[2]: row.notes[0] for row in rows}


def test_all_four_hold_where_nothing_is_wrong() -> None:
    found = controls(sound_world())
    assert set(found) == {"shuffled", "original", "other_seeds", "exact_values"}
    assert all(note.startswith(HOLDS) for note in found.values())


def test_false_alarms_are_rare() -> None:
    """By Bonferroni at most 1 study in 20 has one; of 10 studies not even one is expected."""
    alarms = sum(
        any(note.startswith(FAILED) for note in controls(sound_world(seed)).values())
        for seed in range(10)
    )
    assert alarms <= 1


def shared_seeds(world: World) -> None:
    """The evaluator with other seeds has the very rollouts that value its choice."""
    labels = {
        (r["failure_id"], r["candidate_id"], r["replicate"]): r
        for r in world.rows["rollouts"]
        if r["role"] == "label"
    }
    for item in world.rows["rollouts"]:
        if item["role"] == "control":
            same = labels[item["failure_id"], item["candidate_id"], item["replicate"]]
            item |= {name: same[name] for name in ("success", "reward", "status")}


def another_executor(world: World) -> None:
    """Rollouts with other seeds come from another prompt, which likes other candidates."""
    for item in world.rows["rollouts"]:
        if item["role"] == "control":
            good = item["candidate_id"] == "a"
            item |= {"success": good, "reward": float(good)}


def other_rollouts(world: World) -> None:
    """The rollouts do not follow the distributions that exact values are computed from."""
    for item in world.rows["exact_values"]:
        item["value"] += 0.15


@pytest.mark.parametrize(
    ("plant", "control"),
    [
        (shared_seeds, "other_seeds"),
        (another_executor, "other_seeds"),
        (other_rollouts, "exact_values"),
    ],
)
def test_a_planted_fault_fails_its_control_and_no_other(
    plant: Callable[[World], None], control: str
) -> None:
    world = sound_world()
    plant(world)
    found = controls(world)
    assert found.pop(control).startswith(FAILED)
    assert all(note.startswith(HOLDS) for note in found.values())


def test_selecting_and_scoring_on_the_same_rollouts_fails_the_shuffled_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The winner's curse, planted in the estimator."""

    class Chosen:
        def __init__(self, table: np.ndarray) -> None:
            self.value = float(table.mean(axis=1).max())

    module = "repairstudy.analysis.statistics.controls.crossfit_many"
    monkeypatch.setattr(module, lambda tables, m: [Chosen(table) for table in tables])
    found = controls(sound_world())
    assert found.pop("shuffled").startswith(FAILED)
    assert all(note.startswith(HOLDS) for note in found.values())


def test_the_original_control_fails_when_its_halves_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    def sorted_halves(values: np.ndarray, parts: int) -> list[np.ndarray]:
        return list(np.sort(values).reshape(parts, -1))

    monkeypatch.setattr(np, "array_split", sorted_halves)
    assert controls(sound_world())["original"].startswith(FAILED)


def test_the_planted_control_is_the_mean_difference() -> None:
    world = World()
    for name in ("f", "g"):
        world.failure(name)
        world.position(name, 0, {"a": wins(7), "b": wins(4)}, wins(3))
        world.exact("dep", name, 0, {"a": 0.5, "b": 0.5, "orig": 0.3})
    assert estimate(results(world), "negative_control", "exact_values", "mean_error") == (
        pytest.approx(0.05, abs=1e-12)
    )


def test_the_verdict_is_the_first_note_of_the_row() -> None:
    notes = results(sound_world()).filter(analysis="negative_control")["note"]
    assert notes.len() == 4
    assert all(note.startswith(HOLDS) for note in notes)


def test_many_controls_share_the_level_of_one() -> None:
    rows = [Row("p", "negative_control", str(i), "loss", 0.1, 0.01, 0.2) for i in range(10)]
    for item in rows:
        item.p_zero = 0.02  # alone it would have failed
    judge_controls(rows, 0.95)
    assert {item.notes[0] for item in rows} == {
        "holds; its interval alone excludes 0, one of 10 controls"
    }
    judge_controls(rows[:2], 0.95)
    assert rows[0].notes[0].startswith(FAILED)


def test_greedy_runs_that_end_differently_are_counted() -> None:
    world = sound_world()
    for item in world.rows["rollouts"]:
        if item["executor_id"] == "id-dep@greedy" and item["replicate"] == 1:
            item["success"] = item["candidate_id"] != "b"
    found = row(results(world), "greedy_replay", "greedy", "disagreement_rate")
    assert found["estimate"] == pytest.approx(1 / 3)
    assert found["n_rollouts"] == FAILURES * 3 * 2


def test_a_greedy_evaluator_that_ran_once_says_so() -> None:
    world = sound_world()
    world.rows["rollouts"] = [
        item
        for item in world.rows["rollouts"]
        if item["executor_id"] != "id-dep@greedy" or item["replicate"] == 0
    ]
    found = row(results(world), "greedy_replay", "greedy", "disagreement_rate")
    assert (found["estimate"], found["note"]) == (None, "run once: unknown")


def test_a_study_without_greedy_replay_says_nothing_of_it() -> None:
    world = World()
    world.failure("f")
    world.position("f", 0, {"a": wins(7), "b": wins(4)}, wins(3))
    frames = world.frames()
    pools = build_pools(frames)
    found = analyse(pools, select_all(pools).values, frozen())
    assert found.filter(pl.col("analysis") == "greedy_replay").is_empty()
