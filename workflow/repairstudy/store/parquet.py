"""One table in one Parquet file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from repairstudy.errors import DataError
from repairstudy.records import Table
from repairstudy.store.contract import check
from repairstudy.store.files import replacing

PART_ROWS = 20_000


def write_table(frame: pl.DataFrame, path: str | Path, table: Table) -> None:
    """Check the frame against the contract and write it, sorted by the table's key.

    The same rows in any order give the same bytes; `path` is replaced at once or not at all.

    Raises:
        DataError: the frame breaks the contract.
    """
    rows = check(frame, table, path).sort(table.key)
    with replacing(path) as temporary:
        rows.write_parquet(temporary, compression="zstd", statistics=True)


def read_table(
    path: str | Path, table: Table, columns: Collection[str] | None = None
) -> pl.DataFrame:
    """Read a table and check it against the contract.

    Args:
        columns: read and check these and the key's alone, in the table's order. None: all.

    Raises:
        DataError: the file is absent, truncated or no Parquet, or its rows break the contract;
            the message names the file and the column.
    """
    if columns is not None:
        kept = {*columns, *table.key}
        table = replace(table, columns=tuple(one for one in table.columns if one.name in kept))
    return check(read_parquet(path, None if columns is None else table.names), table, path)


def read_parts(path: str | Path, table: Table, rows: int = PART_ROWS) -> Iterator[pl.DataFrame]:
    """A table part by part, each checked, for readers that need no more than that in memory.

    Keys are not compared: `read_table` with some columns does that.

    Raises:
        DataError: as `read_table`, when the part is reached.
    """
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=rows):
                yield check(pl.DataFrame(batch), table, path, keyed=False)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def read_parquet(path: str | Path, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Read any Parquet file, or those of some columns that it has.

    Raises:
        DataError: the file is absent, truncated, or no Parquet.
    """
    if not Path(path).is_file():
        raise DataError(path, "there is no such file.", "Run the rule that writes it.")
    try:
        # pyarrow raises an exception for every broken file; polars panics on some.
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            wanted = names if columns is None else [name for name in names if name in columns]
            # Part by part: a large table would otherwise be in memory twice.
            parts = [
                pl.DataFrame(file.read_row_group(number, columns=wanted))
                for number in range(file.num_row_groups)
            ]
            return pl.concat(parts) if parts else pl.DataFrame(file.read(columns=wanted))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: Exception) -> DataError:
    return DataError(
        path,
        f"the file is truncated or is no Parquet file ({_first_line(error)}).",
        "Delete it and write it again.",
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].split(". ")[0].rstrip(".")
