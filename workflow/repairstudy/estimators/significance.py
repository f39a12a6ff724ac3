"""One-sided exact tests of candidates' selection rollouts against the original's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.arrays import (
    UNITS,
    Array,
    frozen,
    indicators,
    is_binary,
    lattice,
    subsets,
)
from repairstudy.estimators.laws import LISTED_SUBSETS, hypergeometric

LARGEST_TEST = 2_000_000_000  # relabellings of all pairs of halves of one candidate
TOLERANCE = 1e-12  # a p-value equal to alpha is significant


class Halves(NamedTuple):
    """The distinct selection halves of n rollouts, by their values without order.

    Attributes:
        chosen: (H, m) values in each half, as whole lattice units.
        pmf: (H,) probability of each, all splits equally likely.
        binary: whether every value is 0 or 1.
    """

    chosen: Array
    pmf: Array
    binary: bool


def halves(outcomes: Array, m: int) -> Halves:
    """The halves of m among the outcomes (n,).

    Raises:
        ValueError: rewards with too many splits to list.
    """
    n = len(outcomes)
    if is_binary(outcomes):
        pmf = hypergeometric(n, m)[int(outcomes.sum())]
        ones = np.arange(m) < np.arange(m + 1)[:, None]
        return Halves(lattice(ones[pmf > 0].astype(np.float64)), pmf[pmf > 0], True)
    if comb(n, m) > LISTED_SUBSETS:
        raise ValueError(f"{comb(n, m)} splits of rewards are too many to test: use fewer.")
    values, ranks = np.unique(lattice(outcomes), return_inverse=True)
    # Halves as numbers in base n of their sorted ranks: one sort instead of one of rows.
    rows = np.sort(ranks[subsets(n, m)], axis=1)
    codes = rows @ (float(n) ** np.arange(m - 1, -1, -1))
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    return Halves(values[rows[first]], counts / comb(n, m), False)


def significant(candidates: Sequence[Halves], original: Halves, alpha: float) -> list[Array]:
    """For each candidate (H, H0) as 0 or 1: whether each of its halves beats each of the original.

    Fisher's exact test for outcomes of 0 and 1, the permutation test of the difference of means for
    rewards, which is the same for 0 and 1; both one-sided, and both given the pooled values.

    Args:
        candidates: halves of the same size m.
        original: halves of the original.
        alpha: level of each test.
    """
    if original.binary and all(candidate.binary for candidate in candidates):
        return [_fisher(candidate, original, alpha) for candidate in candidates]
    chosen = np.concatenate([candidate.chosen for candidate in candidates])
    # What does not beat the lowest half of the original beats none of the others.
    lowest = original.chosen[[original.chosen.sum(axis=1).argmin()]]
    able = _at_most(permutation_table(chosen, lowest)[:, 0], alpha)
    found = np.zeros((len(chosen), len(original.chosen)))
    found[able] = _at_most(permutation_table(chosen[able], original.chosen), alpha)
    return np.split(found, np.cumsum([len(candidate.chosen) for candidate in candidates])[:-1])


def _fisher(candidate: Halves, original: Halves, alpha: float) -> Array:
    table = fisher_table(candidate.chosen.shape[1], original.chosen.shape[1])
    p = table[np.ix_(_successes(candidate), _successes(original))]
    return _at_most(p, alpha).astype(np.float64)


def _at_most(p: Array, alpha: float) -> NDArray[np.bool_]:
    return np.asarray(p <= alpha + TOLERANCE)


def _successes(half: Halves) -> NDArray[np.intp]:
    return np.rint(half.chosen.sum(axis=1) / UNITS).astype(np.intp)


@lru_cache(maxsize=64)
def fisher_table(m: int, m0: int) -> Array:
    """(m + 1, m0 + 1): p-value of x successes in m against x0 in m0, P(X >= x | x + x0)."""
    laws = hypergeometric(m + m0, m)
    tails = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]
    x, x0 = np.indices((m + 1, m0 + 1))
    return frozen(tails[x + x0, x])


def permutation_table(chosen: Array, original: Array) -> Array:
    """(H, H0): share of the relabellings of a pair of halves (H, m), (H0, m0) whose difference of
    means is at least the observed one.

    A relabelling swaps k rollouts of one half for k of the other, and its difference is at least
    the observed one if the sum that comes in is at least the sum that goes out. How many k-subsets
    of an original half have at least some sum is tabulated once, and read for every k-subset of
    every candidate's half.

    Raises:
        ValueError: too many halves and relabellings.
    """
    (count, m), (count0, m0) = chosen.shape, original.shape
    relabellings = comb(m + m0, m)
    if relabellings > LISTED_SUBSETS or count * count0 * relabellings > LARGEST_TEST:
        raise ValueError(
            f"{count} x {count0} halves with {relabellings} relabellings each are too many to "
            "test: round the rewards, or select with fewer rollouts."
        )
    reached = np.ones((count, count0), dtype=np.min_scalar_type(relabellings))  # swapping nothing
    for k in range(1, min(m, m0) + 1):
        steps, table = _at_least(original @ indicators(m0, k), reached.dtype)
        places = np.searchsorted(steps, chosen @ indicators(m, k))
        for place in places.T:
            reached += table[place]
    return np.asarray(reached / relabellings)


def _at_least(sums: Array, dtype: np.dtype[np.unsignedinteger]) -> tuple[Array, NDArray[np.uint]]:
    """From sums (H0, C) the distinct ones (L,), and (L + 1, H0) how many of a row are not below."""
    steps, place = np.unique(sums, return_inverse=True)
    rows, number = len(sums), len(steps)
    cells = place.reshape(sums.shape) * rows + np.arange(rows)[:, None]
    counts = np.bincount(cells.ravel(), minlength=(number + 1) * rows).reshape(number + 1, rows)
    return steps, np.cumsum(counts[::-1], axis=0)[::-1].astype(dtype)
