"""One shard of the action-distribution cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records import shards
from repairstudy.records.shards import list_shards, remove_stale

__all__ = ["SCHEMA", "list_shards", "read_shard", "remove_stale", "write_shard"]

SCHEMA: dict[str, pl.DataType] = {
    "key": pl.String(),
    "prompt": pl.String(),
    "choices": pl.List(pl.String()),
    "logprobs": pl.List(pl.Float64()),
    "tokens_in": pl.Int64(),
}
_REMEDY = "Delete the file and run again: only the distributions in it are asked anew."


def write_shard(folder: Path, rows: pl.DataFrame) -> Path:
    """Write rows of SCHEMA; the name begins with the time, so that all agree which came first.

    A clock that was set back must not make a later answer the first one.

    Raises:
        DataError: the disk is full or not writable.
    """
    stamps = (path.name.split("-")[0] for path in list_shards(folder))
    moment = max([time.time_ns(), *(int(stamp) + 1 for stamp in stamps if stamp.isdigit())])
    try:
        return shards.write_shard(folder, rows, order=f"{moment:020d}-")
    except OSError as error:
        raise DataError(folder, f"cannot be written ({error.strerror}).", "Make room.") from error


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Rows of SCHEMA, or some of their columns; raises as `records.shards.read_shard`."""
    return shards.read_shard(path, SCHEMA, _REMEDY, columns)
