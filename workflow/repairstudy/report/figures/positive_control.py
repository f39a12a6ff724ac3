"""Controls: what must differ from zero in an informative pool, and what must not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repairstudy.report.captions import Caption, bars, described, estimate
from repairstudy.report.controls import controls_tally
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
from repairstudy.report.wording import sentence, some_of

TITLE = "Positive and negative controls"
LINES = [
    Line("heading positive", "Positive control", heading=True),
    Line("gap", "matched minus random"),
    Line("heading negative", "Negative controls", heading=True),
    Line("shuffled", "shuffled candidates"),
    Line("original", "original against itself"),
    Line("seeds", "own rollouts, other seeds"),
    Line("exact_values", "rollouts minus exact values"),
]


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A panel a pool: the gap against its threshold, and quantities that are truly zero."""
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


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    gaps = {row["pool"]: row for row in rows.filter(analysis="positive_control").to_dicts()}
    return described(
        [_passed(study.pools, gaps), controls_tally(frames)],
        [
            "A pool is informative if matched selection beats random choice by at least "
            f"{decimal(study.threshold)}; the losses of other pools are no evidence. The negative "
            "controls are zero if nothing is wrong: the gap after each position's rollouts were "
            "dealt out to its candidates at random, the original action against itself, the loss "
            "of the deployed executor's own rollouts with other seeds, and, where they are known, "
            "mean outcomes minus exact values.",
            bars(study),
        ],
        rows,
        study,
    )


def _passed(pools: Sequence[Pool], gaps: Mapping[str, Mapping[str, Any]]) -> str:
    """How many pools are informative, and by how much matched selection beats random choice."""
    known = [pool for pool in pools if pool.name in gaps and pool.informative is not None]
    if not known:
        return ""
    passed = sum(bool(pool.informative) for pool in known)
    did = some_of(passed, len(known), "pool", "passes", "pass")
    shown = "; ".join(f"{one_line(pool.name)} {estimate(gaps[pool.name])}" for pool in known)
    return sentence(f"{did} the positive control: {shown}")


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
