"""The canonical content of a table, and its hash: the same whatever file holds the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import polars as pl

from repairstudy.records import TABLES
from repairstudy.store.duckdb import PART_ROWS, PUBLIC

# They hold the hashes, or what differs from one build of the same data to the next.
UNHASHED = ("provenance", "build")


def content_hash(frame: pl.DataFrame, name: str) -> str:
    """SHA-256 of a table as JSON lines: columns in the contract's order, rows sorted by key.

    JSON gives every float its shortest exact text; infinities become text.
    """
    table = TABLES[name]
    rows = frame.select(table.names).sort(table.key)
    reals = [column for column, dtype in rows.schema.items() if dtype.is_float()]
    infinite = [
        pl.when(pl.col(column).is_infinite())
        .then(pl.lit(None))
        .otherwise(pl.col(column))
        .alias(column)
        for column in reals
    ]
    signs = [
        pl.when(pl.col(column).is_infinite())
        .then(pl.col(column).sign())
        .alias(f"{column} infinite")
        for column in reals
    ]
    head = ",".join(f"{column} {dtype}" for column, dtype in table.schema.items())
    hashed = hashlib.sha256(f"{head}\n".encode())
    for part in rows.iter_slices(PART_ROWS):
        hashed.update(part.with_columns(*infinite, *signs).write_ndjson().encode())
    return hashed.hexdigest()


def content_hashes(frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """By name, the hash of each public table; a table without a frame is empty."""
    return {
        name: content_hash(frames[name] if name in frames else TABLES[name].empty(), name)
        for name in sorted(PUBLIC)
        if name not in UNHASHED
    }
