"""Table `costs`: what the rollouts took."""

from __future__ import annotations

import polars as pl

from repairstudy.records.tables import COSTS


def costs_of(rollouts: pl.DataFrame) -> pl.DataFrame:
    """What the rollouts of each executor and role took; a shared rollout counts once."""
    counted = (
        rollouts.unique("rollout_key")
        .group_by("executor_id", "role")
        .agg(
            pl.len().cast(pl.Int64).alias("rollouts"),
            *(pl.col(name).sum() for name in ("steps", "tokens_in", "tokens_out")),
        )
    )
    return counted.select(COSTS.names).sort("executor_id", "role")
