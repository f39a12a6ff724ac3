"""Selection loss of every evaluator with its interval: the main figure of a study."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, bars, described, losers
from repairstudy.report.figures.panels import (
    draw_panels,
    evaluator_lines,
    kind_colour,
    mark_of,
    pool_panel,
    status_keys,
)
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.study import study_of
from repairstudy.report.style import styled
from repairstudy.report.wording import counted, sentence, some_of

TITLE = "Selection losses at the primary position"
ANALYSIS = "losses"


def available(frames: Frames, analysis: str = ANALYSIS) -> bool:
    return statistics(frames, analysis, "loss")["estimate"].count() > 0


@styled
def draw(frames: Frames, analysis: str = ANALYSIS) -> Figure:
    """A panel a pool, a row an evaluator, grouped by kind; right of zero the evaluator loses."""
    rows = statistics(frames, analysis, "loss").filter(pl.col("evaluator") != "matched")
    study = study_of(frames)
    panels = [
        pool_panel(
            pool,
            [
                mark_of(row, row["evaluator"], kind_colour(row["evaluator"]))
                for row in rows.filter(pl.col("pool") == pool.name).iter_rows(named=True)
            ],
        )
        for pool in study.pools
    ]
    return draw_panels(
        evaluator_lines(rows["evaluator"].to_list()),
        panels,
        f"selection loss ({study.unit}): matched selection minus the evaluator's",
        status_keys(panels),
    )


def caption(frames: Frames, analysis: str = ANALYSIS) -> Caption:
    rows = statistics(frames, analysis, "loss").filter(pl.col("evaluator") != "matched")
    study = study_of(frames)
    matched = study.matched_rollouts
    return described(
        [
            *(losers(rows, pool, without=f"own_{matched}") for pool in study.pools),
            _tested(rows),
        ],
        [
            "A mark is what it costs to let that evaluator choose the repair: the held-out value "
            f"of matched selection minus that of the evaluator's selection, in {study.unit}. Right "
            "of the line the evaluator loses; on it, it does as well as choice by the deployed "
            f"executor's own {counted(matched, 'rollout')}. An evaluator is said to lose if "
            "its whole interval is right of the line.",
            bars(study),
            "A star: above zero after Holm's correction within its family of tests.",
        ],
        rows,
        study,
    )


def _tested(rows: pl.DataFrame) -> str:
    planned = rows.filter("confirmatory")
    rejected = int(planned["reject"].fill_null(False).sum())
    did = some_of(
        rejected, planned.height, "pre-specified loss", "is", "are", "pre-specified losses"
    )
    return sentence(f"after Holm's correction {did} above zero") if planned.height else ""
