"""What the validation means for a reader of a study, in sentences made from its rows."""

from __future__ import annotations

import polars as pl

from repairstudy.report.numbers import decimal
from repairstudy.report.validation.rows import (
    BIAS,
    ERRORS,
    KINDS,
    MISSED,
    POWER,
    TWO_SIDED,
    UPPER,
    coverage_rows,
    excess,
    of_check,
    shown,
    worst,
)
from repairstudy.report.wording import listed


def advice(rows: pl.DataFrame) -> list[str]:
    """One sentence or a few on each thing that a reader relies on."""
    texts = [
        _bias(rows),
        _trust(rows),
        *(_interval(rows, kind) for kind in KINDS),
        _tasks(rows),
        _errors(rows),
        _power(rows),
        _wrong(rows),
    ]
    return [text for text in texts if text]


def _bias(rows: pl.DataFrame) -> str:
    found = of_check(rows, BIAS)
    if found.is_empty():
        return ""
    missed = found.filter(pl.col("verdict") == MISSED)
    least = decimal(worst(found)["target_high"], 3)
    if missed.is_empty():
        return (
            f"No estimator is seen to be biased by more than {least}, of {found.height} tried; the "
            f"largest is {shown(worst(found))}."
        )
    texts = [
        f"{row['method']}, {row['quantity']} ({row['population']}{_by(row['own_rollouts'])}) by "
        f"{shown(row)}" + (f", {row['note']}" if row["note"] else "")
        for row in missed.iter_rows(named=True)
    ]
    rest = found.height - missed.height
    return (
        f"{rest} of {found.height} estimators are not seen to be biased by more than {least}. "
        f"Biased: {'; '.join(texts)}."
    )


def _by(own_rollouts: int | None) -> str:
    return "" if own_rollouts is None else f", {own_rollouts} own rollouts"


def _trust(rows: pl.DataFrame) -> str:
    """The kinds in the order in which their two-sided and upper ends can be trusted."""
    found = coverage_rows(rows).filter(pl.col("side").is_in([TWO_SIDED, UPPER]))
    if found.is_empty():
        return ""
    parts = []
    for kind, title in KINDS.items():
        mine = found.filter(kind=kind)
        if mine.height:
            missed = mine.filter(pl.col("verdict") == MISSED).height
            row = worst(mine)
            text = f"{title} misses {missed} of {mine.height} (worst {decimal(row['value'], 3)})"
            parts.append((missed / mine.height, max(excess(row), 0.0), text, title))
    parts.sort()
    return (
        f"Which interval to trust: {parts[0][3]}. Of its two-sided and upper ends, "
        f"{'; '.join(part[2] for part in parts)}."
    )


def _interval(rows: pl.DataFrame, kind: str) -> str:
    found = coverage_rows(rows).filter(kind=kind, in_tasks=False)
    if found.is_empty():
        return ""
    parts = []
    for side in (TWO_SIDED, UPPER):
        mine = found.filter(side=side)
        sizes = mine["failures"].unique().sort().to_list()
        bad = [s for s in sizes if MISSED in set(mine.filter(failures=s)["verdict"])]
        ranges = ", ".join(f"{_range(mine.filter(failures=s))} at {s}" for s in sizes)
        words = f"off target at {listed(map(str, bad))} failures" if bad else "on target throughout"
        parts.append(f"{side} {words} ({ranges})")
    return f"{KINDS[kind].capitalize()} intervals of independent failures: {'; '.join(parts)}."


def _tasks(rows: pl.DataFrame) -> str:
    found = coverage_rows(rows).filter(in_tasks=True, side=TWO_SIDED)
    if found.is_empty():
        return ""
    parts = []
    for kind, title in KINDS.items():
        mine = found.filter(kind=kind)
        ranges = [
            f"{_range(mine.filter(clusters=c))} with {c}" for c in mine["clusters"].unique().sort()
        ]
        parts.append(f"{title} {', '.join(ranges)}")
    return (
        "Where failures come in tasks, the number of tasks counts, not of failures. Two-sided "
        f"coverage: {'; '.join(parts)} tasks."
    )


def _errors(rows: pl.DataFrame) -> str:
    found = of_check(rows, ERRORS)
    if found.is_empty():
        return ""
    missed = found.filter(pl.col("verdict") == MISSED)
    start = f"Family-wise error is on target in {found.height - missed.height} of {found.height}"
    if missed.is_empty():
        return f"{start} cases; the largest is {shown(worst(found))}."
    texts = []
    for (population, method), part in missed.group_by("population", "method", maintain_order=True):
        shapes = listed(
            f"{f}" + (f" (in {c} tasks)" if c < f else "")
            for f, c in part.select("failures", "clusters").sort("failures").iter_rows()
        )
        texts.append(f"{population}, {method}: {_range(part)} at {shapes} failures")
    return f"{start} cases. Too many false rejections: {'; '.join(texts)}."


def _power(rows: pl.DataFrame) -> str:
    found = of_check(rows, POWER)
    if found.is_empty():
        return ""
    low, high = (float(value) for value in found["value"].sort().to_numpy()[[0, -1]])
    end = (
        "the numbers of failures that it asks for are enough."
        if low > -0.02
        else "add some failures to what it asks for."
    )
    return f"Measured power is {_signed(low)} to {_signed(high)} off the formula's: {end}"


def _wrong(rows: pl.DataFrame) -> str:
    wrong = rows.filter("contrast")
    if wrong.is_empty():
        return ""
    caught = wrong.filter(pl.col("verdict") == MISSED)
    ways, missing = set(wrong["method"]), sorted(set(wrong["method"]) - set(caught["method"]))
    words = f"{len(missing)} are not caught ({listed(missing)})" if missing else "all are caught"
    return (
        f"Wrong ways that were measured as well: of {len(ways)}, {words}; "
        f"{caught.height} of their {wrong.height} figures miss the targets."
    )


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + decimal(value, 3)


def _range(rows: pl.DataFrame) -> str:
    values = rows["value"].sort().to_list()
    low, high = decimal(values[0], 3), decimal(values[-1], 3)
    return low if low == high else f"{low} to {high}"
