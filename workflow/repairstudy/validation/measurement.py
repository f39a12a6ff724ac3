"""One measured figure of the validation, its target, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import sqrt
from typing import NamedTuple

import polars as pl

from repairstudy.records import TABLES

CLEAR = 2.0  # Monte Carlo errors by which a figure must stay inside its target
MET, MISSED, UNDECIDED, REPORTED = "met", "missed", "undecided", "reported"


class Target(NamedTuple):
    """The range in which a figure has to be; None: open on that side."""

    low: float | None
    high: float | None


BIAS = Target(-0.002, 0.002)  # success probability, or reward
COVERAGE = Target(0.93, 0.97)  # of nominal 0.95
FAMILY_WISE_ERROR = Target(None, 0.055)  # of nominal 0.05
POWER = Target(-0.05, 0.05)  # measured power minus that of the formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A row of table `validation`, but for its verdict.

    Attributes:
        value: a bias, a rate, or a difference of rates.
        mc_error: Monte Carlo standard error of the value.
        expected: what the value is compared with, where that is not in the target.
        contrast: a wrong way of doing it, which the suite must catch.
    """

    check: str
    population: str
    method: str
    quantity: str
    value: float
    mc_error: float
    target: Target | None
    replicates: int
    own_rollouts: int | None = None
    failures: int | None = None
    clusters: int | None = None
    expected: float | None = None
    contrast: bool = False
    note: str | None = None

    @property
    def verdict(self) -> str:
        """`met` or `missed`; `undecided` if inside, but nearer to the edge than two MC errors."""
        if self.target is None:
            return REPORTED
        low, high = self.target
        above = float("inf") if low is None else self.value - low
        below = float("inf") if high is None else high - self.value
        if min(above, below) < 0.0:
            return MISSED
        return MET if min(above, below) >= CLEAR * self.mc_error else UNDECIDED


def validation_frame(found: Iterable[Measurement]) -> pl.DataFrame:
    """The measurements as table `validation`, sorted by its key."""
    table = TABLES["validation"]
    rows = []
    for one in found:
        row = asdict(one)
        low, high = row.pop("target") or (None, None)
        rows.append(row | {"target_low": low, "target_high": high, "verdict": one.verdict})
    return pl.DataFrame(rows, schema=table.schema).sort(table.key)


def rate_error(rate: float, replicates: int) -> float:
    """Monte Carlo standard error of a rate; of one replicate more if it is 0 or 1."""
    least = 1.0 / (replicates + 1.0)
    inside = min(max(rate, least), 1.0 - least)
    return sqrt(inside * (1.0 - inside) / replicates)
