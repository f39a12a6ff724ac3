"""The tables of a finished study as frames: everything the report shows comes from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from repairstudy.errors import DataError
from repairstudy.records import TABLES
from repairstudy.store import check, open_database

Frames = Mapping[str, pl.DataFrame]


def load_frames(database: str | Path) -> dict[str, pl.DataFrame]:
    """Every table of the database, read-only and checked against the data contract.

    Raises:
        DataError: there is no such database, or a table is absent or breaks its contract.
    """
    connection = open_database(database)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        present = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
        if "results" not in present:
            raise DataError(database, "table results is absent.", "Run the workflow to build it.")
        return {name: _read(connection, name, database) for name in TABLES if name in present}
    finally:
        connection.close()


def table_of(frames: Frames, name: str) -> pl.DataFrame:
    """A table of the contract; an empty one if the study has none."""
    return frames[name] if name in frames else TABLES[name].empty()


def statistics(
    frames: Frames, analysis: str, *estimands: str, pool: str | None = None
) -> pl.DataFrame:
    """Rows of `results` of one analysis, of these estimands (none: of all of them)."""
    rows = table_of(frames, "results").filter(pl.col("analysis") == analysis)
    if estimands:
        rows = rows.filter(pl.col("estimand").is_in(estimands))
    return rows if pool is None else rows.filter(pl.col("pool") == pool)


def _read(connection: duckdb.DuckDBPyConnection, name: str, path: str | Path) -> pl.DataFrame:
    rows = connection.sql(f'SELECT * FROM "{name}"').pl()
    return check(rows, TABLES[name], path).sort(TABLES[name].key)
