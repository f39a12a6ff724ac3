"""True target mismatch against an evaluator's own sampling noise, from exact values."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, bars, described
from repairstudy.report.figures.parts import (
    above_zero,
    draw_parts,
    first_part,
    loss_part,
    second_part,
)
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import TARGET, evaluator
from repairstudy.report.study import study_of
from repairstudy.report.style import styled

TITLE = "Exact losses split into target mismatch and evaluator noise"
PARTS = {
    "exact_loss": loss_part("exact loss"),
    "true_target_loss": first_part("target mismatch (unlimited rollouts)"),
    "evaluator_noise": second_part("noise (few rollouts)"),
}


def available(frames: Frames) -> bool:
    return _rows(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A row an evaluator that samples: its exact loss and the two parts that add up to it."""
    study = study_of(frames)
    return draw_parts(study, _rows(frames), PARTS, f"exact loss and its parts ({study.unit})")


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    return described(
        [
            above_zero(
                rows, pool, "true_target_loss", "target mismatch", plural="target mismatches"
            )
            for pool in study.pools
        ],
        [
            "An evaluator's exact loss (stroke) is the sum of two parts. Target mismatch: what is "
            "still lost with unlimited rollouts of the evaluator, because it measures another "
            f"executor's {study.metric}; below zero it does better than matched selection, which "
            "has only its few rollouts. Evaluator noise: what its limited number of rollouts adds.",
            bars(study),
        ],
        rows,
        study,
    )


def _rows(frames: Frames) -> pl.DataFrame:
    """Parts of the loss, of evaluators with another target that have both."""
    rows = statistics(frames, "exact", *PARTS).drop_nulls("estimate")
    targets = [name for name in rows["evaluator"].unique() if evaluator(name).kind == TARGET]
    rows = rows.filter(pl.col("evaluator").is_in(targets))
    # Without rollouts of its own an evaluator has no noise: nothing to split.
    noisy = rows.filter((pl.col("estimand") == "evaluator_noise") & (pl.col("estimate") != 0.0))
    return rows.join(noisy, on=["pool", "evaluator"], how="semi")
