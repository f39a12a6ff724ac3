"""The section of a study's report on how far its statistics can be trusted."""

from __future__ import annotations

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid
from repairstudy.report.sections import Section
from repairstudy.report.validation.advice import advice
from repairstudy.report.validation.summary import summary_grid, tally

LEAD = (
    "Whether the estimators, intervals and tests of this page deliver what they promise was "
    "measured on thousands of studies drawn from executors whose true values are known: simulated "
    "ones, and SmolLM2 in the gridworld. They run through the same code as this study."
)
MISSING = (
    "Not run here. The command: snakemake validate --cores 2 (a few minutes); the next run of the "
    "workflow then shows it here."
)


def validation_section(frames: Frames) -> Section:
    """The verdicts of the validation, where it was run before the study's database was built."""
    rows: pl.DataFrame = table_of(frames, "validation")
    if rows.is_empty():
        return Section("validation", "Validation of the statistics", LEAD, missing=MISSING)
    meaning = Grid("What it means for a reader", ("finding",), [[text] for text in advice(rows)])
    return Section(
        "validation",
        "Validation of the statistics",
        f"{LEAD} {tally(rows)}",
        grids=[meaning, summary_grid(rows, folded=True)],
    )
