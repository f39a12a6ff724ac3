"""Measured power, and the formula's."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.style import PAPER, legend_columns, new_figure, series, styled
from repairstudy.report.validation.drawing import target_of
from repairstudy.report.validation.rows import POWER, of_check

TITLE, CHECK = "Power against the formula", POWER


@styled
def draw(rows: pl.DataFrame) -> Figure:
    """A panel a population and level: the formula as a line, what was measured as marks."""
    found = of_check(rows, POWER).with_columns(
        evaluator=pl.col("quantity").str.split(",").list.first(),
        level=pl.col("method").str.split(", ").list.last(),
        measured=pl.col("value") + pl.col("expected"),
    )
    panels = found.select("population", "level").unique(maintain_order=True).rows()
    marks = series(found["evaluator"].unique().sort().to_list())
    columns = min(2, len(panels))
    height = -(-len(panels) // columns)
    figure = new_figure(2.2 * height + 0.5)
    grid = figure.subplots(height, columns, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, (population, level) in zip(grid.flat, panels, strict=False):
        axes.set_title(f"{population}, {level}")
        axes.grid(axis="y")
        mine = found.filter(population=population, level=level)
        for name, (colour, marker) in marks.items():
            part = mine.filter(evaluator=name).sort("failures")
            axes.plot(part["failures"], part["expected"], color=colour, linewidth=0.9)
            axes.errorbar(
                part["failures"], part["measured"], yerr=2 * part["mc_error"], color=colour,
                marker=marker, markerfacecolor=PAPER, markersize=4, linestyle="", linewidth=0.9,
                label=name,
            )  # fmt: skip
    grid[0, 0].set_ylim(0.3, 1.02)
    figure.supxlabel("failures of a study", fontsize=8)
    figure.supylabel("power", fontsize=8)
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside upper right",
        ncols=legend_columns(list(marks)),
    )  # fmt: skip
    return figure


def caption(rows: pl.DataFrame) -> str:
    found = of_check(rows, POWER)
    return (
        "Lines: power by the formula at the numbers of failures that it asks for (for 0.5, 0.8 and "
        "0.9). Marks: share of replicated studies that reject, with two Monte Carlo errors. Level "
        ".05/8 is Holm's first step with eight tests. Target: measured minus formula "
        f"{target_of(found)}."
    )
