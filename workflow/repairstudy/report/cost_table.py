"""What a study cost, as a table: rollouts and tokens by executor and by what they were for."""

from __future__ import annotations

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid, frame_grid


def costs(frames: Frames) -> pl.DataFrame:
    """Table `costs` with the executors' names and the sum of their tokens."""
    named = table_of(frames, "executors").select("executor_id", "name")
    return (
        table_of(frames, "costs")
        .join(named, on="executor_id", how="left")
        .with_columns(
            pl.col("name").fill_null(pl.col("executor_id")),
            tokens=pl.col("tokens_in") + pl.col("tokens_out"),
        )
        .sort("name", "role")
    )


def costs_grid(frames: Frames) -> Grid:
    """The same for a page."""
    columns = {
        "name": "executor", "role": "role", "rollouts": "rollouts", "steps": "actions",
        "tokens_in": "prompt tokens", "tokens_out": "generated tokens",
    }  # fmt: skip
    rows = costs(frames)
    if rows["tokens_thought"].sum():  # of reasoning models alone
        columns["tokens_thought"] = "of them thoughts"
    return frame_grid("Rollouts and tokens", rows, columns, folded=True)
