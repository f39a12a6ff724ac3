"""A failed run as its detectors see it: only what was recorded, no environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class FailedRun:
    """The N steps of a failed run.

    Attributes:
        observations: (N,) what the executor saw before each action.
        actions: (N,) what it did.
        valid: (N,) whether the action was admissible.
        signatures: (N,) the full state before each action.
        instruction: the task in words; empty if not known.
        budget: most actions that the run was allowed; None if not known.
        unreachable: the first sampled step after whose action the goal was out of reach within the
            budget left; None if there is none, or nobody asked.
    """

    environment: str
    observations: tuple[str, ...]
    actions: tuple[str, ...]
    valid: tuple[bool, ...]
    signatures: tuple[str, ...]
    instruction: str = ""
    budget: int | None = None
    unreachable: int | None = None


def failed_runs(
    frames: Mapping[str, pl.DataFrame], reachability: pl.DataFrame | None = None
) -> Iterator[tuple[str, FailedRun]]:
    """(failure id, run) of every failure that has recorded steps, by failure id.

    Args:
        frames: tables failures, trajectories, steps, positions and candidates.
        reachability: columns evaluator, failure_id, t, candidate_id, score, of `solvability`.
    """
    steps = frames["steps"].sort("trajectory_id", "t")
    runs = steps.group_by("trajectory_id", maintain_order=True).agg(
        "observation", "action", "valid", "signature"
    )
    failures = frames["failures"].select("failure_id", "trajectory_id").unique()
    worlds = frames["trajectories"].select("trajectory_id", "environment", "instruction")
    budgets = frames["positions"].group_by("failure_id").agg(
        budget=(pl.col("t") + pl.col("slack")).max()
    )  # fmt: skip
    table = (
        failures.join(runs, on="trajectory_id")
        .join(worlds, on="trajectory_id")
        .join(budgets, on="failure_id", how="left")
        .join(_unreachable(frames["candidates"], reachability), on="failure_id", how="left")
        .sort("failure_id")
    )
    for row in table.iter_rows(named=True):
        yield (
            row["failure_id"],
            FailedRun(
                environment=row["environment"],
                observations=tuple(row["observation"]),
                actions=tuple(row["action"]),
                valid=tuple(row["valid"]),
                signatures=tuple(row["signature"]),
                instruction=row["instruction"] or "",
                budget=row["budget"],
                unreachable=row["t"],
            ),
        )


def _unreachable(candidates: pl.DataFrame, reachability: pl.DataFrame | None) -> pl.DataFrame:
    """By failure, the first step whose original action put the goal out of reach."""
    originals = candidates.filter("is_original").select("failure_id", "t", "candidate_id")
    if reachability is None:
        return originals.select("failure_id", "t").clear()
    lost = reachability.filter((pl.col("evaluator") == "solvability") & (pl.col("score") == 0))
    found = lost.join(originals, on=["failure_id", "t", "candidate_id"])
    return found.group_by("failure_id").agg(pl.col("t").min())
