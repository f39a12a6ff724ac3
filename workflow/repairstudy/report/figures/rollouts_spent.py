"""Value against the rollouts spent on a position, one curve a way of allocating them."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from repairstudy.report.adaptive_section import UNIFORM, gains, spending
from repairstudy.report.captions import Caption, described, estimate, within
from repairstudy.report.figures.pool_curves import pool_curves
from repairstudy.report.frames import Frames
from repairstudy.report.numbers import decimal
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PAPER,
    PURPLE,
    styled,
)

TITLE = "Value against rollouts spent, all methods"
CURVES = {
    UNIFORM: ("uniform", INK, "o"),
    "perfect_information": ("perfect information", BLUE, "s"),
    "top_two": ("top two", ORANGE, "^"),
    "kl_lucb": ("KL-LUCB", PURPLE, "v"),
    "successive_rejects": ("successive rejects", AMBER, "D"),
    "hybrid": ("hybrid", GREEN, "P"),
}


def available(frames: Frames) -> bool:
    return spending(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: fixed budgets as full curves, stops by opportunity cost as dashed ones."""
    study = study_of(frames)
    return pool_curves(
        study, spending(frames), _draw_pool, "rollouts of a position, on average",
        f"held-out net gain ({study.unit})", 2, 2.7,
    )  # fmt: skip


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), gains(frames)
    return described(
        [_sentence(pool, spending(frames)) for pool in study.pools],
        [
            "How good a choice is after how many rollouts of the deployed executor; each panel has "
            "its own scales. Uniform: the same number of rollouts for every candidate; the first "
            "point is random choice. The others are rules that see the outcomes so far and decide "
            "which candidate to roll out next. Full lines spend a fixed budget at each position; "
            "dashed lines with hollow marks stop where the expected opportunity cost is small "
            "enough, so that easy positions take fewer. Further left at equal height is better. "
            "Every rule is replayed on the stored rollouts in random orders; it may draw at most "
            "half of each candidate's, and its choice is valued by rollouts that it did not draw. "
            "Its curve ends where it has drawn all that it may. Hybrid: as many rollouts of every "
            "candidate on top of a prior from cheap scores, whose own cost is not counted here. "
            "Intervals over failures are wider than the panels, since failures differ more than "
            "methods do on the same failures; they are in the table.",
        ],
        rows,
        study,
    )


def _sentence(pool: Pool, table: pl.DataFrame) -> str:
    """The dearest stop of the rule of perfect information beside uniform allocation."""
    mine = table.filter(pool=pool.name)
    uniform = mine.filter((pl.col("rule") == UNIFORM) & (pl.col("setting") == 5))
    early = mine.filter((pl.col("rule") == "perfect_information") & pl.col("stops"))
    if uniform.is_empty() or early.is_empty():
        return ""
    fixed, last = uniform.row(0, named=True), early.sort("spent").row(-1, named=True)
    return (
        f"{within(pool)} 5 rollouts of each candidate ({decimal(fixed['spent'], 1)} a "
        f"position) gain {estimate(fixed)}; the rule of perfect information gains "
        f"{decimal(last['estimate'])} with {decimal(last['spent'], 1)}, stopping at a cost of "
        f"{last['setting']:g}."
    )


def _draw_pool(axes: Axes, table: pl.DataFrame) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    for rule, (label, colour, marker) in CURVES.items():
        for stops in (False, True):
            curve = table.filter((pl.col("rule") == rule) & (pl.col("stops") == stops))
            if curve.height:
                curve = curve.sort("spent")
                axes.plot(
                    curve["spent"], curve["estimate"], color=colour, marker=marker, markersize=3.5,
                    linewidth=1.0, linestyle="--" if stops else "-",
                    markerfacecolor=PAPER if stops else colour,
                    label=label + ", stopping" * stops,
                )  # fmt: skip
