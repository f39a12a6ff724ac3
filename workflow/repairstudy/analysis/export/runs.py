"""The failed runs that labels refer to, step by step."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from repairstudy.analysis.export.tables import FAILED_RUNS
from repairstudy.records import TABLES

FAILED = ("study", "environment", "task_id", "instruction", "failure_id", "trajectory_id",
          "deployed", "deployed_executor_id")  # fmt: skip


def failures_of(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Every failure of any pool once, with its run, its task and who failed.

    Args:
        frames: tables failures, trajectories, executors and provenance.
    """
    pools = (
        frames["failures"]
        .group_by("failure_id", "trajectory_id")
        .agg(pools=pl.col("pool").unique().sort())
    )
    names = frames["executors"].select("executor_id", deployed="name")
    return (
        pools.join(frames["trajectories"], on="trajectory_id", validate="m:1")
        .join(names, on="executor_id", validate="m:1")
        .rename({"executor_id": "deployed_executor_id"})
        .with_columns(study=pl.lit(frames["provenance"]["study"][0]))
    )


def failed_runs(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Rows of FAILED_RUNS; lists are empty where the steps are not known."""
    steps = frames.get("steps", TABLES["steps"].empty()).sort("trajectory_id", "t")
    listed = steps.group_by("trajectory_id", maintain_order=True).agg(
        observations="observation", actions="action", valid="valid"
    )
    lists = [pl.col(name).fill_null([]) for name in ("observations", "actions", "valid")]
    return (
        failures_of(frames)
        .join(listed, on="trajectory_id", how="left")
        .with_columns(lists)
        .select(FAILED_RUNS.names)
        .sort(FAILED_RUNS.key)
    )
