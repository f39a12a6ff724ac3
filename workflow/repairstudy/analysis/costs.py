"""Table `costs`: what the rollouts took."""

from __future__ import annotations

import polars as pl

from repairstudy.records.tables import COSTS


def costs_of(rollouts: pl.DataFrame) -> pl.DataFrame:
    """What the rollouts of each executor and role took; a shared rollout counts once."""
    took = ("steps", "tokens_in", "tokens_out", "tokens_thought")
    counted = (
        rollouts.select("rollout_key", "executor_id", "role", *took)
        .unique("rollout_key")
        .group_by("executor_id", "role")
        .agg(
            pl.len().cast(pl.Int64).alias("rollouts"),
            *(pl.col(name).sum() for name in took[:3]),
            # Unknown as soon as one of them is: rollouts of an earlier version did not count it.
            pl.when(~pl.col("tokens_thought").has_nulls())
            .then(pl.col("tokens_thought").sum())
            .alias("tokens_thought"),
        )
    )
    return counted.select(COSTS.names).sort("executor_id", "role")
