"""Small studies for the tests of the analysis, written down rollout by rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from repairstudy.analysis import Plan, Registration, analyse, build_pool, register, select
from repairstudy.records import TABLES

MOMENT = datetime(2026, 11, 29, 12, tzinfo=UTC)
Outcomes = Sequence[float]


class World:
    """A study under construction. Executor `dep` is deployed; pool `pool` holds every failure."""

    def __init__(self, deployed: str = "dep") -> None:
        self.deployed = deployed
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        self.executor(deployed, "deployed")

    def executor(self, name: str, role: str = "evaluator", validity: float | None = None) -> None:
        if not any(row["name"] == name for row in self.rows["executors"]):
            self.rows["executors"].append(
                {
                    "executor_id": f"id-{name}",
                    "name": name,
                    "role": role,
                    "model": name,
                    "identity": "{}",
                    "validity": validity,
                }
            )

    def failure(self, failure: str, cluster: str | None = None, pool: str = "pool") -> None:
        rank = sum(row["pool"] == pool for row in self.rows["failures"])
        self.rows["failures"].append(
            {"failure_id": failure, "pool": pool, "trajectory_id": f"run-{failure}", "rank": rank}
        )
        if not any(row["trajectory_id"] == f"run-{failure}" for row in self.rows["trajectories"]):
            self.rows["trajectories"].append(
                {
                    "trajectory_id": f"run-{failure}",
                    "environment": "world",
                    "task_id": cluster or failure,
                    "cluster": cluster or failure,
                    "executor_id": f"id-{self.deployed}",
                    "success": False,
                    "order": len(self.rows["trajectories"]),
                }
            )

    def position(
        self,
        failure: str,
        t: int,
        labels: Mapping[str, Outcomes],
        original: Outcomes = (),
        *,
        primary: bool = True,
        sources: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """A position with the label rollouts of its candidates and of the original (`orig`)."""
        self.rows["positions"].append({"failure_id": failure, "t": t, "is_primary": primary})
        for candidate in [*labels, "orig"]:
            self.rows["candidates"].append(
                {
                    "candidate_id": candidate,
                    "failure_id": failure,
                    "t": t,
                    "action": candidate,
                    "is_original": candidate == "orig",
                    "sources": list((sources or {}).get(candidate, ())),
                }
            )
        self.roll(self.deployed, "label", failure, t, {**labels, "orig": original})

    def roll(
        self, executor: str, role: str, failure: str, t: int, outcomes: Mapping[str, Outcomes]
    ) -> None:
        self.executor(executor)
        for candidate, values in outcomes.items():
            for replicate, value in enumerate(values):
                self.rows["rollouts"].append(
                    {
                        "rollout_key": f"{executor}/{role}/{failure}/{t}/{candidate}/{replicate}",
                        "executor_id": f"id-{executor}",
                        "failure_id": failure,
                        "t": t,
                        "candidate_id": candidate,
                        "role": role,
                        "replicate": replicate,
                        "success": value == 1,
                        "reward": float(value),
                        "status": "success" if value == 1 else "failure",
                        "actions": [],
                    }
                )

    def score(
        self, evaluator: str, failure: str, t: int, scores: Mapping[str, float | None]
    ) -> None:
        for candidate, score in scores.items():
            self.rows["scores"].append(
                {
                    "pool": "pool",
                    "evaluator": evaluator,
                    "failure_id": failure,
                    "t": t,
                    "candidate_id": candidate,
                    "score": score,
                }
            )

    def exact(self, executor: str, failure: str, t: int, values: Mapping[str, float]) -> None:
        for candidate, value in values.items():
            self.rows["exact_values"].append(
                {
                    "failure_id": failure,
                    "t": t,
                    "candidate_id": candidate,
                    "executor": executor,
                    "value": value,
                }
            )

    def frames(self) -> dict[str, pl.DataFrame]:
        return {
            name: pl.DataFrame(
                [dict.fromkeys(TABLES[name].schema) | row for row in rows],
                schema=TABLES[name].schema,
            )
            for name, rows in self.rows.items()
        }


def wins(successes: int, n: int = 10) -> list[float]:
    """So many successes among n rollouts."""
    return [1.0] * successes + [0.0] * (n - successes)


def a_plan(**parts: Any) -> Plan:
    return Plan.model_validate({"study": "any", "date": "2026-11-29", **parts})


def frozen(**parts: Any) -> Registration:
    """A plan that was frozen before any rollout."""
    return register(a_plan(**parts), at=MOMENT, commit="c0ffee", rollouts_exist=False)


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
