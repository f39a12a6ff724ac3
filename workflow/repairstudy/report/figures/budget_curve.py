"""Value against own rollouts, and what each evaluator is worth in them."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from repairstudy.report.captions import Caption, described, within
from repairstudy.report.counts import largest_budget
from repairstudy.report.figures.panels import kind_colour
from repairstudy.report.figures.pool_curves import pool_axes
from repairstudy.report.figures.spread import spread
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import BUDGET, TARGET, evaluator, in_order
from repairstudy.report.numbers import decimal, percent
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import INK, PAPER, plain, styled
from repairstudy.report.wording import counted, some_of

TITLE = "Value of own rollouts, and what each evaluator is worth in them"
LABEL_POINTS = 8.2  # height of one label
AXES_POINTS = 148.0  # height of an axes in this figure, about


def available(frames: Frames) -> bool:
    return _curves(frames)["estimate"].count() > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: the curve of own rollouts, each evaluator where its value meets the curve."""
    study = study_of(frames)
    curves = _curves(frames)
    figure, panels = pool_axes(study, set(curves["pool"]), 2, 2.75, sharex=True)
    for pool, axes in panels:
        _draw_curve(axes, curves.filter(pl.col("pool") == pool.name))
    for pool, axes in panels:
        _draw_evaluators(axes, _worth(frames, pool.name), largest_budget(frames))
    figure.supxlabel("own rollouts a candidate (0: random choice)", fontsize=8)
    figure.supylabel(f"held-out net gain ({study.unit})", fontsize=8)
    return figure


def caption(frames: Frames) -> Caption:
    study = study_of(frames)
    rows = statistics(frames, "budget_curve", "equivalent_budget", "net_gain")
    return described(
        [_sentence(frames, pool) for pool in study.pools],
        [
            "Thick curve: held-out net gain of choosing a candidate by so many rollouts of the "
            f"deployed executor itself, with {percent(study.level)} intervals over failures; each "
            "panel has its own scale. Each other evaluator's net gain is a horizontal line; the "
            "dot where it meets the curve is its equivalent budget, the number beside its name: "
            "the own rollouts a candidate that are worth as much. A triangle on the left edge: "
            "worth less than random choice; on the right edge: more than the largest budget of "
            "the curve. Intervals are wide because failures differ; the paired losses of the "
            "other figures leave that out.",
        ],
        rows,
        study,
    )


def _sentence(frames: Frames, pool: Pool) -> str:
    """Both ends of a pool's curve, and how many evaluators are worth less than one rollout."""
    curve = _curves(frames).filter(pl.col("pool") == pool.name).drop_nulls("estimate")
    if curve.height < 2:
        return ""
    first, last = curve.row(0, named=True), curve.row(-1, named=True)
    ends = (
        f"{within(pool)} {_choice(first['rollouts'])} gains {decimal(first['estimate'])} and "
        f"{_choice(last['rollouts'])} {decimal(last['estimate'])}"
    )
    worth = _worth(frames, pool.name)
    if not worth:
        return f"{ends}."
    few = sum(row["estimate"] < 1.0 for row in worth)
    did = some_of(few, len(worth), "other evaluator", "is", "are")
    return f"{ends}; {did} worth less than one own rollout a candidate."


def _choice(rollouts: int) -> str:
    return counted(rollouts, "own rollout") if rollouts else "random choice"


def _curves(frames: Frames) -> pl.DataFrame:
    rows = statistics(frames, "budget_curve", "net_gain")
    number = pl.col("evaluator").str.extract(r"^own_(\d+)$").cast(pl.Int64)
    return rows.with_columns(rollouts=number).drop_nulls("rollouts").sort("pool", "rollouts")


def _worth(frames: Frames, pool: str) -> list[dict[str, Any]]:
    """Evaluators with a value and an equivalent budget, the highest value first."""
    gains = statistics(frames, "losses", "net_gain", pool=pool).select(
        "evaluator", value="estimate"
    )
    worth = statistics(frames, "equivalent_budget", "equivalent_budget", pool=pool)
    rows = worth.join(gains, on="evaluator").drop_nulls(["value", "estimate"])
    kinds = {item.name: item.kind for item in in_order(rows["evaluator"].to_list())}
    rows = rows.filter(
        pl.col("evaluator").is_in([n for n, kind in kinds.items() if kind in (TARGET, BUDGET)])
    )
    return list(rows.sort("value", "evaluator").iter_rows(named=True))


def _draw_curve(axes: Axes, curve: pl.DataFrame) -> None:
    x, y = curve["rollouts"], curve["estimate"]
    known = curve.drop_nulls(["ci_low", "ci_high"])
    axes.fill_between(
        known["rollouts"], known["ci_low"], known["ci_high"], color=INK, alpha=0.10, linewidth=0
    )
    axes.plot(x, y, color=INK, marker="o", markersize=3.5, zorder=4)
    axes.set_xticks(x)
    axes.xaxis.set_tick_params(labelbottom=True)


def _draw_evaluators(axes: Axes, rows: list[dict[str, Any]], largest: int) -> None:
    bottom, top = axes.get_ylim()
    values = [row["value"] for row in rows]
    bottom = min([bottom, *(value - 0.01 for value in values)])
    top = max([top, *(value + 0.01 for value in values)])
    axes.set_ylim(bottom, top)
    places = spread(values, (top - bottom) * LABEL_POINTS / AXES_POINTS, bottom, top)
    for row, place in zip(rows, places, strict=True):
        _draw_evaluator(axes, row, place, largest)
    axes.set_xlim(-0.4, largest + 0.4)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _draw_evaluator(axes: Axes, row: dict[str, Any], place: float, largest: int) -> None:
    colour, value, worth = kind_colour(row["evaluator"]), row["value"], row["estimate"]
    x = min(max(worth, 0.0), float(largest))
    marker = "o" if math.isfinite(worth) else "<" if worth < 0 else ">"
    axes.plot([x, largest + 0.4], [value, value], color=colour, linewidth=0.7, alpha=0.75, zorder=2)
    axes.plot(
        x, value, marker=marker, color=colour, markerfacecolor=PAPER, markersize=4.5, zorder=5
    )
    label = plain(evaluator(row["evaluator"]).label, 36)
    number = decimal(worth, 1) if math.isfinite(worth) else "<0" if worth < 0 else f">{largest}"
    beside = axes.get_yaxis_transform()  # x in shares of the axes, y in data
    axes.plot(
        [1, 1.06], [value, place], transform=beside, color=colour, linewidth=0.5, clip_on=False
    )
    axes.text(
        1.07, place, f"{label}  {number}", transform=beside, color=colour, fontsize=7, va="center"
    )
