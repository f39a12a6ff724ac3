"""The rollout cache: a folder of immutable shards that any number of jobs may add to at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records.shards import STALE_S, plain_name
from repairstudy.records.tables import CACHED_ROLLOUTS
from repairstudy.rollouts.checks import check_agreement, one_row_each
from repairstudy.rollouts.merging import SMALL_BYTES, merge, size_of, union
from repairstudy.rollouts.shards import list_shards, read_shard, remove_stale
from repairstudy.rollouts.writer import CacheWriter

R = TypeVar("R")

MANY_SMALL = 16  # that many of them: reading one costs about a millisecond
VANISHED_TRIES = 20
FIRST_WAIT_S, LONGEST_WAIT_S = 0.005, 1.0  # another job deletes what it merged, one by one
_INDEX = ("rollout_key", "attempt", "status", "finished")


def _stable(read: Callable[[RolloutCache, str], R]) -> Callable[[RolloutCache, str], R]:
    """Read again when another job's compaction took a shard away after it was listed."""

    def again(cache: RolloutCache, executor_id: str) -> R:
        for tries in range(VANISHED_TRIES):
            try:
                return read(cache, executor_id)
            except FileNotFoundError:
                time.sleep(min(FIRST_WAIT_S * 2**tries, LONGEST_WAIT_S))
        raise DataError(
            cache.folder / executor_id,
            "shards vanish while they are read.",
            "Does something other than this workflow delete files there?",
        )

    return again


class RolloutCache:
    """Finished rollouts by key, at ``<folder>/<executor_id>/<shard>.parquet``.

    Every read takes the union of the shards, checks it, and gives one row a rollout.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def executor_ids(self) -> tuple[str, ...]:
        """The executors that have shards here, sorted."""
        if not self.folder.is_dir():
            return ()
        return tuple(sorted(path.name for path in self.folder.iterdir() if path.is_dir()))

    def read(self, executor_ids: Collection[str] | None = None) -> pl.DataFrame:
        """All rollouts of some executors (None: of all) as CACHED_ROLLOUTS rows by key.

        A finished rollout supersedes infrastructure errors of its key, and a later error an
        earlier one.

        Raises:
            DataError: a shard is damaged, differs from the contract or holds a value outside
                its range; or two shards give one rollout different outcomes.
        """
        parts = [self._read_executor(name) for name in self._asked(executor_ids)]
        rows = one_row_each(pl.concat([CACHED_ROLLOUTS.empty(), *parts]))
        return rows.sort("rollout_key")

    def index(self, executor_ids: Collection[str] | None = None) -> pl.DataFrame:
        """What is there, without the outcomes: rollout_key, attempt, status, finished.

        Much cheaper than `read`; values are checked only where a rollout occurs twice.

        Raises:
            DataError: as `read`, but for values.
        """
        parts = [self._index_executor(name) for name in self._asked(executor_ids)]
        empty = CACHED_ROLLOUTS.empty().select(_INDEX)
        return pl.concat([empty, *parts])

    def writer(self, flush_rows: int = 5_000, flush_s: float = 5.0) -> CacheWriter:
        """Adds rollouts; a killed job loses at most the last `flush_rows` or `flush_s`."""
        return CacheWriter(self.folder, flush_rows, flush_s)

    def prune(self, older_than_s: float = STALE_S) -> int:
        """Delete temporary files of killed jobs; how many there were."""
        return sum(remove_stale(self.folder / name, older_than_s) for name in self.executor_ids())

    def compact(self, executor_ids: Collection[str] | None = None) -> int:
        """Merge small shards where there are many; how many are gone. See `merging.merge`."""
        return sum(self._compact(name) for name in self._asked(executor_ids))

    def _asked(self, executor_ids: Collection[str] | None) -> tuple[str, ...]:
        if executor_ids is None:
            return self.executor_ids()
        return tuple(sorted({plain_name(name, self.folder) for name in executor_ids}))

    @_stable
    def _read_executor(self, executor_id: str) -> pl.DataFrame:
        rows = union(executor_id, list_shards(self.folder / executor_id))
        if rows["rollout_key"].is_duplicated().any():
            check_agreement(rows)
        return rows.drop("shard")

    @_stable
    def _index_executor(self, executor_id: str) -> pl.DataFrame:
        shards = list_shards(self.folder / executor_id)
        if not shards:
            return CACHED_ROLLOUTS.empty().select(_INDEX)
        rows = pl.concat([read_shard(path, _INDEX).select(_INDEX) for path in shards])
        if rows["rollout_key"].n_unique() == rows.height:
            return rows
        repeated = rows.filter(pl.col("rollout_key").is_duplicated())
        full = union(executor_id, shards).join(repeated, on="rollout_key", how="semi")
        check_agreement(full)
        return one_row_each(rows)

    def _compact(self, executor_id: str) -> int:
        sizes = {path: size_of(path) for path in list_shards(self.folder / executor_id)}
        small = [path for path, size in sizes.items() if size < SMALL_BYTES]
        if len(small) < MANY_SMALL or not all(sizes.values()):  # another job is merging them
            return 0
        merge(executor_id, small)
        return sum(not path.exists() for path in small)
