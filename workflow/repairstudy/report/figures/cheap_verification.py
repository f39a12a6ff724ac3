"""What is lost with few own rollouts: when cheap verification is enough."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repairstudy.report.captions import LOSS_PLACES, Caption, described, estimate, within
from repairstudy.report.figures.pool_curves import pool_curves
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.numbers import percent
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import BLUE, INK, MUTED, ORANGE, PAPER, styled
from repairstudy.report.wording import counted

TITLE = "Cheap verification: what is lost with few own rollouts"
# Rules that spend own rollouts of each candidate otherwise: how many, and how they are drawn.
RULES = {
    "flip_1": (1, "single-replay flip", ORANGE, "s", 0.13),
    "accept_2_of_3": (3, "2-of-3 acceptance", ORANGE, "D", 0.13),
    "greedy": (1, "greedy replay (temperature 0)", BLUE, "^", 0.26),
}
CURVE = ("own rollouts, highest mean", INK, "o")
TOLD = (1, 3)  # own rollouts of which the caption speaks


def available(frames: Frames) -> bool:
    return _curve(_rows(frames)).filter(pl.col("rollouts") > 0).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: loss over the own rollouts of each candidate, paired intervals."""
    study = study_of(frames)
    return pool_curves(
        study, _rows(frames), _draw_pool, "own rollouts a candidate (0: random choice)",
        f"selection loss ({study.unit})", 3, 2.05, sharex=True, sharey=True,
    )  # fmt: skip


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    matched = study.matched_rollouts
    return described(
        [_sentence(rows, pool, matched) for pool in study.pools],
        [
            "Line: the selection loss of choosing the candidate with the highest mean of so many "
            f"own rollouts, against {counted(matched, 'own rollout')}; at 0 rollouts, of "
            "random choice. It falls to zero where more rollouts would choose no better. Other "
            "marks: rules that spend one or three rollouts of a candidate otherwise. "
            f"{percent(study.level)} intervals over failures are those of the difference, in which "
            "what makes failures differ cancels. Filled: confirmatory; hollow: exploratory.",
        ],
        rows,
        study,
    )


def _sentence(rows: pl.DataFrame, pool: Pool, matched: int) -> str:
    """What few own rollouts lose, and how much of the gain over random choice they keep."""
    mine = _curve(rows.filter(pl.col("pool") == pool.name))
    losses = {row["rollouts"]: row for row in mine.to_dicts()}
    parts = [_part(losses, number) for number in TOLD if number in losses and number < matched]
    return f"{within(pool)} {'; '.join(parts)}." if parts else ""


def _part(losses: dict[int, dict[str, Any]], number: int) -> str:
    row, random, s = losses[number], losses.get(0), "s" * (number == 1)
    text = f"{counted(number, 'own rollout')} lose{s} {estimate(row, LOSS_PLACES)}"
    if random is None or random["estimate"] <= 0:
        return text
    kept = percent(round(1 - row["estimate"] / random["estimate"], 2))
    return f"{text} and keep{s} {kept} of the gain over random choice"


def _rows(frames: Frames) -> pl.DataFrame:
    """Losses of own rollouts, of random choice (0 of them) and of the rules, with their cost."""
    spent = {"random": 0} | {name: rule[0] for name, rule in RULES.items()}
    known = pl.col("evaluator").replace_strict(spent, default=None, return_dtype=pl.Int64)
    own = pl.col("evaluator").str.extract(r"^own_(\d+)$").cast(pl.Int64)
    rows = statistics(frames, "losses", "loss").drop_nulls("estimate")
    return rows.with_columns(rollouts=pl.coalesce(own, known)).drop_nulls("rollouts")


def _curve(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of the line, by rollouts."""
    return rows.filter(~pl.col("evaluator").is_in(list(RULES))).sort("rollouts")


def _draw_pool(axes: Axes, rows: pl.DataFrame) -> None:
    label, colour, marker = CURVE
    curve = _curve(rows)
    axes.axhline(0, color=MUTED, linewidth=0.9, zorder=1)
    axes.plot(curve["rollouts"], curve["estimate"], color=colour, zorder=2)
    for row in curve.to_dicts():
        _draw_mark(axes, row, row["rollouts"], colour, marker, label)
        label = "_nolegend_"
    for row in rows.filter(pl.col("evaluator").is_in(list(RULES))).to_dicts():
        spent, name, colour, marker, beside = RULES[row["evaluator"]]
        _draw_mark(axes, row, spent + beside, colour, marker, name)
    axes.set_xticks(curve["rollouts"])
    axes.xaxis.set_tick_params(labelbottom=True)


def _draw_mark(
    axes: Axes, row: dict[str, Any], x: float, colour: str, marker: str, label: str
) -> None:
    if row["ci_low"] is not None and row["ci_high"] is not None:
        axes.vlines(x, row["ci_low"], row["ci_high"], color=colour, linewidth=1.0, zorder=3)
    axes.plot(
        x, row["estimate"], linestyle="", marker=marker, markersize=4.5, color=colour, label=label,
        markerfacecolor=colour if row["confirmatory"] else PAPER, zorder=4,
    )  # fmt: skip
