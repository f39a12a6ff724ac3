"""One table as JSON Lines: for readers that have no Parquet."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records import Table
from repairstudy.store.contract import check
from repairstudy.store.files import replacing


def write_jsonl(frame: pl.DataFrame, path: str | Path, table: Table) -> None:
    """One row a line, sorted by the table's key; text outside ASCII is escaped.

    So no text, whoever wrote it, can end a line or a string. Times are not supported.

    Raises:
        DataError: the frame breaks the contract.
    """
    rows = check(frame, table, path).sort(table.key)
    with replacing(path) as temporary, temporary.open("w", encoding="ascii", newline="\n") as file:
        for row in rows.iter_rows(named=True):
            file.write(json.dumps(row, ensure_ascii=True, allow_nan=False) + "\n")


def read_jsonl(path: str | Path, table: Table) -> pl.DataFrame:
    """Read what `write_jsonl` wrote.

    Raises:
        DataError: no such file, a line that is no JSON object, or rows that break the contract.
    """
    if not Path(path).is_file():
        raise DataError(path, "there is no such file.", "Run the rule that writes it.")
    rows = []
    with Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(path, f"line {number} is no JSON ({error}).") from error
            if not isinstance(row, dict) or set(row) != set(table.names):
                raise DataError(path, f"line {number} is no row of table {table.name}.")
            rows.append(row)
    return check(pl.DataFrame(rows, schema=table.schema), table, path)
