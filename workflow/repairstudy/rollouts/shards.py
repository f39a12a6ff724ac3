"""One shard of the rollout cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from repairstudy.records import shards
from repairstudy.records.shards import list_shards, remove_stale, write_shard
from repairstudy.records.tables import CACHED_ROLLOUTS

__all__ = ["list_shards", "read_shard", "remove_stale", "write_shard"]

_REMEDY = "Delete the file and start the run again: only the rollouts in it are run anew."


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """CACHED_ROLLOUTS rows, or some of their columns; raises as `records.shards.read_shard`."""
    added = CACHED_ROLLOUTS.added
    return shards.read_shard(path, CACHED_ROLLOUTS.schema, _REMEDY, columns, added)
