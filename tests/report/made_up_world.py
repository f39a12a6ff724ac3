"""A small made-up study that keeps the data contract: its world, from trajectories to values.

Nothing here is an estimator: values are drawn or taken naively, so that figures and pages have
something plausible to show.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import polars as pl

from repairstudy.records import TABLES, canonical_json, digest

ACTIONS = ("up", "down", "left", "right")
EXECUTORS = {
    "smollm2": ("deployed", "SmolLM2-135M-Instruct"),
    "policy-strong": ("deployed", "policy-strong"),
    "policy-weak": ("evaluator", "policy-weak"),
    "smollm2-transcript": ("evaluator", "SmolLM2-135M-Instruct"),
    "smollm2@greedy": ("variant", "SmolLM2-135M-Instruct"),
    "smollm2@0.3": ("variant", "SmolLM2-135M-Instruct"),
    "policy-strong@greedy": ("variant", "policy-strong"),
    "policy-strong@0.3": ("variant", "policy-strong"),
}
DEPLOYED = ("smollm2", "policy-strong")
JUDGES = ("smollm2", "policy-strong", "policy-weak", "smollm2-transcript")
SOURCES = ("policy-strong", "policy-weak", "privileged", "random", "smollm2")
WHEN = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Arm:
    """One candidate, and its true success probability under each executor."""

    failure: str
    deployed: str
    t: int
    primary: bool
    candidate: str
    action: str
    original: bool
    sources: list[str]
    p: dict[str, float]


def executor_id(name: str) -> str:
    return digest({"executor": name})


def frame(table: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=TABLES[table].schema, orient="row")


def arms(rng: np.random.Generator, failures: int) -> list[Arm]:
    found = []
    for deployed in DEPLOYED:
        for number in range(failures):
            failure = digest({"failure": number, "of": deployed})
            steps = sorted(rng.choice(12, size=3, replace=False).tolist())
            primary = int(rng.choice(steps))
            for t in steps:
                found += _arms_at(rng, failure, deployed, t, t == primary)
    return found


def _arms_at(
    rng: np.random.Generator, failure: str, deployed: str, t: int, primary: bool
) -> list[Arm]:
    size = int(rng.integers(3, 5))
    order = rng.permutation(ACTIONS)[:size].tolist()
    hopeless = rng.random() < 0.3
    level = rng.normal(-3.5 if hopeless else -0.8, 1.0, size)
    arms_here = []
    for place, action in enumerate(order):
        p = {}
        for judge in JUDGES:
            shift = 0.0 if judge == deployed else float(rng.normal(0.5, 1.2))
            p[judge] = float(1 / (1 + np.exp(-(level[place] + shift - (place == 0)))))
        chosen = rng.choice(SOURCES, size=int(rng.integers(1, 4)), replace=False)
        arms_here.append(
            Arm(
                failure, deployed, t, primary, digest([failure, t, action]), action, place == 0,
                [] if place == 0 else sorted(chosen.tolist()), p,
            )
        )  # fmt: skip
    return arms_here


def executors() -> pl.DataFrame:
    rows: list[dict[str, object]] = [
        {
            "executor_id": executor_id(name),
            "name": name,
            "role": role,
            "model": model,
            "identity": canonical_json(
                {
                    "model": {"name": model, "revision": "local", "weights": digest(model)},
                    "protocol": "transcript" if name == "smollm2-transcript" else "ego",
                    "template": "The map:\n{observation}\nNext move:",
                    "decoding": {
                        "temperature": 0.0 if name.endswith("greedy") else 0.7,
                        "top_p": 0.95, "top_k": 0, "max_tokens": 1, "mode": "choice", "stop": [],
                    },
                    "invalid_actions": {"limit": 5},
                }
            ),
            "validity": None if name == "smollm2-transcript" else 0.9 + 0.01 * len(name) / 2,
        }
        for name, (role, model) in EXECUTORS.items()
    ]  # fmt: skip
    return frame("executors", rows)


def runs(rng: np.random.Generator, everything: list[Arm]) -> dict[str, pl.DataFrame]:
    """Trajectories, steps, failures and positions."""
    rows: dict[str, list[dict[str, object]]] = {"trajectories": [], "steps": [], "failures": []}
    ranks = dict.fromkeys(DEPLOYED, 0)
    for failure, deployed in dict.fromkeys((arm.failure, arm.deployed) for arm in everything):
        rank, trajectory = ranks[deployed], digest({"trajectory": failure})
        ranks[deployed] += 1
        rows["trajectories"].append(
            {
                "trajectory_id": trajectory, "environment": "gridworld",
                "task_id": f"layout-{rank % 40:02d}", "cluster": f"layout-{rank % 40:02d}",
                "executor_id": executor_id(deployed), "seed": rank, "success": False,
                "reward": 0.0, "steps": 14, "order": rank * 2,
            }
        )  # fmt: skip
        rows["steps"] += [
            {
                "trajectory_id": trajectory, "t": t,
                "observation": "goal: 2 right, 1 up | up: free, down: wall, left: pit",
                "action": ACTIONS[int(rng.integers(4))], "valid": bool(rng.random() < 0.9),
                "signature": digest([trajectory, t]), "drawing": drawing(rng),
            }
            for t in range(14)
        ]  # fmt: skip
        pools = [(deployed, rank)]
        pools += [(f"{deployed}-screened", rank // 2)] if rank % 2 == 0 else []
        rows["failures"] += [
            {"failure_id": failure, "pool": pool, "trajectory_id": trajectory, "rank": place}
            for pool, place in pools
        ]
    keys = dict.fromkeys((arm.failure, arm.t, arm.primary) for arm in everything)
    rows["positions"] = [
        {"failure_id": failure, "t": t, "slack": 20 - t, "is_primary": primary}
        for failure, t, primary in keys
    ]
    return {name: frame(name, content) for name, content in rows.items()}


def drawing(rng: np.random.Generator) -> str:
    cells = np.full((5, 5), ".")
    for mark in "##OOOO~GA":
        cells[tuple(rng.integers(0, 5, 2))] = mark
    return "\n".join(" ".join(row) for row in cells)


def candidates(everything: list[Arm]) -> pl.DataFrame:
    return frame(
        "candidates",
        [
            {
                "candidate_id": arm.candidate, "failure_id": arm.failure, "t": arm.t,
                "action": arm.action, "is_original": arm.original, "sources": arm.sources,
            }
            for arm in everything
        ],
    )  # fmt: skip


def rollouts(rng: np.random.Generator, everything: list[Arm]) -> pl.DataFrame:
    rows = []
    for arm in everything:
        for judge in JUDGES:
            role, number = ("label", 10) if judge == arm.deployed else ("evaluate", 20)
            if judge == "smollm2-transcript":
                if arm.deployed != "smollm2" or not arm.primary:
                    continue
                number = 2
            for replicate in range(number):
                key = [arm.candidate, judge, role, replicate]
                won = bool(rng.random() < arm.p[judge])
                rows.append(
                    {
                        "rollout_key": digest(key), "executor_id": executor_id(judge),
                        "failure_id": arm.failure, "t": arm.t, "candidate_id": arm.candidate,
                        "role": role, "replicate": replicate, "seed": replicate,
                        "success": won, "reward": float(won), "steps": 6, "invalid_actions": 0,
                        "tokens_in": 1800, "tokens_out": 6, "tokens_thought": 0,
                        "status": "success" if won else "budget_exhausted", "actions": ["up"],
                    }
                )  # fmt: skip
    return frame("rollouts", rows)


def exact_values(everything: list[Arm]) -> pl.DataFrame:
    return frame(
        "exact_values",
        [
            {
                "failure_id": arm.failure, "t": arm.t, "candidate_id": arm.candidate,
                "executor": judge, "value": arm.p[judge],
            }
            for arm in everything
            for judge in JUDGES
            if judge != "smollm2-transcript"
        ],
    )  # fmt: skip
