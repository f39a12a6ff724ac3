"""Where two versions of a table differ: which rows, which columns."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from repairstudy.records import Table

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """What a stored table and the recomputed one disagree on, a line each; empty: nothing."""

    table: str
    rows: int
    lines: tuple[str, ...]


def difference(stored: pl.DataFrame, computed: pl.DataFrame, table: Table) -> Difference:
    """Compare every cell of two frames of one table exactly, rows by their key.

    Numbers are equal if they are the same number: there is no tolerance.
    """
    key = list(table.key)
    lines: list[str] = []
    for rows, what in (
        (_without(computed, stored, key), "is missing from the database"),
        (_without(stored, computed, key), "is in the database alone"),
    ):
        lines += _listed([f"{_row(row, key)} {what}" for row in rows.iter_rows(named=True)])
    values = [name for name in table.names if name not in key]
    both = stored.join(
        computed, on=key, how="inner", suffix=" computed", nulls_equal=True, maintain_order="left"
    )
    changed = [
        f"{_row(row, key)}, column {name}: {_shown(row[name])} in the database, "
        f"{_shown(row[f'{name} computed'])} recomputed"
        for name in values
        for row in both.filter(pl.col(name).ne_missing(pl.col(f"{name} computed"))).iter_rows(
            named=True
        )
    ]
    return Difference(table.name, stored.height, (*lines, *_listed(changed)))


def _without(frame: pl.DataFrame, other: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    return frame.select(key).join(other.select(key), on=key, how="anti", nulls_equal=True).sort(key)


def _row(row: dict[str, object], key: list[str]) -> str:
    return "row " + ", ".join(f"{name} {row[name]}" for name in key)


def _shown(value: object) -> str:
    return f"{value!r:.120}"


def _listed(lines: list[str]) -> list[str]:
    more = [f"and {len(lines) - SHOWN:,} more like it"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]
