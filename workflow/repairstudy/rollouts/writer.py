"""Adding rollouts to the cache."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records.shards import plain_name
from repairstudy.records.tables import CACHED_ROLLOUTS
from repairstudy.rollouts.merging import SMALL_BYTES, merge, size_of
from repairstudy.rollouts.shards import write_shard

OWN_SMALL = 64  # small shards of its own that a writer leaves behind at most, each executor


class CacheWriter:
    """Collects rows and writes them as shards, one an executor and flush.

    It merges its own small shards now and then: a job of days would leave ten thousands behind.
    A context manager: leaving it, for whatever reason, writes what has been added.
    """

    def __init__(self, folder: Path, flush_rows: int, flush_s: float) -> None:
        self._folder = folder
        self._flush_rows = flush_rows
        self._flush_s = flush_s
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._small: dict[str, list[Path]] = {}
        self._count = 0
        self._oldest = 0.0

    def add(self, row: dict[str, Any]) -> None:
        """Take a CACHED_ROLLOUTS row.

        Raises:
            DataError: its executor's id would name a folder elsewhere.
            DataError: a flush was due and could not be written.
        """
        if not self._count:
            self._oldest = time.monotonic()
        executor_id = plain_name(row["executor_id"], self._folder)
        self._rows.setdefault(executor_id, []).append(row)
        self._count += 1
        if self._count >= self._flush_rows:
            self.flush()

    def flush_if_due(self) -> None:
        """Write when the oldest row has waited long enough. To be called now and then."""
        if self._count and time.monotonic() - self._oldest >= self._flush_s:
            self.flush()

    def flush(self) -> None:
        """Write all that has been added.

        Raises:
            DataError: the disk is full or not writable. Shards already written stay as they
                are, and the rows stay here, to be written by the next flush.
        """
        for executor_id in list(self._rows):
            rows = pl.DataFrame(
                self._rows[executor_id], schema=CACHED_ROLLOUTS.schema, orient="row"
            )
            try:
                path = write_shard(self._folder / executor_id, rows)
            except OSError as error:
                reason = error.strerror or error
                raise DataError(
                    self._folder / executor_id,
                    f"{rows.height} finished rollouts cannot be written ({reason}).",
                    "Earlier ones are safe. Make room and start the same run again.",
                ) from error
            self._count -= rows.height
            del self._rows[executor_id]
            self._merge(executor_id, path)

    def _merge(self, executor_id: str, path: Path) -> None:
        small = [*self._small.get(executor_id, []), path]
        if len(small) >= OWN_SMALL:
            merged = merge(executor_id, small)
            small = [path for path in merged if 0 < size_of(path) < SMALL_BYTES]
        self._small[executor_id] = small

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.flush()
