"""Captions in their four parts, and the sentences that they share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from repairstudy.report.names import CONTROL, REFERENCE, evaluator, spoken
from repairstudy.report.numbers import count, decimal, interval, moment, percent
from repairstudy.report.study import Pool, Study
from repairstudy.report.text import one_line, readable
from repairstudy.report.wording import join, listed, some_of

LOSS_PLACES = 3  # decimals of losses: those of few own rollouts are smaller than .01
DESCRIPTION = "A description of the study, with nothing tested."


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said under a figure.

    Attributes:
        shows: what the figure shows here, made from its numbers.
        reading: how to read it.
        number: of what it is made, and of how much.
        firmness: what of it is confirmatory, and what else bears on believing it.
        plan: the frozen plan behind it.
    """

    shows: str
    reading: str
    number: str
    firmness: str
    plan: str = ""

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Each part under its heading; parts without words are left out."""
        parts = (
            ("What it shows", self.shows),
            ("How to read it", self.reading),
            ("Made from", self.number),
            ("Confirmatory or exploratory", join([self.firmness, self.plan])),
        )
        return tuple((heading, text) for heading, text in parts if text)

    def __str__(self) -> str:
        return join(text for _, text in self.parts)

    def text(self, title: str) -> str:
        """Title and caption as plain text."""
        return f"{title}\n\n{self}\n"

    def rst(self, title: str) -> str:
        """Title and caption as reStructuredText, in which foreign text is no markup."""
        parts = "\n\n".join(f"**{heading}.** {_rst(text)}" for heading, text in self.parts)
        return f"**{_rst(title)}**\n\n{parts}\n"


def _rst(text: str) -> str:
    """Every sign that may be markup, escaped."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", readable(text))


def described(
    shows: Iterable[str], reading: Iterable[str], rows: pl.DataFrame, study: Study, *,
    shaded: bool = True,
) -> Caption:  # fmt: skip
    """The caption of a figure of statistics.

    Args:
        shows, reading: sentences; empty ones are left out.
        rows: the rows of `results` that it shows.
        shaded: whether it shades pools that are no evidence.
    """
    return Caption(
        join(shows),
        join(reading),
        join([failures(study), rollouts_behind(rows)]),
        join([firmness(rows), doubtful(study, shaded=shaded)]),
    )


def firmness(rows: pl.DataFrame) -> str:
    """How many of the results shown are confirmatory; the rest is exploratory and says so."""
    total, planned = rows.height, int(rows["confirmatory"].sum())
    if not total:
        return "No result is shown."
    if total == 1:
        return (
            "The one result here is confirmatory: the frozen plan names it."
            if planned
            else "The one result here is exploratory: the frozen plan does not name it."
        )
    if not planned:
        return "All results here are exploratory: the frozen plan names none of them."
    if planned == total:
        return "All results here are confirmatory: the frozen plan names them."
    rest = "the other is" if total - planned == 1 else "the others are"
    return (
        f"{planned} of the {total} results here {'is' if planned == 1 else 'are'} confirmatory, "
        f"named by the frozen plan; {rest} exploratory."
    )


def bars(study: Study) -> str:
    return f"Bars are {percent(study.level)} intervals over failures."


def failures(study: Study) -> str:
    """The pools with their numbers of failures."""
    pools = listed(f"{one_line(pool.name)} ({pool.n_failures})" for pool in study.pools)
    return f"Failures: {pools}."


def doubtful(study: Study, *, shaded: bool = True) -> str:
    """Which pools are no evidence. `shaded`: whether the figure shades them."""
    empty = [one_line(pool.name) for pool in study.pools if pool.informative is False]
    if not empty:
        return ""
    return (
        f"The positive control failed in {listed(empty)}{', shaded' * shaded}: losses there are no "
        "evidence."
    )


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


def number_above_zero(rows: pl.DataFrame) -> int:
    """How many of the intervals lie above zero."""
    return int((rows["ci_low"] > 0).fill_null(False).sum())


def within(pool: Pool) -> str:
    """How a sentence about a pool begins; an uninformative pool is called so."""
    doubt = " (uninformative)" * (pool.informative is False)
    return f"In {one_line(pool.name)}{doubt}"


def losers(rows: pl.DataFrame, pool: Pool, *, without: str = "") -> str:
    """How many evaluators of a pool lose, and which loses most, as a sentence.

    An evaluator loses if its interval lies above zero. Controls, matched selection and the
    evaluator `without`, which chooses as matched selection does, do not count.
    """
    names = [name for name in rows["evaluator"].unique() if _counts(name) and name != without]
    mine = rows.filter(
        (pl.col("pool") == pool.name)
        & pl.col("evaluator").is_in(names)
        & pl.col("estimate").is_not_null()
    )
    most = extreme(mine, pool.name)
    if most is None:
        return ""
    lose = number_above_zero(mine)
    start = f"{within(pool)} {some_of(lose, mine.height, 'evaluator', 'loses', 'lose')}"
    if mine.height == 1:
        return f"{start}: {estimate(most, LOSS_PLACES)} ({spoken(most['evaluator'])})."
    return (
        f"{start}; the largest loss is {estimate(most, LOSS_PLACES)}, by "
        f"{spoken(most['evaluator'])}."
    )


def _counts(name: str) -> bool:
    return evaluator(name).kind not in (CONTROL, REFERENCE)


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
