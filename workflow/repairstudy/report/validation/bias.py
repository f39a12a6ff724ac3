"""Bias against the number of own rollouts, and of every other estimator."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from repairstudy.report.numbers import decimal
from repairstudy.report.style import legend_columns, new_figure, series, styled
from repairstudy.report.validation.drawing import band, shift, target_of
from repairstudy.report.validation.rows import BIAS, of_check

TITLE, CHECK = "Bias of estimators", BIAS
EXACT = "cross-fit, exact"


@styled
def draw(rows: pl.DataFrame) -> Figure:
    """Left the exact cross-fit value by own rollouts; right every other estimator."""
    found = of_check(rows, BIAS)
    curve = found.filter(method=EXACT, quantity="value").sort("own_rollouts")
    others = found.join(curve, on=["population", "method", "quantity", "own_rollouts"], how="anti")
    keys = others.select("method", "quantity", "own_rollouts").unique(maintain_order=True)
    marks = series(sorted(set(found["population"])))
    figure = new_figure(max(3.0, 0.155 * keys.height + 0.9))
    left, right = figure.subplots(1, 2, width_ratios=[1, 1])
    for axes in (left, right):
        band(axes, found, horizontal=axes is left)
    for number, (population, (colour, marker)) in enumerate(marks.items()):
        aside = shift(number, len(marks))
        part = curve.filter(population=population)
        left.errorbar(
            part["own_rollouts"].to_numpy() + aside, part["value"], yerr=2 * part["mc_error"],
            color=colour, marker=marker, markersize=3.5, linewidth=0.9, label=population,
        )  # fmt: skip
        places = {key: -place for place, key in enumerate(keys.iter_rows())}
        mine = others.filter(population=population)
        where = [
            places[row["method"], row["quantity"], row["own_rollouts"]] - aside
            for row in mine.iter_rows(named=True)
        ]
        right.errorbar(
            mine["value"], where, xerr=2 * mine["mc_error"], color=colour, marker=marker,
            markersize=3.5, linestyle="", linewidth=0.9,
        )  # fmt: skip
    left.set(xlabel="own rollouts that select", ylabel="bias of the cross-fit value")
    right.xaxis.set_major_locator(MaxNLocator(4))
    left.set_xticks(curve["own_rollouts"].unique().sort())
    right.set_xlabel("bias")
    right.set_yticks([-place for place in range(keys.height)], [_label(*k) for k in keys.rows()])
    right.set_ylim(-keys.height + 0.4, 0.6)
    right.tick_params(axis="y", labelsize=6.5, length=0)
    figure.legend(
        *left.get_legend_handles_labels(), loc="outside upper right",
        ncols=legend_columns(list(marks)),
    )  # fmt: skip
    return figure


def caption(rows: pl.DataFrame) -> str:
    found = of_check(rows, BIAS)
    wrong = of_check(rows, BIAS, contrast=True)
    text = (
        "Mean error against exact values, with two Monte Carlo errors to either side; the band is "
        f"the target, {target_of(found)}. Left: value of selection by so many own rollouts. Right: "
        "sampled splits, acceptance rules, evaluators, losses and their parts, equivalent budgets, "
        "and choices of position and candidate together."
    )
    if wrong.height:
        low, high = wrong["value"].min(), wrong["value"].max()
        text += (
            f" Not shown: {wrong.height} wrong ways, off by {decimal(float(str(low)), 3)} to "
            f"{decimal(float(str(high)), 3)}."
        )
    return text


def _label(method: str, quantity: str, own_rollouts: int | None) -> str:
    short = quantity.replace("net gain across positions", "across positions")
    short = short.replace("value of so many own rollouts", "").replace("value", "")
    by = "" if own_rollouts is None else f" ({own_rollouts})"
    return f"{method}{', ' if short else ''}{short}{by}"
