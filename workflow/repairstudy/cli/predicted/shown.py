"""Predictions as text and as JSON, alone and beside what a finished study used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import polars as pl

from repairstudy.cli.columns import table
from repairstudy.cli.predicted.assumptions import Assumptions
from repairstudy.cli.predicted.costs import Cost, Hours, hours_in_all, left_in_all
from repairstudy.cli.predicted.counts import Shape
from repairstudy.cli.predicted.study_files import QUANTITIES, STAGES
from repairstudy.config import StudyConfig
from repairstudy.errors import DataError


def compared(costs: Iterable[Cost], spent: pl.DataFrame) -> list[dict[str, Any]]:
    """Predicted beside used, an executor and role each, and a row for all.

    Raises:
        DataError: the database is of a study with other executors.
    """
    expected: dict[tuple[str, str], dict[str, float]] = {}
    for cost in costs:
        if cost.stage in STAGES:
            sums = expected.setdefault((cost.who, cost.role), dict.fromkeys(QUANTITIES, 0.0))
            for name in QUANTITIES:
                sums[name] += getattr(cost, name)
    found = {(row["who"], row["role"]): row for row in spent.iter_rows(named=True)}
    if not set(found) & set(expected):
        raise DataError("--against", "no executor of the database is one of the configuration.")
    rows = []
    for who, role in sorted(set(expected) | set(found)):
        row: dict[str, Any] = {"executor": who, "role": role}
        for name in QUANTITIES:
            row[name] = _beside(
                expected.get((who, role), {}).get(name, 0.0), found.get((who, role), {}).get(name)
            )
        rows.append(row)
    total: dict[str, Any] = {"executor": "all", "role": ""}
    for name in QUANTITIES:
        total[name] = _beside(
            sum(row[name]["predicted"] for row in rows), sum(row[name]["used"] for row in rows)
        )
    return [*rows, total]


def _beside(predicted: float, spent: float | None) -> dict[str, float | None]:
    spent = spent or 0
    return {
        "predicted": round(predicted),
        "used": spent,
        "ratio": round(predicted / spent, 2) if spent else None,
    }


def comparison(rows: list[dict[str, Any]]) -> str:
    lines = [["executor", "role", *(f"{n} predicted / used = ratio" for n in QUANTITIES)]]
    for row in rows:
        cells = [
            f"{row[n]['predicted']:,} / {row[n]['used']:,} = {row[n]['ratio'] or '-'}"
            for n in QUANTITIES
        ]
        lines.append([row["executor"], row["role"], *cells])
    return table(lines)


def prediction(
    study: StudyConfig,
    costs: list[Cost],
    hours: Mapping[tuple[str, str], Hours | None],
    shape: Shape,
    assumed: Assumptions,
) -> str:
    columns = ("rollouts", "steps", "calls", "tokens_in", "tokens_out")
    lines = [["model", "stage", "who", "role", "rollouts", "cached", *columns[1:], "hours x GPUs"]]
    last = None
    for cost in costs:
        left, key = cost.left(), (cost.model, cost.stage)
        known = "" if cost.planned else "~"
        time = "" if key == last else _hours_text(hours[key])
        counts = [f"{known}{round(cost.rollouts):,}", f"{round(cost.cached):,}"]
        counts += [f"{round(getattr(left, name)):,}" for name in columns[1:]]
        lines.append([*key, cost.who, cost.role, *counts, time])
        last = key
    totals = left_in_all(costs)
    without, with_gpus = hours_in_all(hours.values())
    parts = [
        f"study {study.study}; ~: predicted, else as planned by the study itself; rollouts in all, "
        "then what of it is cached, then what is left to do",
        table(lines),
        f"left: {round(totals['rollouts']):,} rollouts, proposals and rankings; "
        f"{round(totals['steps']):,} steps, {round(totals['calls']):,} model calls, "
        f"{round(totals['tokens_in']):,} prompt tokens and {round(totals['tokens_out']):,} "
        "generated tokens (stored distributions included)",
        f"time: {with_gpus:.2f} GPU hours, {without:.2f} hours of jobs without a GPU",
        f"assumed: {shape.positions:g} positions a failure, {shape.arms - 1:.2f} candidates beside "
        "the original; "
        + ", ".join(f"{name}={value:g}" for name, value in asdict(assumed).items()),
    ]
    return "\n".join(parts)


def _hours_text(hours: Hours | None) -> str:
    if hours is None:
        return "elsewhere"
    return f"{hours.hours:.2f} x {hours.gpus}"


def document(
    costs: list[Cost],
    hours: Mapping[tuple[str, str], Hours | None],
    shape: Shape,
    assumed: Assumptions,
) -> dict[str, Any]:
    return {
        "costs": [asdict(cost) for cost in costs],
        "hours": [
            {"model": model, "stage": stage} | (asdict(one) if one else {"hours": None, "gpus": 0})
            for (model, stage), one in hours.items()
        ],
        "shape": asdict(shape),
        "assumed": asdict(assumed),
    }
