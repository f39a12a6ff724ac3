"""What the explorer looks up for the failures it shows: outcomes, exact values, choices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.numbers import decimal

OUTCOME_ROLES = ("label", "evaluate")


def rows_of(frames: Frames, table: str, column: str, values: Iterable[str]) -> pl.DataFrame:
    """The rows of a table that have one of the values."""
    return table_of(frames, table).filter(pl.col(column).is_in(list(values)))


def grouped(frame: pl.DataFrame, *key: str) -> defaultdict[Any, list[dict[str, Any]]]:
    """Rows by their key: a value, or a tuple of several."""
    found: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        found[row[key[0]] if len(key) == 1 else tuple(row[name] for name in key)].append(row)
    return found


def outcomes(frames: Frames, shown: list[str], rewards: bool) -> defaultdict[str, dict[str, str]]:
    """Candidate -> executor -> "6/10", after the mean reward where a reward is studied."""
    names = table_of(frames, "executors").select("executor_id", "name")
    rows = (
        rows_of(frames, "rollouts", "failure_id", shown)
        .filter(pl.col("role").is_in(OUTCOME_ROLES) & (pl.col("status") != "infrastructure_error"))
        .join(names, on="executor_id")
        .group_by("candidate_id", "name")
        .agg(total=pl.len(), won=pl.col("success").sum(), mean=pl.col("reward").mean())
    )
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows.iter_rows(named=True):
        text = f"{row['won']}/{row['total']}"
        mean = f"{decimal(row['mean'])} · " if rewards else ""
        found[row["candidate_id"]][row["name"]] = mean + text
    return found


def exact(frames: Frames, shown: list[str]) -> defaultdict[str, dict[str, str]]:
    """Candidate -> executor -> exact value."""
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows_of(frames, "exact_values", "failure_id", shown).iter_rows(named=True):
        found[row["candidate_id"]][row["executor"]] = decimal(row["value"])
    return found


def weights(
    frames: Frames, shown: list[str]
) -> defaultdict[tuple[str, int], dict[str, dict[str, float]]]:
    """Position -> evaluator -> candidate -> weight. Pools that share a failure agree on it."""
    rows = rows_of(frames, "selections", "failure_id", shown).filter(pl.col("scope") == "position")
    found: defaultdict[tuple[str, int], dict[str, dict[str, float]]] = defaultdict(dict)
    columns = ("failure_id", "t", "evaluator", "candidate_id", "weight")
    for failure_id, t, name, candidate_id, weight in rows.select(columns).iter_rows():
        found[failure_id, t].setdefault(name, {})[candidate_id] = weight
    return found
