"""Controls: what must differ from zero in an informative pool, and what must not."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repairstudy.report.captions import bars, estimate, firmness, join
from repairstudy.report.figures.panels import (
    Line,
    Mark,
    draw_panels,
    mark_of,
    pool_panel,
    status_keys,
)
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import OTHER_SEEDS
from repairstudy.report.numbers import decimal
from repairstudy.report.study import Pool, study_of
from repairstudy.report.style import BLUE, MUTED, ORANGE, styled
from repairstudy.report.text import one_line

TITLE = "Positive and negative controls"
LINES = [
    Line("heading positive", "Positive control", heading=True),
    Line("gap", "matched minus random"),
    Line("heading negative", "Negative controls", heading=True),
    Line("shuffled", "shuffled candidates"),
    Line("original", "original against itself"),
    Line("seeds", "own rollouts, other seeds"),
]


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: the gap against its threshold, and three quantities that are truly zero."""
    study, rows = study_of(frames), _rows(frames)
    panels = [
        pool_panel(pool, _marks(rows.filter(pl.col("pool") == pool.name))) for pool in study.pools
    ]
    threshold = Line2D([], [], color=ORANGE, linestyle="--", linewidth=1.0)
    threshold.set_label(f"threshold {decimal(study.threshold)}")
    known = [line for line in LINES if line.heading or line.key in _keys(rows)]
    figure = draw_panels(
        known, panels, study.unit, [*status_keys(panels), threshold], row_height=0.2
    )
    for axes in figure.axes:
        axes.plot([study.threshold] * 2, [-1.45, -0.55], color=ORANGE, linestyle="--", linewidth=1)
    return figure


def caption(frames: Frames) -> str:
    study, rows = study_of(frames), _rows(frames)
    gaps = {row["pool"]: row for row in rows.filter(analysis="positive_control").to_dicts()}
    return join(
        [
            "A pool is informative if matched selection beats random choice by at least "
            f"{decimal(study.threshold)}; the losses of other pools are no evidence. The negative "
            "controls are zero if nothing is wrong: the gap after each position's rollouts were "
            "dealt out to its candidates at random, the original action against itself, and the "
            "loss of the deployed executor's own rollouts with other seeds.",
            *(_sentence(pool, gaps.get(pool.name)) for pool in study.pools),
            bars(study),
            firmness(rows),
        ]
    )


def _sentence(pool: Pool, gap: dict[str, object] | None) -> str:
    if gap is None:
        return ""
    verdict = "uninformative" if pool.informative is False else "informative"
    return f"{one_line(pool.name)} ({pool.n_failures} failures): {estimate(gap)}, {verdict}."


def _rows(frames: Frames) -> pl.DataFrame:
    return pl.concat(
        [
            statistics(frames, "positive_control", "control_gap"),
            statistics(frames, "negative_control"),
        ]
    ).drop_nulls("estimate")


def _key(row: dict[str, object]) -> str:
    if row["analysis"] == "positive_control":
        return "gap"
    name = str(row["evaluator"])
    return "seeds" if name.endswith(OTHER_SEEDS) else name


def _keys(rows: pl.DataFrame) -> set[str]:
    return {_key(row) for row in rows.to_dicts()}


def _marks(rows: pl.DataFrame) -> list[Mark]:
    known = {line.key for line in LINES}
    return [
        mark_of(row, _key(row), BLUE if _key(row) == "gap" else MUTED, starred=False)
        for row in rows.to_dicts()
        if _key(row) in known
    ]
