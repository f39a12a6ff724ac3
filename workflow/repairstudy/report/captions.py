"""Sentences that captions share: how to read the marks, what is behind them, how firm it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from repairstudy.report.names import evaluator
from repairstudy.report.numbers import count, decimal, interval, moment, percent
from repairstudy.report.study import Study
from repairstudy.report.text import one_line


def join(sentences: Iterable[str]) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence."""
    *first, last = list(words) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def firmness(rows: pl.DataFrame) -> str:
    """How many of the results shown are confirmatory; the rest is exploratory and says so."""
    total, planned = rows.height, int(rows["confirmatory"].sum())
    if not planned:
        return "All results here are exploratory: the frozen plan names none of them."
    if planned == total:
        return "All results here are confirmatory: the frozen plan names them."
    verb = "is" if planned == 1 else "are"
    return (
        f"{planned} of the {total} results here {verb} confirmatory, named by the frozen plan; the "
        "others are exploratory."
    )


def bars(study: Study) -> str:
    return f"Bars are {percent(study.level)} intervals over failures."


def behind(study: Study, *, shaded: bool = True) -> str:
    """The pools with their numbers of failures, and which of them are no evidence.

    `shaded`: whether the figure shades the latter.
    """
    pools = listed(f"{one_line(pool.name)} ({pool.n_failures})" for pool in study.pools)
    sentence = f"Pools and their failures: {pools}."
    empty = [one_line(pool.name) for pool in study.pools if pool.informative is False]
    if empty:
        sentence += (
            f" The positive control failed in {listed(empty)}{', shaded' * shaded}: losses there "
            "are no evidence."
        )
    return sentence


def estimate(row: Mapping[str, Any], places: int = 2) -> str:
    """A number with its interval."""
    text = decimal(row["estimate"], places)
    if row["ci_low"] is None or row["ci_high"] is None:
        return text
    return f"{text} ({interval(row['ci_low'], row['ci_high'], places)})"


def extreme(rows: pl.DataFrame, pool: str, largest: bool = True) -> dict[str, Any] | None:
    """The row of a pool with the largest (or smallest) estimate."""
    known = rows.filter(
        (pl.col("pool") == pool) & pl.col("estimate").is_not_null() & pl.col("estimate").is_finite()
    )
    if known.is_empty():
        return None
    return known.sort("estimate", "evaluator", descending=[largest, False]).row(0, named=True)


def largest_by_pool(rows: pl.DataFrame, study: Study, what: str) -> str:
    """For each pool, which evaluator has the largest estimate."""
    found = [(pool, extreme(rows, pool.name)) for pool in study.pools]
    parts = [
        f"in {one_line(pool.name)} {evaluator(row['evaluator']).label}, {estimate(row)}"
        for pool, row in found
        if row is not None
    ]
    return f"{what} {'; '.join(parts)}." if parts else ""


def rollouts_behind(rows: pl.DataFrame) -> str:
    """The range of rollouts behind the results shown."""
    numbers = sorted(rows["n_rollouts"])
    if not numbers or not numbers[-1]:
        return ""
    low, high = numbers[0], numbers[-1]
    span = count(high) if low == high else f"{count(low)} to {count(high)}"
    return f"Rollouts behind each: {span}."


def frozen_line(study: Study) -> str:
    """Which plan stands behind what a figure shows."""
    if study.plan_hash is None or study.frozen_at is None:
        return "No plan was frozen."
    commit = (study.commit or "unknown")[:12]
    changed = ", amended" if study.amendments else ""
    return (
        f"Plan {study.plan_hash[:12]}, frozen {moment(study.frozen_at)}, commit {commit}{changed}."
    )
