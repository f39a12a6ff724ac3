"""What of a work list has still to be run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from repairstudy.environments import Environment
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.checks import ERROR
from repairstudy.rollouts.spec import RolloutSpec


@dataclass(frozen=True, slots=True)
class Pending:
    """A rollout to be run, and the number of its next attempt."""

    spec: RolloutSpec
    attempt: int = 0


class Work(Protocol):
    """Rollouts to be run: how many, and one after the other."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Pending]: ...


def missing(wanted: pl.DataFrame, cache: RolloutCache) -> pl.DataFrame:
    """The rows of a work list that the cache has no outcome of; infrastructure errors have none.

    Args:
        wanted: WORKLIST rows, or their rollout_key, executor_id and any other columns. Two rows of
            one rollout count once.

    Returns:
        Rows in the order of `wanted`, each rollout once, and `attempt`, the number of its next
        attempt.

    Raises:
        DataError: the cache is damaged.
    """
    index = cache.index(wanted["executor_id"].unique())
    errors = index.filter(pl.col("status") == ERROR).select(
        "rollout_key", attempt=pl.col("attempt") + 1
    )
    finished = index.filter(pl.col("status") != ERROR)
    return (
        wanted.join(finished, on="rollout_key", how="anti", maintain_order="left")
        .unique("rollout_key", keep="first", maintain_order=True)
        .join(errors, on="rollout_key", how="left", maintain_order="left")
        .with_columns(pl.col("attempt").fill_null(0))
    )


def pending(
    rows: pl.DataFrame, environment: Environment, budget: int, source: str = "work list"
) -> Work:
    """What `missing` found, ready to be run; a row is checked when it is reached.

    Args:
        rows: WORKLIST columns and `attempt`.
        environment: gives its name and version; budget: actions of an episode.
        source: file of the work list, for messages.

    Raises:
        DataError: a row is not a rollout of this environment and budget.
    """
    places = pl.DataFrame({"place": range(rows.height), "attempt": rows["attempt"]})
    return pending_of(lambda: [rows.drop("attempt")], places, environment, budget, source)


def pending_of(
    parts: Callable[[], Iterable[pl.DataFrame]],
    places: pl.DataFrame,
    environment: Environment,
    budget: int,
    source: str = "work list",
) -> Work:
    """Some rows of a work list that is read part by part, so that it may be larger than memory.

    Args:
        parts: gives the work list's rows from the start, in parts (WORKLIST columns).
        places: columns `place`, ascending, of a row from 0, and `attempt`, its next attempt.
        environment, budget, source: as in `pending`.

    Raises:
        DataError: as `pending`.
    """
    return _PendingRows(parts, places, (environment, budget, source))


class _PendingRows:
    """Rows that become rollouts when they are reached: a million at once would take 3 GB."""

    def __init__(
        self,
        parts: Callable[[], Iterable[pl.DataFrame]],
        places: pl.DataFrame,
        about: tuple[Environment, int, str],
    ) -> None:
        self._parts = parts
        self._places = places["place"].to_numpy().astype(np.int64)
        self._attempts = places["attempt"].to_numpy()
        self._about = about

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Pending]:
        start = 0
        for part in self._parts():
            first, last = np.searchsorted(self._places, [start, start + part.height])
            chosen = part[self._places[first:last] - start]
            attempts = self._attempts[first:last].tolist()
            for row, attempt in zip(chosen.iter_rows(named=True), attempts, strict=True):
                yield Pending(RolloutSpec.from_row(row, *self._about), attempt)
            start += part.height
