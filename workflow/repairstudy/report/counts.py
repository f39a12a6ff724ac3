"""What is counted rather than estimated: candidates a position, rollouts on a curve."""

from __future__ import annotations

import polars as pl

from repairstudy.report.frames import Frames, statistics, table_of
from repairstudy.report.study import study_of


def deployed_by_failure(frames: Frames) -> pl.DataFrame:
    """The executor that failed: failure_id, deployed."""
    pools = {pool.name: pool.deployed for pool in study_of(frames).pools}
    rows = table_of(frames, "failures").filter(pl.col("pool").is_in(list(pools)))
    deployed = pl.col("pool").replace_strict(pools, return_dtype=pl.String)
    return rows.select("failure_id", deployed=deployed).unique().sort("failure_id")


def distinct_candidates(frames: Frames) -> pl.DataFrame:
    """Distinct candidates at each position, without the original: deployed, failure, t, number."""
    rows = table_of(frames, "candidates").filter(~pl.col("is_original"))
    return (
        rows.group_by("failure_id", "t")
        .agg(number=pl.col("candidate_id").n_unique())
        .join(deployed_by_failure(frames), on="failure_id")
        .sort("deployed", "failure_id", "t")
    )


def positions_by_source(frames: Frames) -> pl.DataFrame:
    """Positions that have a candidate of a source: deployed, source, number of positions."""
    rows = table_of(frames, "candidates").filter(~pl.col("is_original"))
    return (
        rows.explode("sources")
        .drop_nulls("sources")
        .join(deployed_by_failure(frames), on="failure_id")
        .select("deployed", "failure_id", "t", source="sources")
        .unique()
        .group_by("deployed", "source")
        .agg(number=pl.len())
        .sort("source", "deployed")
    )


def largest_budget(frames: Frames) -> int:
    """The most own rollouts that a budget curve of the study goes to."""
    names = statistics(frames, "budget_curve", "net_gain")["evaluator"]
    return int(names.str.extract(r"^own_(\d+)$").cast(pl.Int64).max() or 0)  # type: ignore[arg-type]
