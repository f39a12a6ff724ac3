"""The law of what an arm shows when some of its rollouts select and the others evaluate it."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repairstudy.estimators.arrays import (
    UNITS,
    Array,
    frozen,
    is_binary,
    lattice,
    outcome_row,
    subsets,
)

# Up to here all subsets are listed (C(20, 10) is 184,756); above, equal sums merge on the way.
LISTED_SUBSETS = 200_000
LARGEST_LAW = 5_000_000


class Law(NamedTuple):
    """The law of an arm's selection sum, and the value credited to the arm at each sum.

    Attributes:
        support: (L,) possible sums, ascending and distinct.
        pmf: (L,) their probabilities, all positive.
        heldout: (L,) expected value of the arm, given the sum, on what did not select.
    """

    support: Array
    pmf: Array
    heldout: Array


def subset_law(outcomes: ArrayLike, m: int) -> Law:
    """The law of the sum of m of the n rollouts, all subsets equally likely.

    Hypergeometric for outcomes of 0 and 1, by counting subsets for rewards (docs/statistics.md,
    section 2). The held-out value is the mean of the n - m others; with m = n
    there is none, and it is NaN.

    Args:
        outcomes: (n,) outcomes of one arm.
        m: how many of them select.

    Raises:
        ValueError: m is not in 0..n, or rewards have too many distinct sums to list.
    """
    row = outcome_row(outcomes)
    n = len(row)
    if not 0 <= m <= n:
        raise ValueError(f"m = {m} is not in 0..{n}, the rollouts of the arm.")
    if is_binary(row):
        support, pmf = np.arange(m + 1.0), hypergeometric(n, m)[int(row.sum())]
        support, pmf = support[pmf > 0], pmf[pmf > 0]
    else:
        sums, counts = _subset_sums(lattice(row), m)
        support, pmf = sums / UNITS, counts / comb(n, m)
    return Law(support, pmf, _rest(float(lattice(row).sum() / UNITS) - support, n - m))


def success_law(outcomes: Array, successes: Array, m: int) -> Law:
    """The law of the number of successes among m rollouts; credited are the outcomes of the rest.

    Given the number, the m rollouts are a uniform choice within successes and within failures, so
    their expected outcomes are that many class means.

    Args:
        outcomes: (n,) outcomes that are credited.
        successes: (n,) 0 or 1, which are counted.
        m: how many select, below n.
    """
    n, total = len(outcomes), int(successes.sum())
    pmf = hypergeometric(n, m)[total]
    support = np.flatnonzero(pmf).astype(np.float64)
    won = float(outcomes[successes == 1].mean()) if total else 0.0
    lost = float(outcomes[successes == 0].mean()) if total < n else 0.0
    rest = total * won + (n - total) * lost - support * won - (m - support) * lost
    return Law(support, pmf[pmf > 0], _rest(rest, n - m))


def binomial_law(p: float, m: int, value: float | None = None) -> Law:
    """The law of m fresh rollouts with success probability p, credited with p (or with `value`).

    Raises:
        ValueError: p outside [0, 1] or m negative.
    """
    if not 0.0 <= p <= 1.0 or m < 0:
        raise ValueError(f"no binomial law has p = {p}, m = {m}.")
    x = np.arange(m + 1.0)
    pmf = _binomials(m) * p**x * (1.0 - p) ** (m - x)
    support = x[pmf > 0]
    return Law(support, pmf[pmf > 0], np.full(len(support), p if value is None else value))


@lru_cache(maxsize=256)
def _binomials(m: int) -> Array:
    """(m + 1,): C(m, 0) to C(m, m)."""
    return frozen(np.array([float(comb(m, k)) for k in range(m + 1)]))


@lru_cache(maxsize=256)
def hypergeometric(n: int, m: int) -> Array:
    """(n + 1, m + 1): row s is the law of how many of s marked things are in an m-subset of n."""
    total = comb(n, m)
    return frozen(
        np.array(
            [[comb(s, x) * comb(n - s, m - x) / total for x in range(m + 1)] for s in range(n + 1)]
        )
    )


def _rest(sums: Array, size: int) -> Array:
    return sums / size if size else np.full(len(sums), np.nan)


def _subset_sums(units: Array, m: int) -> tuple[Array, Array]:
    """Distinct sums of m-subsets of the units, ascending, and how many subsets have each."""
    if comb(len(units), m) <= LISTED_SUBSETS:
        sums, counts = np.unique(units[subsets(len(units), m)].sum(axis=1), return_counts=True)
        return sums, counts.astype(np.float64)
    return merged_subset_sums(units, m)


def merged_subset_sums(units: Array, m: int) -> tuple[Array, Array]:
    """The same by adding one unit after the other, merging equal sums of each size."""
    sizes: list[tuple[Array, Array]] = [(np.zeros(1), np.ones(1))]
    sizes += [(np.empty(0), np.empty(0))] * m
    for unit in units:
        for size in range(m, 0, -1):
            (sums, counts), (smaller, fewer) = sizes[size], sizes[size - 1]
            both, place = _distinct(np.concatenate([sums, smaller + unit]))
            if len(both) > LARGEST_LAW:
                raise ValueError(
                    f"{m} of {len(units)} rewards have more than {LARGEST_LAW} distinct sums: "
                    "round the rewards, or use random_splits."
                )
            merged = np.bincount(place, np.concatenate([counts, fewer]), len(both))
            sizes[size] = both, np.asarray(merged, dtype=np.float64)
    return sizes[m]


def _distinct(sums: Array) -> tuple[Array, NDArray[np.intp]]:
    distinct, place = np.unique(sums, return_inverse=True)
    return distinct, place
