"""Table `failure_labels` from the tables of a study."""

from __future__ import annotations

import polars as pl

from repairstudy.descriptions import describe, failed_runs
from repairstudy.records import TABLES
from repairstudy.store import check


def frames(states="abab", budget=9):
    """One failure in two pools, with its original action at step 2."""
    run = dict.fromkeys(TABLES["trajectories"].names) | {
        "trajectory_id": "run", "environment": "any", "success": False
    }  # fmt: skip
    steps = [
        {"trajectory_id": "run", "t": t, "observation": "", "action": "x", "valid": True,
         "signature": state, "drawing": ""}
        for t, state in reversed(list(enumerate(states)))
    ]  # fmt: skip
    rows = {
        "failures": [
            {"failure_id": "f", "pool": pool, "trajectory_id": "run", "rank": 0} for pool in "pq"
        ],
        "trajectories": [run],
        "steps": steps,
        "positions": [{"failure_id": "f", "t": 2, "slack": budget - 2, "is_primary": True}],
        "candidates": [
            {"candidate_id": name, "failure_id": "f", "t": 2, "action": name,
             "is_original": name == "o", "sources": []}
            for name in "oa"
        ],
    }  # fmt: skip
    return {name: pl.DataFrame(found, schema=TABLES[name].schema) for name, found in rows.items()}


def lost(candidate, score=0.0, evaluator="solvability"):
    return pl.DataFrame(
        {"evaluator": [evaluator], "failure_id": ["f"], "t": [2], "candidate_id": [candidate],
         "score": [score]}
    )  # fmt: skip


def types(table):
    return set(table.filter(axis="failure_type")["label"])


def test_a_failure_of_two_pools_is_labelled_once():
    table = check(describe(frames()), TABLES["failure_labels"], "labels")
    assert types(table) == {"ping_pong", "ended_early"}
    assert set(table["failure_id"]) == {"f"}


def test_the_budget_is_what_positions_say():
    [(_, run)] = failed_runs(frames(budget=4))
    assert (run.budget, run.signatures) == (4, tuple("abab"))
    assert types(describe(frames(budget=4))) == {"ping_pong", "exhausted_budget"}


def test_a_dead_end_is_where_the_original_put_the_goal_out_of_reach():
    assert "dead_end" in types(describe(frames(), lost("o")))
    for harmless in (lost("a"), lost("o", 1.0), lost("o", -3.0, "planner")):
        assert "dead_end" not in types(describe(frames(), harmless))


def test_without_recorded_steps_nothing_is_said():
    bare = frames() | {"steps": TABLES["steps"].empty()}
    assert describe(bare).is_empty()
    assert describe(bare).schema == TABLES["failure_labels"].schema
