"""Reading table `validation`: what its rows are about, and how far they are from their targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from repairstudy.report.numbers import count, decimal

Row = Mapping[str, Any]
BIAS, COVERAGE, ERRORS, POWER = "bias", "coverage", "family-wise error", "power"
TWO_SIDED, LOWER, UPPER = "two-sided", "lower bound", "upper bound"
SIDES = (TWO_SIDED, LOWER, UPPER)
KINDS = {"percentile": "percentile", "bootstrap_t": "bootstrap-t", "t": "Student's t"}
MET, MISSED, UNDECIDED, REPORTED = "met", "missed", "undecided", "reported"
PLACES = {BIAS: 4, COVERAGE: 3, ERRORS: 3, POWER: 3}


def of_check(rows: pl.DataFrame, check: str, *, contrast: bool = False) -> pl.DataFrame:
    """The rows of one check that have a target, either of the right way or of wrong ways."""
    return rows.filter(check=check, contrast=contrast).filter(pl.col("verdict") != REPORTED)


def coverage_rows(rows: pl.DataFrame, *, contrast: bool = False) -> pl.DataFrame:
    """Coverage with columns `kind`, `side`, `what` and `in_tasks`."""
    last = pl.col("quantity").str.split(", ").list
    return of_check(rows, COVERAGE, contrast=contrast).with_columns(
        kind=pl.col("method").str.split(",").list.first(),
        side=last.last(),
        what=last.first(),
        in_tasks=pl.col("clusters") < pl.col("failures"),
    )


def excess(row: Row) -> float:
    """By how much a value is outside its target; negative inside."""
    low, high, value = row["target_low"], row["target_high"], row["value"]
    sides = [low - value if low is not None else None, value - high if high is not None else None]
    return max(side for side in sides if side is not None)


def worst(rows: pl.DataFrame) -> Row:
    """The row farthest out, or nearest to the edge; the first of equals."""
    return max(rows.iter_rows(named=True), key=excess)


def joint_verdict(rows: pl.DataFrame) -> str:
    """`missed` if any row is, else `undecided` if any is, else `met`."""
    found = set(rows["verdict"])
    return next(verdict for verdict in (MISSED, UNDECIDED, MET) if verdict in found)


def shown(row: Row) -> str:
    """A value with its Monte Carlo error."""
    places = PLACES[row["check"]]
    return f"{decimal(row['value'], places)} ± {decimal(row['mc_error'], places)}"


def target(row: Row) -> str:
    """A target in words."""
    low, high = row["target_low"], row["target_high"]
    places = 2 if row["check"] in (COVERAGE, POWER) else 3
    if low is None or high is None:
        return f"at most {decimal(high, places)}"
    if low == -high:
        return f"within ±{decimal(high, places)}"
    return f"{decimal(low, places)} to {decimal(high, places)}"


def place(row: Row) -> str:
    """Where a row was measured."""
    parts = [row["population"], row["method"], row["quantity"]]
    if row["own_rollouts"] is not None:
        parts.append(f"{row['own_rollouts']} own rollouts")
    if row["failures"] is not None:
        parts.append(f"{count(row['failures'])} failures")
    if row["clusters"] is not None and row["clusters"] != row["failures"]:
        parts[-1] += f" in {row['clusters']} clusters"
    return ", ".join(parts)
