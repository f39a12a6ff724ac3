"""One table in one Parquet file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from repairstudy.errors import DataError
from repairstudy.records import Table
from repairstudy.store.contract import check
from repairstudy.store.files import replacing


def write_table(frame: pl.DataFrame, path: str | Path, table: Table) -> None:
    """Check the frame against the contract and write it, sorted by the table's key.

    The same rows in any order give the same bytes; `path` is replaced at once or not at all.

    Raises:
        DataError: the frame breaks the contract.
    """
    rows = check(frame, table, path).sort(table.key)
    with replacing(path) as temporary:
        rows.write_parquet(temporary, compression="zstd", statistics=True)


def read_table(path: str | Path, table: Table) -> pl.DataFrame:
    """Read a table and check it against the contract.

    Raises:
        DataError: the file is absent, truncated or no Parquet, or its rows break the contract;
            the message names the file and the column.
    """
    return check(read_parquet(path), table, path)


def read_parquet(path: str | Path) -> pl.DataFrame:
    """Read any Parquet file, whole.

    Raises:
        DataError: the file is absent, truncated, or no Parquet.
    """
    if not Path(path).is_file():
        raise DataError(path, "there is no such file.", "Run the rule that writes it.")
    try:
        # pyarrow raises an exception for every broken file; polars panics on some.
        frame = pl.from_arrow(pq.read_table(path))
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            path,
            f"the file is truncated or is no Parquet file ({_first_line(error)}).",
            "Delete it and write it again.",
        ) from error
    assert isinstance(frame, pl.DataFrame)
    return frame


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].split(". ")[0].rstrip(".")
