"""Coverage against the size of a study."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repairstudy.report.numbers import count, decimal
from repairstudy.report.style import BLUE, GREEN, MUTED, ORANGE, new_figure, styled
from repairstudy.report.validation.drawing import STEP, band, target_of
from repairstudy.report.validation.rows import COVERAGE, KINDS, SIDES, coverage_rows

TITLE, CHECK = "Coverage of intervals", COVERAGE
KIND_MARKS = {"percentile": (ORANGE, "o"), "bootstrap_t": (BLUE, "s"), "t": (GREEN, "^")}


@styled
def draw(rows: pl.DataFrame) -> Figure:
    """A column a side of the interval, a row a way failures come; a mark a quantity."""
    found = coverage_rows(rows)
    shapes = found["in_tasks"].unique().sort().to_list()
    figure = new_figure(2.1 * len(shapes) + 0.6)
    grid = figure.subplots(len(shapes), len(SIDES), sharey=True, squeeze=False)
    for line, in_tasks in zip(grid, shapes, strict=True):
        for axes, side in zip(line, SIDES, strict=True):
            _draw_sizes(axes, found.filter(in_tasks=in_tasks, side=side), in_tasks)
            axes.set_title(f"{side}, failures in tasks" if in_tasks else side)
    figure.supylabel("coverage (nominal 0.95)", fontsize=8)
    handles = grid[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper right", ncols=len(KINDS))
    return figure


def caption(rows: pl.DataFrame) -> str:
    found = coverage_rows(rows)
    return (
        "Share of replicated studies whose interval holds the true value. Each mark is one "
        "quantity (a loss, the control gap, the net gain) in one population; lines join the means. "
        f"The band is the target, {target_of(found)}. Two-sided 95% intervals, and one-sided 95% "
        "bounds. Bottom row: failures that come in tasks of three, resampled by task. Monte Carlo "
        f"errors are at most {decimal(_largest(found, 'mc_error'), 3)} "
        f"({_replicates(found)} studies)."
    )


def _draw_sizes(axes: Axes, rows: pl.DataFrame, in_tasks: bool) -> None:
    sizes = rows["failures"].unique().sort().to_list()
    band(axes, rows, horizontal=True)
    axes.axhline(0.95, color=MUTED, linewidth=0.8, linestyle="--", zorder=1)
    for number, (kind, (colour, marker)) in enumerate(KIND_MARKS.items()):
        part = rows.filter(kind=kind)
        aside = 1.3 * STEP * (number - 1)
        x = [sizes.index(size) + aside for size in part["failures"]]
        axes.plot(
            x, part["value"], linestyle="", marker=marker, color=colour, markersize=3.5,
            alpha=0.5, markeredgewidth=0,
        )  # fmt: skip
        means = part.group_by("failures").agg(pl.col("value").mean()).sort("failures")["value"]
        axes.plot(
            [place + aside for place in range(len(means))], means, color=colour, marker=marker,
            markersize=3.5, label=KINDS[kind],
        )  # fmt: skip
    clusters = dict(rows.select("failures", "clusters").unique().iter_rows())
    labels = [f"{size}\nin {clusters[size]} tasks" if in_tasks else str(size) for size in sizes]
    axes.set_xticks(range(len(sizes)), labels)
    axes.set_xlabel("failures")


def _largest(rows: pl.DataFrame, column: str) -> float:
    return float(rows[column].to_numpy().max())


def _replicates(rows: pl.DataFrame) -> str:
    low, high = int(rows["replicates"].to_numpy().min()), int(rows["replicates"].to_numpy().max())
    return count(low) if low == high else f"{count(low)} to {count(high)}"
