"""One-sided exact tests of a candidate's selection rollouts against the original's."""

from __future__ import annotations

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

LARGEST_TEST = 2_000_000_000  # comparisons for one candidate
BLOCK = 1_000_000  # numbers held at once
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
    rows = np.sort(lattice(outcomes)[subsets(n, m)], axis=1)
    chosen, counts = np.unique(rows, axis=0, return_counts=True)
    return Halves(chosen, counts / comb(n, m), False)


def significant(candidate: Halves, original: Halves, alpha: float) -> Array:
    """(H, H0) as 0 or 1: whether each half of the candidate beats each of the original at alpha.

    Fisher's exact test for outcomes of 0 and 1, the permutation test of the difference of means for
    rewards, which is the same for 0 and 1; both one-sided, and both given the pooled values.
    """
    if candidate.binary and original.binary:
        table = fisher_table(candidate.chosen.shape[1], original.chosen.shape[1])
        p = table[np.ix_(_successes(candidate), _successes(original))]
    else:
        p = permutation_table(candidate.chosen, original.chosen)
    return (p <= alpha + TOLERANCE).astype(np.float64)


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
    labels = indicators(m + m0, m)
    p = np.empty(count * count0)
    pairs, rows = np.arange(count * count0), max(1, BLOCK // relabellings)
    for start in range(0, len(pairs), rows):
        mine, other = np.divmod(pairs[start : start + rows], count0)
        pooled = np.concatenate([chosen[mine], original[other]], axis=1)
        observed = chosen[mine].sum(axis=1, keepdims=True)
        p[start : start + rows] = (pooled @ labels >= observed).mean(axis=1)
    return p.reshape(count, count0)
