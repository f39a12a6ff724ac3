"""What the figures of the validation share."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes

from repairstudy.report.style import MUTED, SHADE
from repairstudy.report.validation.rows import target

STEP = 0.17  # between marks at one place, in places


def band(axes: Axes, rows: pl.DataFrame, *, horizontal: bool) -> None:
    """The target of the rows, and zero if it is inside."""
    low, high = float(rows["target_low"][0]), float(rows["target_high"][0])
    span = axes.axhspan if horizontal else axes.axvspan
    span(low, high, color=SHADE, zorder=0)
    if low < 0.0 < high:
        line = axes.axhline if horizontal else axes.axvline
        line(0.0, color=MUTED, linewidth=0.9, zorder=1)


def target_of(rows: pl.DataFrame) -> str:
    """The target of the rows in words."""
    return target(rows.row(0, named=True))


def shift(number: int, marks: int) -> float:
    """Where a mark stands beside its place."""
    return STEP * (number - (marks - 1) / 2)
