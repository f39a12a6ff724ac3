"""Failures that were not collected but imported: from where, and what was left out."""

from __future__ import annotations

from typing import Any

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.numbers import count

NO_FAILURES = {
    "success": "solved the task",
    "diverges": "no exact replay",
    "unusable": "no run of this study, or not needed",
}


def imported_notes(frames: Frames) -> list[str]:
    """A paragraph for each deployed executor whose failures were imported."""
    rows = table_of(frames, "imported_runs").sort("deployed", "number")
    return [
        _note(str(deployed), file.to_dicts())
        for (deployed,), file in rows.group_by("deployed", maintain_order=True)
    ]


def left_out(frames: Frames) -> list[dict[str, Any]]:
    """The imported runs that are no failures of the study, each with the reason."""
    rows = table_of(frames, "imported_runs").filter(pl.col("trajectory_id").is_null())
    return rows.sort("deployed", "number").select(
        "deployed", "number", "run", "task_id", "verdict", "detail"
    ).to_dicts()  # fmt: skip


def _note(deployed: str, rows: list[dict[str, Any]]) -> str:
    taken = sum(row["trajectory_id"] is not None for row in rows)
    others = [
        f"{words}: {count(number)}"
        for verdict, words in NO_FAILURES.items()
        if (number := sum(row["verdict"] == verdict for row in rows))
    ]
    compared = sum(row["compared"] for row in rows if row["trajectory_id"] is not None)
    return (
        f"The failures of {deployed} were imported, not collected: {rows[0]['file']}, SHA-256 "
        f"{rows[0]['sha256']}. Of its {count(len(rows))} runs {count(taken)} replay and failed; "
        f"{count(compared)} of their recorded observations were compared with the replay. "
        + (f"Left out: {count(len(rows) - taken)} ({'; '.join(others)}). " if others else "")
        + f"That {deployed} made them is taken on trust, and so is how they were chosen."
    )
