"""A panel a pool, for figures of curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repairstudy.report.study import Pool, Study
from repairstudy.report.style import (
    MUTED,
    SHADE,
    WIDTH,
    headline,
    legend_columns,
    new_figure,
)
from repairstudy.report.wording import counted


def pool_axes(
    study: Study, shown: Collection[str], columns: int, height: float, **shared: Any
) -> tuple[Figure, list[tuple[Pool, Axes]]]:
    """A figure with titled axes for each of the pools named, in the study's order.

    Args:
        columns: panels beside each other, at most.
        height: of a row of panels, in inches.
        shared: `sharex`, `sharey` of the panels.
    """
    pools = [pool for pool in study.pools if pool.name in shown]
    columns = min(columns, len(pools)) if len(pools) != 4 else 2
    rows = math.ceil(len(pools) / columns)
    figure = new_figure(rows * height + 0.4)
    grid = figure.subplots(rows, columns, squeeze=False, **shared)
    for axes in grid.flat[len(pools) :]:
        axes.set_visible(False)
    panels = list(zip(pools, grid.flat, strict=False))
    for pool, axes in panels:
        _head(axes, pool, WIDTH / columns - 0.6)
    return figure, panels


def pool_curves(
    study: Study,
    rows: pl.DataFrame,
    draw_pool: Callable[[Axes, pl.DataFrame], None],
    x: str,
    y: str,
    columns: int,
    height: float,
    **shared: Any,
) -> Figure:
    """A figure whose panels are drawn alike, with one legend for all.

    Args:
        rows: with a column `pool`; each panel is given its own.
        x, y: what the axes show.
        columns, height, shared: of `pool_axes`.
    """
    figure, panels = pool_axes(study, set(rows["pool"]), columns, height, **shared)
    drawn: dict[str, Any] = {}
    for pool, axes in panels:
        draw_pool(axes, rows.filter(pl.col("pool") == pool.name))
        handles, labels = axes.get_legend_handles_labels()
        drawn |= dict(zip(labels, handles, strict=True))
    figure.supxlabel(x, fontsize=8)
    figure.supylabel(y, fontsize=8)
    columns = legend_columns(list(drawn))
    figure.legend(drawn.values(), drawn, loc="outside upper right", ncols=columns)
    return figure


def _head(axes: Axes, pool: Pool, inches: float) -> None:
    """Its name and size; an uninformative pool is shaded."""
    size = counted(pool.n_failures, "failure")
    words = size + (", uninformative" * (pool.informative is False))
    axes.set_title(headline(pool.name, inches, 8.5), pad=14)
    axes.annotate(
        words, (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
        color=MUTED, fontsize=7,
    )  # fmt: skip
    if pool.informative is False:
        axes.set_facecolor(SHADE)
    axes.grid(axis="y")
