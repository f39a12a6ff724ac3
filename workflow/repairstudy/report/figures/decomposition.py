"""Target and budget parts of the losses, at the evaluator's own number of rollouts."""

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
from repairstudy.report.study import study_of
from repairstudy.report.style import styled

TITLE = "Losses split into their target and budget parts"
PARTS = {
    "loss": loss_part("loss"),
    "target_loss": first_part("target part, at equal rollouts"),
    "budget_loss": second_part("budget part, own rollouts alone"),
}


def available(frames: Frames) -> bool:
    return _parts(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """A row an evaluator with rollouts: its loss and the two parts that add up to it."""
    study, parts = study_of(frames), _parts(frames)
    losses = statistics(frames, "losses", "loss").join(parts, on=["pool", "evaluator"], how="semi")
    return draw_parts(
        study, pl.concat([parts, losses]), PARTS, f"loss and its parts ({study.unit})"
    )


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _parts(frames)
    return described(
        [above_zero(rows, pool, "target_loss", "target part") for pool in study.pools],
        [
            "An evaluator's loss (stroke) is the sum of two parts. Target: what selection loses by "
            "the evaluator's rollouts instead of as many of the deployed executor's. Budget: what "
            "so many own rollouts lose against matched selection; below zero where the evaluator "
            "has more rollouts than matched selection.",
            bars(study),
        ],
        rows,
        study,
    )


def _parts(frames: Frames) -> pl.DataFrame:
    return statistics(frames, "decomposition", "target_loss", "budget_loss").drop_nulls("estimate")
