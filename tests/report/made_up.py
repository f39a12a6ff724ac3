"""The whole made-up study: `study_frames(seed)` gives every table of the data contract."""

from __future__ import annotations

from datetime import timedelta

import made_up_world as world
import numpy as np
import polars as pl
from made_up_statistics import result_rows

from repairstudy.records import canonical_json, digest, generator

POSITION = (
    "matched", "random", "greedy", "temperature_0.3", "solvability", "planner", "judge",
    "own_1", "own_2", "own_3", "own_4", "own_5", "accept_2_of_3", "flip_1",
)  # fmt: skip
FAILURE = ("matched", "random", "earliest_success", "latest_significant")
PLAN = {
    "study": "gridworld",
    "date": "2026-11-20",
    "alpha": 0.05,
    "metric": "success",
    "interval": {"level": 0.95, "type": "percentile"},
    "bootstrap": {"replicates": 2000, "unit": "cluster", "p_value": "inversion", "seed": 1},
    "positive_control": {"threshold": 0.1, "gate": "point"},
    "matched_rollouts": 5,
    "families": [
        {
            "name": f"{kind}-{pool}", "pool": pool, "estimand": "loss", "scope": "position",
            "direction": "greater", "evaluators": list(evaluators),
        }
        for pool in world.DEPLOYED
        for kind, evaluators in {
            "target": ("greedy", "solvability", "planner", "judge"),
            "budget": ("own_1", "accept_2_of_3", "flip_1"),
        }.items()
    ],
}  # fmt: skip


def evaluators_of(pool: str) -> list[str]:
    """Evaluators of scope position in a pool."""
    deployed = pool.removesuffix("-screened")
    names = [*POSITION]
    for judge in world.JUDGES:
        if judge == deployed or (judge == "smollm2-transcript" and pool != "smollm2"):
            continue
        names.append(f"executor:{judge}")
        if judge != "smollm2-transcript":
            names.append(f"executor:{judge}@5")
    return names


def study_frames(seed: int = 1, failures: int = 8) -> dict[str, pl.DataFrame]:
    """Every table of a small study of two deployed executors with two pools each."""
    rng = generator("made-up study", seed)
    everything = world.arms(rng, failures)
    frames = {
        **world.runs(rng, everything),
        "executors": world.executors(),
        "candidates": world.candidates(everything),
        "rollouts": world.rollouts(rng, everything),
        "exact_values": world.exact_values(everything),
    }
    pools = list(dict.fromkeys(frames["failures"].sort("failure_id")["pool"].to_list()))
    pools.sort(key=lambda name: (not name.startswith("smollm2"), name))
    frames["results"] = world.frame(
        "results",
        result_rows(rng, {pool: evaluators_of(pool) for pool in pools}, frames["failures"]),
    )
    frames |= _choices(rng, everything, frames["failures"], pools)
    frames |= _records(frames["rollouts"])
    return frames


def _choices(
    rng: np.random.Generator, everything: list[world.Arm], failures: pl.DataFrame, pools: list[str]
) -> dict[str, pl.DataFrame]:
    at: dict[tuple[str, int], list[world.Arm]] = {}
    for arm in everything:
        if not arm.original:
            at.setdefault((arm.failure, arm.t), []).append(arm)
    scores, selections, values = [], [], []
    for pool in pools:
        members = set(failures.filter(pl.col("pool") == pool)["failure_id"])
        places = [key for key, arms in at.items() if key[0] in members and arms[0].primary]
        for evaluator in evaluators_of(pool):
            for failure, t in places:
                key = {"pool": pool, "evaluator": evaluator, "failure_id": failure, "t": t}
                arms = at[failure, t]
                score = [float(rng.random() < arm.p[arm.deployed]) for arm in arms]
                best = [value == max(score) for value in score]
                gain, top = rng.normal(0.15, 0.2), rng.normal(0.25, 0.2)
                values.append(
                    key | {"scope": "position", "value": gain, "matched_value": top,
                           "loss": top - gain}
                )  # fmt: skip
                for arm, value, chosen in zip(arms, score, best, strict=True):
                    scores.append(key | {"candidate_id": arm.candidate, "score": value})
                    weight = chosen / sum(best)
                    selections.append(
                        key | {"scope": "position", "candidate_id": arm.candidate,
                               "weight": weight}
                    )  # fmt: skip
        for evaluator in FAILURE:
            for failure in sorted(members):
                gain, top = rng.normal(0.2, 0.2), rng.normal(0.3, 0.2)
                values.append(
                    {"pool": pool, "evaluator": evaluator, "scope": "failure",
                     "failure_id": failure, "t": None, "value": gain, "matched_value": top,
                     "loss": top - gain}
                )  # fmt: skip
    return {
        "scores": world.frame("scores", scores),
        "selections": world.frame("selections", selections),
        "values": world.frame("values", values),
    }


def _records(rollouts: pl.DataFrame) -> dict[str, pl.DataFrame]:
    costs = rollouts.group_by("executor_id", "role", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("rollouts"),
        pl.col("steps", "tokens_in", "tokens_out", "tokens_thought").sum(),
    )
    costs = world.frame("costs", costs.to_dicts())
    config = {
        "study": "gridworld",
        "metric": "success",
        "environment": {"name": "gridworld", "budget": 20},
        "pools": {
            "smollm2": {"deployed": "smollm2", "size": 60},
            "smollm2-screened": {"deployed": "smollm2", "size": 34, "screen": {"rollouts": 5}},
            "policy-strong": {"deployed": "policy-strong", "size": 60},
            "policy-strong-screened": {
                "deployed": "policy-strong", "size": 34, "screen": {"rollouts": 5},
            },
        },
    }  # fmt: skip
    amendment = {
        "at": "2026-11-29T18:00:00+00:00", "commit": "b" * 40,
        "reason": "the plan changed after rollouts existed",
        "diff": "--- before\n+++ after\n@@ -1 +1 @@\n-alpha: 0.05\n+alpha: 0.01",
        "plan_hash": digest("later"), "plan": PLAN,
    }  # fmt: skip
    infrastructure = {
        "executor_id": rollouts["executor_id"][0], "executor": "smollm2", "role": "label",
        "is_original": False, "rollouts": 1000, "retried": 3, "errors": 4,
    }  # fmt: skip
    return {
        "costs": costs,
        "infrastructure": world.frame("infrastructure", [infrastructure]),
        "preregistration": world.frame(
            "preregistration",
            [
                {
                    "plan_hash": digest(PLAN, length=64), "frozen_at": world.WHEN,
                    "registration": digest("first", length=64), "settings": "{}",
                    "commit": "a" * 40, "plan": canonical_json(PLAN),
                    "amendments": canonical_json([amendment]), "remarks": "[]",
                }
            ],
        ),
        "provenance": world.frame(
            "provenance",
            [
                {
                    "study": "gridworld", "config": canonical_json(config),
                    "versions": canonical_json(
                        {"python": "3.11.9", "repairstudy": "0.1.0", "vllm": "0.11.0"}
                    ),
                    "models": "{}", "data": "{}", "commands": '["snakemake"]', "tables": "{}",
                    "machines": canonical_json(
                        [{"cpu": "Made Up 3000", "cores": 2, "memory_gib": 24, "gpus": [],
                          "system": "Linux x86_64", "models": ["smollm2"],
                          "versions": {"vllm": "0.11.0"}}]
                    ),
                    "started": world.WHEN,
                    "finished": world.WHEN + timedelta(minutes=7, seconds=12),
                }
            ],
        ),
        "audit": world.frame(
            "audit",
            [
                {
                    "environment": "gridworld", "check": "reward is a function of the state",
                    "passed": True, "detail": "60 layouts, 2,113 states, each scored twice",
                },
                {
                    "environment": "gridworld", "check": "restored states keep their signature",
                    "passed": False, "detail": "1 of 2,113 differs",
                },
            ],
        ),
    }  # fmt: skip
