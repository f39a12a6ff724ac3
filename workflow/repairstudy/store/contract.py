"""Whether a frame keeps the contract of its table."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from repairstudy.errors import DataError
from repairstudy.records import Column, Table


def check(
    frame: pl.DataFrame, table: Table, path: str | Path, *, keyed: bool = True
) -> pl.DataFrame:
    """The frame with the table's columns in the table's order.

    A column without any value (polars' Null type) takes the contract's type; nothing else is
    cast. A column that was added to the contract later may be missing: it is null. `path` only
    names the file in the error. `keyed`: whether keys are looked at.

    Raises:
        DataError: a missing or unknown column, another type, a null or NaN where none may be,
            a null inside a list, or two rows with one key.
    """
    late = [column for column in table.columns if column.added and column.name not in frame]
    frame = frame.with_columns(pl.lit(None, column.dtype).alias(column.name) for column in late)
    frame = _check_columns(frame, table, path)
    for column in table.columns:
        _check_values(frame, column, path)
    if keyed:
        _check_key(frame, table, path)
    return frame


def _check_columns(frame: pl.DataFrame, table: Table, path: str | Path) -> pl.DataFrame:
    missing = [name for name in table.schema if name not in frame.columns]
    if missing:
        raise DataError(path, f"table {table.name} lacks {_names(missing)}.", "Write it again.")
    unknown = [name for name in frame.columns if name not in table.schema]
    if unknown:
        raise DataError(
            path,
            f"table {table.name} has unknown {_names(unknown)}.",
            f"Its columns are {', '.join(table.schema)}.",
        )
    frame = frame.select(
        pl.col(name).cast(dtype) if frame.schema[name] == pl.Null else pl.col(name)
        for name, dtype in table.schema.items()
    )
    for name, dtype in table.schema.items():
        if frame.schema[name] != dtype:
            raise DataError(
                path, f"column {name} of {table.name} is {frame.schema[name]}, expected {dtype}."
            )
    return frame


def _check_values(frame: pl.DataFrame, column: Column, path: str | Path) -> None:
    values = frame[column.name]
    if not column.nullable and values.null_count():
        row = values.is_null().arg_max()
        raise DataError(path, f"column {column.name} is null in row {row}: {column.doc}.")
    if values.dtype.is_float() and values.is_nan().any():
        row = values.is_nan().fill_null(False).arg_max()
        raise DataError(path, f"column {column.name} is NaN in row {row}.", "Unknown is null.")
    if isinstance(values.dtype, pl.List) and _null_inside(values):
        raise DataError(path, f"column {column.name} has a null inside a list.")


def _null_inside(lists: pl.Series) -> bool:
    return bool(lists.rechunk().to_arrow().flatten().null_count)


def _check_key(frame: pl.DataFrame, table: Table, path: str | Path) -> None:
    if frame.n_unique(table.key) == frame.height:
        return
    twice = frame.filter(frame.select(table.key).is_duplicated()).row(0, named=True)
    key = ", ".join(f"{name} {twice[name]!r}" for name in table.key)
    raise DataError(path, f"table {table.name} has two rows with the key {key}.")


def _names(columns: list[str]) -> str:
    return ("column " if len(columns) == 1 else "columns ") + ", ".join(columns)
