"""Which negative controls of a study were run, and how they came out."""

from __future__ import annotations

import polars as pl

from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import OTHER_SEEDS
from repairstudy.report.study import study_of
from repairstudy.report.warnings import FAILED
from repairstudy.report.wording import counted, listed, sentence, some_of

# What each negative control is, and why a pool may lack it.
CONTROLS = {
    "shuffled": ("selection among shuffled outcomes", "never lacking"),
    "original": ("the original action against itself", "it needs two rollouts of each original"),
    OTHER_SEEDS: ("the deployed executor with other seeds", "it needs rollouts.control"),
    "exact_values": ("rollouts against exact values", "it needs executors with known exact values"),
}


def controls_tally(frames: Frames) -> str:
    """How many negative controls hold, which failed, and which pools lack one, in sentences."""
    rows = statistics(frames, "negative_control")
    if rows.is_empty():
        return "No negative control was run."
    failed = int(rows["note"].str.starts_with(FAILED).fill_null(False).sum())
    said = (
        f"{failed} of {counted(rows.height, 'negative control')} FAILED."
        if failed
        else sentence(some_of(rows.height, rows.height, "negative control", "holds", "hold"))
    )
    lacking = [
        f"{what} in {listed(pools)} ({why})"
        for name, (what, why) in CONTROLS.items()
        if (pools := _without(frames, rows, name))
    ]
    return f"{said} Not run: {'; '.join(lacking)}." if lacking else said


def _without(frames: Frames, rows: pl.DataFrame, control: str) -> list[str]:
    """Pools that lack a control."""
    has = rows.filter(pl.col("evaluator").str.ends_with(control))["pool"]
    return [pool.name for pool in study_of(frames).pools if pool.name not in set(has)]
