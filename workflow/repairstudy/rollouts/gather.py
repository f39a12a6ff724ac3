"""The rollouts of a study, out of the cache; all of them, or an error that says what is missing."""

from __future__ import annotations

import polars as pl

from repairstudy.errors import MissingRollouts
from repairstudy.records.tables import ROLLOUTS
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.checks import ERROR

COMMAND = "snakemake --cores all"
# Columns of a work list that gathering uses: the others make it several times as large.
WANTED = (
    "rollout_key", "executor", "executor_id", "failure_id", "t", "candidate_id", "role",
    "replicate",
)  # fmt: skip


def gather(wanted: pl.DataFrame, cache: RolloutCache, command: str = COMMAND) -> pl.DataFrame:
    """The outcome of every rollout of a work list.

    Args:
        wanted: WORKLIST rows, or columns `WANTED` of them. Collected runs among them are left out:
            `trajectories` has them.
        command: what runs the missing rollouts, for the message.

    Returns:
        ROLLOUTS rows in the order of `wanted`. Two failures that share task, prefix and action
        share rollouts: each has rows of its own, with the same keys.

    Raises:
        MissingRollouts: how many, of which executor and role, and how to run them.
        DataError: the cache is damaged or contradicts itself.
    """
    wanted = wanted.filter(pl.col("failure_id").is_not_null())
    cached = cache.read(wanted["executor_id"].unique())
    rows = wanted.select(WANTED).join(
        cached.drop("executor_id"),
        on="rollout_key",
        how="left",
        maintain_order="left",
        validate="m:1",
    )
    absent = rows.filter(pl.col("status").is_null() | (pl.col("status") == ERROR))
    if not absent.is_empty():
        raise MissingRollouts(_message(absent, wanted["rollout_key"].n_unique(), command))
    return rows.select(*ROLLOUTS.schema)


def _message(absent: pl.DataFrame, total: int, command: str) -> str:
    absent = absent.unique("rollout_key", maintain_order=True)
    groups = absent.group_by("executor", "role").len().sort("executor", "role")
    listed = "; ".join(f"{name}, role {role}: {n:,}" for name, role, n in groups.iter_rows())
    errors = absent.filter(pl.col("status") == ERROR)
    failed = ""
    if not errors.is_empty():
        cause = errors.sort("finished")["cause"][-1]
        failed = f" {errors.height:,} of them ended in infrastructure errors, the last: {cause}."
    return (
        f"{absent.height:,} of {total:,} rollouts are missing ({listed}).{failed} "
        f"To run them: {command}"
    )
