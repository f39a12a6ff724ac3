"""Estimated against exact net gain of every evaluator, where action probabilities are known."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, bars, described
from repairstudy.report.figures.panels import (
    Mark,
    draw_panels,
    evaluator_lines,
    key_to,
    kind_colour,
    mark_of,
    pool_panel,
)
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.numbers import decimal
from repairstudy.report.study import study_of
from repairstudy.report.style import INK, styled
from repairstudy.report.wording import sentence, some_of

TITLE = "Estimated against exact net gain"


def available(frames: Frames) -> bool:
    return _exact(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A row an evaluator: the estimate with its interval, and the exact value beside it."""
    study, exact = study_of(frames), _exact(frames)
    pools = [pool for pool in study.pools if pool.name in set(exact["pool"])]
    estimated = statistics(frames, "losses", "net_gain")
    panels = [
        pool_panel(
            pool,
            [
                *_estimates(estimated.filter(pl.col("pool") == pool.name)),
                *_truths(exact.filter(pl.col("pool") == pool.name)),
            ],
        )
        for pool in pools
    ]
    names = [*exact["evaluator"].to_list(), *estimated["evaluator"].to_list()]
    keys = [
        key_to("estimated from rollouts", filled=False),
        key_to("exact, by dynamic programming", marker="|"),
    ]
    return draw_panels(evaluator_lines(names), panels, f"net gain ({study.unit})", keys)


def caption(frames: Frames) -> Caption:
    study = study_of(frames)
    return described(
        [_agreement(frames)],
        [
            "Circles: net gain of each evaluator's selection, estimated from rollouts. Strokes: "
            "the exact net gain on the same failures, by dynamic programming over the executor's "
            "stored action distributions.",
            bars(study),
            "The intervals are over failures, which estimate and exact value share, so nearly all "
            "exact values should lie within them; evaluators of a pool share its rollouts and miss "
            "together.",
        ],
        _exact(frames),
        study,
    )


def _agreement(frames: Frames) -> str:
    """How many exact values lie within the interval of their estimate, and how far they are."""
    pairs = _exact(frames).join(
        statistics(frames, "losses", "net_gain").drop_nulls(["ci_low", "ci_high"]),
        on=["pool", "evaluator"],
        suffix="_estimated",
    )
    if pairs.is_empty():
        return ""
    low, high = pl.col("ci_low_estimated"), pl.col("ci_high_estimated")
    held = pairs.filter(pl.col("estimate").is_between(low, high)).height
    gap = float((pairs["estimate"] - pairs["estimate_estimated"]).abs().to_numpy().mean())
    did = some_of(held, pairs.height, "exact value", "lies", "lie")
    return sentence(
        f"{did} inside the interval estimated from rollouts; the mean distance is {decimal(gap, 3)}"
    )


def _exact(frames: Frames) -> pl.DataFrame:
    return statistics(frames, "exact", "exact_net_gain").drop_nulls("estimate")


def _estimates(rows: pl.DataFrame) -> list[Mark]:
    found: list[dict[str, Any]] = list(rows.iter_rows(named=True))
    return [
        mark_of(row, row["evaluator"], kind_colour(row["evaluator"]), filled=False, starred=False)
        for row in found
    ]


def _truths(rows: pl.DataFrame) -> list[Mark]:
    return [
        Mark(row["evaluator"], row["estimate"], colour=INK, marker="|", size=9.0)
        for row in rows.iter_rows(named=True)
    ]
