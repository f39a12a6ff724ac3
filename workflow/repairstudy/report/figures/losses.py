"""Selection loss of every evaluator with its interval: the main figure of a study."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import (
    bars,
    behind,
    firmness,
    join,
    largest_by_pool,
    rollouts_behind,
)
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


def caption(frames: Frames, analysis: str = ANALYSIS) -> str:
    rows = statistics(frames, analysis, "loss").filter(pl.col("evaluator") != "matched")
    study = study_of(frames)
    planned = rows.filter("confirmatory")
    rejected = int(planned["reject"].fill_null(False).sum())
    return join(
        [
            "What it costs to let each evaluator choose the repair: the held-out value of matched "
            f"selection minus that of the evaluator's selection, in {study.unit}. Right of the "
            "line the evaluator loses; on it, it does as well as the deployed executor's own "
            f"{study.plan.get('matched_rollouts', 5)} rollouts.",
            bars(study),
            largest_by_pool(
                rows.filter(pl.col("evaluator") != "random"), study, "The largest loss:"
            ),
            f"Above zero after Holm's correction within the families (stars): {rejected} of "
            f"{planned.height} pre-specified losses."
            if planned.height
            else "",
            firmness(rows),
            behind(study),
            rollouts_behind(rows),
        ]
    )
