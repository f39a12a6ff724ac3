"""The verdicts of the validation in one table, and what they mean for a reader of a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from repairstudy.report.grids import Grid
from repairstudy.report.numbers import count
from repairstudy.report.validation.rows import (
    BIAS,
    COVERAGE,
    ERRORS,
    KINDS,
    MET,
    MISSED,
    POWER,
    SIDES,
    UNDECIDED,
    coverage_rows,
    joint_verdict,
    of_check,
    place,
    shown,
    target,
    worst,
)

ACROSS = "across"


@dataclass(frozen=True, slots=True)
class Line:
    """Figures that are judged together: the one farthest out, and whether all are on target."""

    check: str
    what: str
    figures: int
    farthest: str
    where: str
    target: str
    verdict: str


def lines(rows: pl.DataFrame) -> list[Line]:
    """One line for each thing that a reader relies on."""
    return [*_bias(rows), *_coverage(rows), *_errors(rows), *_power(rows), *_contrasts(rows)]


def summary_grid(rows: pl.DataFrame, *, folded: bool = False) -> Grid:
    """The lines as a table."""
    cells = [
        [
            line.check,
            line.what,
            count(line.figures),
            line.target,
            line.farthest,
            line.verdict,
            line.where,
        ]
        for line in lines(rows)
    ]
    columns = ("check", "of", "figures", "target", "farthest out", "verdict", "where that is")
    return Grid("Targets and what was measured", columns, cells, frozenset({2}), folded=folded)


def tally(rows: pl.DataFrame) -> str:
    """How many figures meet their targets, in a sentence."""
    judged = rows.filter(~pl.col("contrast")).filter(pl.col("verdict") != "reported")
    found = judged["verdict"].to_list()
    parts = [f"{found.count(verdict)} {verdict}" for verdict in (MET, MISSED, UNDECIDED)]
    return f"Of {count(len(found))} figures with a target: {', '.join(parts)}."


def _line(check: str, what: str, rows: pl.DataFrame) -> Line:
    row = worst(rows)
    return Line(check, what, rows.height, shown(row), place(row), target(row), joint_verdict(rows))


def _bias(rows: pl.DataFrame) -> Iterator[Line]:
    found = of_check(rows, BIAS)
    scope = (
        pl.when(pl.col("method").str.starts_with("equivalent"))
        .then(pl.lit("equivalent budget"))
        .when(pl.col("quantity").str.contains(ACROSS))
        .then(pl.lit("position and candidate together"))
        .otherwise(pl.lit("estimators at one position"))
    )
    for (name, population), part in found.with_columns(scope=scope).group_by(
        "scope", "population", maintain_order=True
    ):
        yield _line(BIAS, f"{name}, {population}", part)


def _coverage(rows: pl.DataFrame) -> Iterator[Line]:
    found = coverage_rows(rows)
    for in_tasks in (False, True):
        for kind, title in KINDS.items():
            for side in SIDES:
                mine = found.filter(in_tasks=in_tasks, kind=kind, side=side)
                for size in mine["failures"].unique().sort():
                    part = mine.filter(failures=size)
                    clusters = part["clusters"][0]
                    shape = f"{size} failures" + f" in {clusters} tasks" * in_tasks
                    yield _line(COVERAGE, f"{title}, {side}, {shape}", part)


def _errors(rows: pl.DataFrame) -> Iterator[Line]:
    found = of_check(rows, ERRORS).with_columns(in_tasks=pl.col("clusters") < pl.col("failures"))
    for (population, method, in_tasks), part in found.group_by(
        "population", "method", "in_tasks", maintain_order=True
    ):
        tasks = ", failures in tasks" if in_tasks else ""
        yield _line(ERRORS, f"{method}, {population}{tasks}", part)


def _power(rows: pl.DataFrame) -> Iterator[Line]:
    found = of_check(rows, POWER)
    for (method, population), part in found.group_by("method", "population", maintain_order=True):
        yield _line(POWER, f"against the formula, {method}, {population}", part)


def _contrasts(rows: pl.DataFrame) -> Iterator[Line]:
    """Wrong ways have to miss: the line says how many do."""
    for check in (BIAS, COVERAGE, ERRORS):
        found = of_check(rows, check, contrast=True)
        for (method,), part in found.group_by("method", maintain_order=True):
            caught = int((part["verdict"] == MISSED).sum())
            row = worst(part)
            yield Line(
                "wrong way",
                str(method),
                part.height,
                shown(row),
                place(row),
                f"must miss: {target(row)}",
                f"caught in {caught} of {part.height}",
            )
