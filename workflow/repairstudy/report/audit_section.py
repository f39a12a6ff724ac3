"""What the audit of the environments found: at the top of the page if it failed, and in full."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid, frame_grid
from repairstudy.report.wording import counted, listed

PLANTED = "planted: "  # how checks of the audit itself begin
WORDS = {True: "holds", False: "FAILS", None: "not applicable"}


@dataclass(frozen=True, slots=True)
class AuditSection:
    """The tally in a sentence, the checks of the scoring, and the audit's check of itself."""

    tally: str
    grids: tuple[Grid, ...]


def audit_section(frames: Frames) -> AuditSection:
    table = table_of(frames, "audit")
    planted = pl.col("check").str.starts_with(PLANTED)
    checks = _grid("Checks of the environments", table.filter(~planted))
    itself = table.filter(planted).with_columns(pl.col("check").str.strip_prefix(PLANTED))
    defects = _grid("Defective scorers, planted to see whether the audit catches them", itself)
    return AuditSection(_tally(table), tuple(grid for grid in (checks, defects) if grid.rows))


def audit_warnings(frames: Frames) -> list[str]:
    """What a reader must know before any result; empty if no check failed."""
    failed = table_of(frames, "audit").filter(~pl.col("passed"))
    warnings = []
    for (environment,), rows in failed.sort("environment").group_by(
        "environment", maintain_order=True
    ):
        names = rows["check"].to_list()
        wrong = [name for name in names if not name.startswith(PLANTED)]
        missed = [name.removeprefix(PLANTED) for name in names if name.startswith(PLANTED)]
        if wrong:
            warnings.append(
                f"The results of this study are not to be trusted: the scoring of {environment} "
                f"failed its audit ({listed(wrong)}). Nothing was left out because of it."
            )
        if missed:
            warnings.append(
                f"The audit of {environment} is not to be relied on: it did not tell every planted "
                f"defect from sound scoring ({listed(missed)})."
            )
    return warnings


def _grid(title: str, rows: pl.DataFrame) -> Grid:
    columns = {"environment": "environment", "check": "check", "passed": "holds",
               "detail": "what was looked at"}  # fmt: skip
    return frame_grid(title, rows, columns, {"passed": lambda passed: WORDS[passed]})


def _tally(table: pl.DataFrame) -> str:
    failed, passed = (int((table["passed"] == value).sum()) for value in (False, True))
    silent = table["passed"].null_count()
    held = f"{counted(passed, 'check')} hold{'s' * (passed < 2)}"
    failing = f"{failed} of {counted(table.height, 'check')} FAIL{'S' * (failed == 1)}"
    parts = [failing if failed else held]
    parts += [f"{silent} cannot be made in this environment"] if silent else []
    return f"{', '.join(parts)}."
