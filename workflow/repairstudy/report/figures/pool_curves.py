"""A panel a pool, for figures of curves."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repairstudy.report.study import Pool, Study
from repairstudy.report.style import MUTED, SHADE, new_figure, plain


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
    columns = min(columns, len(pools))
    rows = math.ceil(len(pools) / columns)
    figure = new_figure(rows * height + 0.4)
    grid = figure.subplots(rows, columns, squeeze=False, **shared)
    for axes in grid.flat[len(pools) :]:
        axes.set_visible(False)
    panels = list(zip(pools, grid.flat, strict=False))
    for pool, axes in panels:
        _head(axes, pool)
    return figure, panels


def _head(axes: Axes, pool: Pool) -> None:
    """Its name and size; an uninformative pool is shaded."""
    words = f"{pool.n_failures} failures" + (", uninformative" * (pool.informative is False))
    axes.set_title(plain(pool.name, 28), pad=14)
    axes.annotate(
        words, (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
        color=MUTED, fontsize=7,
    )  # fmt: skip
    if pool.informative is False:
        axes.set_facecolor(SHADE)
    axes.grid(axis="y")
