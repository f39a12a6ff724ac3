"""Family-wise error under each null."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.numbers import decimal
from repairstudy.report.style import MUTED, SHADE, new_figure, series, styled
from repairstudy.report.validation.drawing import shift, target_of
from repairstudy.report.validation.rows import ERRORS, of_check

TITLE, CHECK = "Family-wise error of Holm's procedure", ERRORS


@styled
def draw(rows: pl.DataFrame) -> Figure:
    """A panel a size of study, a row a null, a mark a way of testing."""
    found = of_check(rows, ERRORS).with_columns(
        where=pl.col("population")
        + pl.when(pl.col("clusters") < pl.col("failures"))
        .then(pl.lit(", in tasks"))
        .otherwise(pl.lit(""))
    )
    places = {name: -place for place, name in enumerate(found["where"].unique(maintain_order=True))}
    methods = series(sorted(set(found["method"])))
    sizes = found["failures"].unique().sort().to_list()
    figure = new_figure(0.36 * len(places) + 1.1)
    grid = figure.subplots(1, len(sizes), sharey=True, sharex=True, squeeze=False)[0]
    for axes, size in zip(grid, sizes, strict=True):
        axes.axvspan(0.0, float(found["target_high"][0]), color=SHADE, zorder=0)
        axes.axvline(0.05, color=MUTED, linewidth=0.8, linestyle="--", zorder=1)
        for number, (method, (colour, marker)) in enumerate(methods.items()):
            part = found.filter(failures=size, method=method)
            aside = shift(number, len(methods))
            axes.errorbar(
                part["value"], [places[name] - aside for name in part["where"]],
                xerr=2 * part["mc_error"], color=colour, marker=marker, markersize=4,
                linestyle="", linewidth=0.9, label=method,
            )  # fmt: skip
        axes.set_title(f"{size} failures")
    grid[0].set_yticks(list(places.values()), list(places))
    grid[0].set_ylim(-len(places) + 0.4, 0.6)
    grid[0].set_xlim(left=0.0)
    figure.supxlabel("family-wise error (nominal 0.05)", fontsize=8)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=min(2, len(labels)))
    return figure


def caption(rows: pl.DataFrame) -> str:
    found = of_check(rows, ERRORS)
    wrong = of_check(rows, ERRORS, contrast=True)
    text = (
        "Share of replicated studies in which Holm's procedure rejects a true null among eight "
        f"tests, with two Monte Carlo errors; the band is the target, {target_of(found)}, the "
        "dashed line the nominal level. In direction less the test is that an evaluator gains."
    )
    if wrong.height:
        low, high = float(str(wrong["value"].min())), float(str(wrong["value"].max()))
        text += f" Without the correction it is {decimal(low, 2)} to {decimal(high, 2)}."
    return text
