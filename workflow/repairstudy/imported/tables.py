"""Imported failures as the tables of a collected pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from repairstudy.environments import Environment
from repairstudy.imported.replaying import Replayed
from repairstudy.imported.run import Run
from repairstudy.records import digest
from repairstudy.records.tables import IMPORTED_RUNS
from repairstudy.rollouts.collect import Collected, recorded


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which failures are taken: the first `size`, at most `max_per_cluster` of a cluster."""

    size: int
    max_per_cluster: int | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file of runs, and the executor whose runs they are taken for."""

    path: str
    sha256: str
    deployed: str
    executor_id: str


def choose(
    environment: Environment, replayed: Sequence[Replayed], wanted: Wanted
) -> list[Replayed]:
    """The same runs; failures that are not wanted become unusable, with the reason."""
    taken: Counter[str] = Counter()
    chosen = []
    for one in replayed:
        run, full = one.failed, ""
        if run is not None:
            cluster = environment.cluster(run.task_id)
            if taken.total() >= wanted.size:
                full = f"not needed: the pools hold {wanted.size} failures"
            elif wanted.max_per_cluster is not None and taken[cluster] >= wanted.max_per_cluster:
                full = (
                    f"its cluster {cluster} has {wanted.max_per_cluster} failures already "
                    "(collection.max_per_cluster)"
                )
            else:
                taken[cluster] += 1
        chosen.append(replace(one, verdict="unusable", detail=full) if full else one)
    return chosen


def imported_tables(
    environment: Environment, replayed: Sequence[Replayed], file: File
) -> tuple[Collected, pl.DataFrame]:
    """The failures with their steps, in the order of the file, and a row for every run of it.

    Returns:
        What collecting returns; IMPORTED_RUNS rows.
    """
    runs = [
        (_trajectory(environment, one.failed, order, file), one.failed.actions)
        for order, one in enumerate(replayed)
        if one.failed is not None
    ]
    collected = recorded(environment, runs)
    told = [_row(environment, one, file) for one in replayed]
    return collected, pl.DataFrame(told, schema=IMPORTED_RUNS.schema, orient="row")


def trajectory_id(environment: Environment, run: Run, executor_id: str) -> str:
    """The identity of an imported run; its name is in it, since two may have gone alike."""
    return digest(
        {
            "imported": run.failure_id,
            "executor_id": executor_id,
            "environment": environment.name,
            "environment_version": environment.version,
            "task_id": run.task_id,
            "actions": run.actions,
        }
    )


def _trajectory(environment: Environment, run: Run, order: int, file: File) -> dict[str, Any]:
    return {
        "trajectory_id": trajectory_id(environment, run, file.executor_id),
        "environment": environment.name,
        "task_id": run.task_id,
        "cluster": environment.cluster(run.task_id),
        "executor_id": file.executor_id,
        "seed": None,
        "success": run.success,
        "reward": run.reward,
        "steps": len(run.actions),
        "order": order,
    }


def _row(environment: Environment, one: Replayed, file: File) -> dict[str, Any]:
    run = one.failed
    return {
        "deployed": file.deployed,
        "number": one.logged.number,
        "run": one.logged.name,
        "task_id": str(one.logged.fields["task_id"]),
        "verdict": one.verdict,
        "detail": one.detail,
        "trajectory_id": trajectory_id(environment, run, file.executor_id) if run else None,
        "compared": one.compared,
        "invalid_actions": one.invalid,
        "file": file.path,
        "sha256": file.sha256,
    }
