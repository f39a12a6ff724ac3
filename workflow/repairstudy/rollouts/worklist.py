"""What of a work list has still to be run."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from repairstudy.environments import Environment
from repairstudy.records.tables import WORKLIST
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.checks import ERROR
from repairstudy.rollouts.spec import RolloutSpec


@dataclass(frozen=True, slots=True)
class Pending:
    """A rollout to be run, and the number of its next attempt."""

    spec: RolloutSpec
    attempt: int = 0


def missing(wanted: pl.DataFrame, cache: RolloutCache) -> pl.DataFrame:
    """The rows of a work list that the cache has no outcome of; infrastructure errors have none.

    Args:
        wanted: WORKLIST rows. Two rows of one rollout count once.

    Returns:
        WORKLIST rows in the order of `wanted`, each rollout once, and `attempt`, the number of
        its next attempt.

    Raises:
        DataError: the cache is damaged.
    """
    index = cache.index(wanted["executor_id"].unique())
    errors = index.filter(pl.col("status") == ERROR).select(
        "rollout_key", attempt=pl.col("attempt") + 1
    )
    finished = index.filter(pl.col("status") != ERROR)
    return (
        wanted.select(*WORKLIST.schema)
        .join(finished, on="rollout_key", how="anti", maintain_order="left")
        .unique("rollout_key", keep="first", maintain_order=True)
        .join(errors, on="rollout_key", how="left", maintain_order="left")
        .with_columns(pl.col("attempt").fill_null(0))
    )


def pending(
    rows: pl.DataFrame, environment: Environment, budget: int, source: str = "work list"
) -> list[Pending]:
    """What `missing` found, ready to be run.

    Args:
        environment: gives its name and version; budget: actions of an episode.
        source: file of the work list, for messages.

    Raises:
        DataError: a row is not a rollout of this environment and budget.
    """
    return [
        Pending(RolloutSpec.from_row(row, environment, budget, source), row["attempt"])
        for row in rows.iter_rows(named=True)
    ]
