"""Shards of one executor read as one table, and small ones merged, in memory that has a bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from repairstudy.records.tables import CACHED_ROLLOUTS
from repairstudy.rollouts.checks import check_agreement, check_rows, one_row_each
from repairstudy.rollouts.shards import read_shard, write_shard

SMALL_BYTES = 4_000_000  # shards below are worth merging
MERGED_BYTES = 6_000_000  # so much is merged at once: some hundred thousand rollouts


def union(executor_id: str, paths: Sequence[Path]) -> pl.DataFrame:
    """The rows of some shards, checked, as CACHED_ROLLOUTS columns and `shard`, the file of each.

    Raises:
        DataError: a shard is damaged, or holds a value outside its range.
        FileNotFoundError: another job has merged a shard meanwhile.
    """
    parts = [CACHED_ROLLOUTS.empty().with_columns(shard=pl.lit(""))]
    for path in paths:
        rows = read_shard(path).select(*CACHED_ROLLOUTS.schema)
        check_rows(path, rows, executor_id)
        parts.append(rows.with_columns(shard=pl.lit(str(path))))
    return pl.concat(parts)


def merge(executor_id: str, paths: Sequence[Path]) -> list[Path]:
    """Replace shards of one folder by fewer; the new ones, none if it did not come to that.

    Safe at any moment and beside any other job: a merged shard is durable before the first of its
    parts goes, and rows that are in both meanwhile are harmless duplicates.

    Raises:
        DataError: as `union`, or two parts contradict each other.
    """
    merged = []
    for group in _groups(paths):
        try:
            rows = union(executor_id, group)
        except FileNotFoundError:  # another job is merging them
            continue
        check_agreement(rows)
        try:
            merged.append(write_shard(group[0].parent, one_row_each(rows.drop("shard"))))
            for path in group:
                path.unlink(missing_ok=True)
        except OSError:  # merging only saves time; all rows are there as they are
            continue
    return merged


def size_of(path: Path) -> int:
    """Bytes of a shard; 0 if another job has merged it meanwhile."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _groups(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths in order, cut where a group reaches `MERGED_BYTES`; of single ones none."""
    group: list[Path] = []
    size = 0
    for path in paths:
        group.append(path)
        size += size_of(path)
        if size >= MERGED_BYTES:
            yield group
            group, size = [], 0
    if len(group) > 1:
        yield group
