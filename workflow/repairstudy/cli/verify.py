"""``repairstudy verify DATABASE``: whether the tables of a database are what they follow from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify(
    database: Annotated[
        Path, typer.Argument(metavar="DATABASE", help="study.duckdb of a finished study.")
    ],
) -> None:
    """Check the tables of a finished study's database.

    Compares each table with the hash that the database holds of it, and recomputes scores,
    selections, values, results and costs from its rollouts. Prints a line a table. `snakemake
    verify-results` goes further and starts from the rollout cache.
    """
    import sys

    from repairstudy.cli.terminal import waiting
    from repairstudy.cli.verification import compared, report

    with waiting(f"recomputing the tables of {database}"):
        found = compared(database)
    report(*found, sys.stdout)
