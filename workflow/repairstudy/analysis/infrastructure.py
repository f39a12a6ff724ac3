"""Table `infrastructure`: errors that are nobody's fault but may bend what they interrupt.

A rollout that an error ended is run again. If what makes it fail has to do with how it goes (long
runs time out), retries shift the distribution of outcomes, and more so in one arm than in another.
"""

from __future__ import annotations

import polars as pl

from repairstudy.records.tables import INFRASTRUCTURE


def infrastructure_of(
    rollouts: pl.DataFrame,
    attempts: pl.DataFrame,
    candidates: pl.DataFrame,
    executors: pl.DataFrame,
) -> pl.DataFrame:
    """Errors by executor, role, and original action or candidates; each rollout once an arm.

    Args:
        rollouts: ROLLOUTS rows; candidates: CANDIDATES rows; executors: EXECUTORS rows.
        attempts: columns rollout_key, attempt: the number of the attempt that finished, which is
            how many errors there were before.
    """
    arms = candidates.select("failure_id", "t", "candidate_id", "is_original")
    each = (
        rollouts.select("rollout_key", "executor_id", "role", "failure_id", "t", "candidate_id")
        .join(arms, on=["failure_id", "t", "candidate_id"])
        .unique(["rollout_key", "is_original"])
        .join(attempts.select("rollout_key", "attempt"), on="rollout_key")
        .join(executors.select("executor_id", executor="name"), on="executor_id")
    )
    counted = each.group_by("executor_id", "executor", "role", "is_original").agg(
        pl.len().cast(pl.Int64).alias("rollouts"),
        (pl.col("attempt") > 0).sum().cast(pl.Int64).alias("retried"),
        pl.col("attempt").sum().cast(pl.Int64).alias("errors"),
    )
    return counted.select(INFRASTRUCTURE.names).sort(INFRASTRUCTURE.key)
