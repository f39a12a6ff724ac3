"""What of a work list has still to be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

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
) -> Sequence[Pending]:
    """What `missing` found, ready to be run; a row is checked when it is reached.

    Args:
        environment: gives its name and version; budget: actions of an episode.
        source: file of the work list, for messages.

    Raises:
        DataError: a row is not a rollout of this environment and budget.
    """
    return _PendingRows(rows, environment, budget, source)


class _PendingRows(Sequence[Pending]):
    """Rows that become rollouts when they are reached: a million at once would take 3 GB."""

    def __init__(
        self, rows: pl.DataFrame, environment: Environment, budget: int, source: str
    ) -> None:
        self._rows = rows
        self._about = (environment, budget, source)

    def __len__(self) -> int:
        return self._rows.height

    @overload
    def __getitem__(self, index: int) -> Pending: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pending]: ...
    def __getitem__(self, index: int | slice) -> Pending | Sequence[Pending]:
        if isinstance(index, slice):
            return _PendingRows(self._rows[index], *self._about)
        return self._item(self._rows.row(index, named=True))

    def __iter__(self) -> Iterator[Pending]:
        return map(self._item, self._rows.iter_rows(named=True))

    def _item(self, row: dict[str, Any]) -> Pending:
        return Pending(RolloutSpec.from_row(row, *self._about), row["attempt"])
