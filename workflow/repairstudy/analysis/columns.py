"""Columns of a foreign table in the types that we need, with the row of the first bad value."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from repairstudy.errors import DataError

TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


def texts(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """An id as text: 7 and "7" are the same id, "007" is another.

    Raises:
        DataError: a null, an empty text, or values that are no ids.
    """
    values = frame[name]
    if values.dtype.is_nested() or values.dtype == pl.Object:
        raise DataError(path, f"column {name} is {values.dtype}, expected text.")
    values = values.cast(pl.String)
    _refuse(values.is_null() | (values == ""), frame, name, "is empty", path)
    return values


def numbers(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Real numbers.

    Raises:
        DataError: a value that is missing or no number.
    """
    values = frame[name]
    if values.dtype.is_nested():
        raise DataError(path, f"column {name} is {values.dtype}, expected numbers.")
    cast = values.str.strip_chars() if values.dtype == pl.String else values
    cast = cast.cast(pl.Float64, strict=False)
    _refuse(cast.is_null() | cast.is_nan(), frame, name, "is no number", path)
    return cast


def integers(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Whole numbers from 0.

    Raises:
        DataError: a value that is missing, no number, negative, or not whole.
    """
    values = numbers(frame, name, path)
    wrong = (values < 0) | (values != values.floor()) | values.is_infinite()
    _refuse(wrong, frame, name, "is no whole number from 0", path)
    return values.cast(pl.Int64)


def flags(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """True or false, also written as 1/0 or yes/no.

    Raises:
        DataError: any other value, or none.
    """
    words = texts(frame, name, path).str.strip_chars().str.to_lowercase()
    words = words.str.strip_suffix(".0")  # a flag that a data frame stored as a float
    wrong = ~words.is_in([*TRUE, *FALSE])
    _refuse(wrong, frame, name, "is neither true nor false", path)
    return words.is_in(TRUE).alias(name)


def text_lists(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Lists of texts as they are: a list, or texts separated by semicolons."""
    values = frame[name]
    if values.dtype == pl.Null:
        values = values.cast(pl.String)
    if values.dtype == pl.String:
        values = values.str.split(";")
    if not isinstance(values.dtype, pl.List):
        raise DataError(
            path, f"column {name} is {values.dtype}, expected lists, or text separated by ';'."
        )
    return values.cast(pl.List(pl.String))


def _refuse(wrong: pl.Series, frame: pl.DataFrame, name: str, what: str, path: Path) -> None:
    if wrong.any():
        row = int(wrong.fill_null(True).arg_max() or 0)
        raise DataError(path, f"column {name}, row {row + 1}: {frame[name][row]!r} {what}.")
