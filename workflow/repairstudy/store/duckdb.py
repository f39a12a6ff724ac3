"""The database of a study: derived from its tables, built at once, then only read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from repairstudy.errors import DataError
from repairstudy.records import TABLES, Table
from repairstudy.store.contract import check
from repairstudy.store.files import replacing
from repairstudy.store.views import create_views

# Tables of the data contract that a reader wants; the others are the workflow's own lists.
PUBLIC = (
    "executors", "trajectories", "steps", "failures", "positions", "candidates", "proposals",
    "rollouts", "scores", "selections", "values", "results", "preregistration", "audit",
    "provenance", "build", "exact_values", "costs", "infrastructure", "validation",
    "failure_labels", "llm_labels", "imported_runs",
)  # fmt: skip
PART_ROWS = 200_000


def build_database(path: str | Path, frames: Mapping[str, pl.DataFrame]) -> None:
    """Write a database of every public table and view; a table without a frame is empty.

    Args:
        path: the database, replaced at once or not at all.
        frames: rows by table name, each keeping the contract of its table.

    Raises:
        DataError: a table that is not public, or a frame that breaks its contract.
    """
    unknown = sorted(set(frames) - set(PUBLIC))
    if unknown:
        raise DataError(path, f"the database has no table {', '.join(unknown)}.")
    with replacing(path) as temporary:
        connection = duckdb.connect(str(temporary))
        try:
            connection.execute("SET enable_progress_bar = false")
            for name in PUBLIC:
                _create(connection, TABLES[name], frames.get(name, TABLES[name].empty()), path)
            create_views(connection)
            connection.execute("CHECKPOINT")
        finally:
            connection.close()


def open_database(path: str | Path) -> duckdb.DuckDBPyConnection:
    """Open a database for reading.

    Raises:
        DataError: there is no such database, or another process is writing it.
    """
    if not Path(path).is_file():
        raise DataError(path, "there is no such database.", "Run the workflow to build it.")
    try:
        return duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise DataError(path, f"the database cannot be opened: {error}") from error


def _create(
    connection: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame, path: str | Path
) -> None:
    rows = check(frame, table, path).sort(table.key)
    connection.register("rows_to_store", rows.clear().to_arrow())
    connection.execute(f'CREATE TABLE "{table.name}" AS SELECT * FROM rows_to_store')
    for column in table.columns:
        text = column.doc.replace("'", "''")
        connection.execute(f"""COMMENT ON COLUMN "{table.name}"."{column.name}" IS '{text}'""")
        if not column.nullable:
            connection.execute(
                f'ALTER TABLE "{table.name}" ALTER COLUMN "{column.name}" SET NOT NULL'
            )
    # Part by part: Arrow's copy of a large table would be as large again.
    for part in rows.iter_slices(PART_ROWS):
        connection.register("rows_to_store", part.to_arrow())
        connection.execute(f'INSERT INTO "{table.name}" SELECT * FROM rows_to_store')
    connection.unregister("rows_to_store")
