"""Value of few own rollouts with and without cheap scores as a prior."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, described, estimate, within
from repairstudy.report.figures.pool_curves import pool_curves
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.numbers import percent
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import BLUE, INK, ORANGE, styled

TITLE = "Cheap scores as a prior for few own rollouts"
CURVES = {
    "own": ("own rollouts alone", INK, "o", 0.0),
    "hybrid": ("prior and own rollouts", BLUE, "s", 0.07),
    "control_variate": ("control variate", ORANGE, "^", -0.07),
}


def available(frames: Frames) -> bool:
    return _curves(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: three curves over the number of own rollouts, with their intervals."""
    study = study_of(frames)
    return pool_curves(
        study, _curves(frames), _draw_pool, "own rollouts a candidate",
        f"held-out net gain ({study.unit})", 3, 2.3, sharex=True, sharey=True,
    )  # fmt: skip


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), statistics(frames, "hybrid")
    return described(
        [_sentence(frames, pool) for pool in study.pools],
        [
            "Held-out net gain of choosing by so many own rollouts of each candidate. Circles: by "
            "them alone; none is random choice. Squares: by the posterior mean, whose prior is a "
            "regression of the outcomes on every cheap score of the study (other executors' rates, "
            "greedy replay, judge, planner), fitted on failures of other tasks. Triangles: by the "
            "rollouts' mean and a linear prediction from the same scores, in the proportion with "
            "the least expected squared error. Where these two curves are higher, the scores "
            "know something that the rollouts do not tell yet; where they meet the first, the "
            "scores are worth nothing. The rollouts that evaluate helped neither to choose nor to "
            f"fit the prior. Bars are {percent(study.level)} intervals over failures.",
        ],
        rows,
        study,
    )


def _sentence(frames: Frames, pool: Pool) -> str:
    rows = statistics(frames, "hybrid", "gain_over_own", pool=pool.name).filter(
        evaluator="hybrid@1"
    )
    if rows.is_empty() or rows["estimate"][0] is None:
        return ""
    return f"{within(pool)} the prior adds {estimate(rows.row(0, named=True))} to one own rollout."


def _curves(frames: Frames) -> pl.DataFrame:
    parts = pl.col("evaluator").str.split("@")
    return (
        statistics(frames, "hybrid", "net_gain")
        .with_columns(kind=parts.list.first(), rollouts=parts.list.last().cast(pl.Int64))
        .drop_nulls("estimate")
        .sort("pool", "kind", "rollouts")
    )


def _draw_pool(axes: Axes, table: pl.DataFrame) -> None:
    for kind, (label, colour, marker, beside) in CURVES.items():
        curve = table.filter(pl.col("kind") == kind)
        x = curve["rollouts"] + beside
        axes.plot(x, curve["estimate"], color=colour, marker=marker, markersize=4, label=label)
        known = curve.drop_nulls(["ci_low", "ci_high"])
        axes.vlines(
            known["rollouts"] + beside, known["ci_low"], known["ci_high"], color=colour,
            linewidth=0.8,
        )  # fmt: skip
    axes.set_xticks(sorted(set(table["rollouts"])))
    axes.xaxis.set_tick_params(labelbottom=True)
