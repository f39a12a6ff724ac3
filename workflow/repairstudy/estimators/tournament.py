"""The arg max among independent arms, ties shared equally, with every expectation exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from repairstudy.estimators.arrays import Array, frozen
from repairstudy.estimators.laws import Law

BLOCK = 2_000_000  # numbers held at once, 16 MB


class Selected(NamedTuple):
    """A selection among K arms.

    Attributes:
        value: expected held-out value of the arm that is selected.
        weights: (K,) probability that each arm is selected; they sum to 1.
    """

    value: float
    weights: Array


@lru_cache(maxsize=256)
def gauss_legendre(arms: int) -> tuple[Array, Array]:
    """Nodes and weights on [0, 1], exact for polynomials of degree arms - 1: ceil(arms / 2)."""
    nodes, weights = np.polynomial.legendre.leggauss((arms + 1) // 2)
    return frozen((nodes + 1.0) / 2.0), frozen(weights / 2.0)


def win_probabilities(below: Array, at: Array, tied: int | None = None) -> Array:
    """The probability that an arm at a point wins against all others, ties shared equally.

    T_a(x) = integral over u in [0, 1] of prod_{b != a} [F_b(x-) + u f_b(x)], since the integral of
    u^r is 1 / (r + 1), an arm's share of a tie with r others (docs/statistics.md, section 2).

    Args:
        below: (K, ...) probability F_b(x-) that each arm is below the point.
        at: (K, ...) probability f_b(x) that it is at the point.
        tied: at most so many arms can be at one point, which saves nodes; all if not given.

    Returns:
        (K, ...) probability T_a(x).
    """
    nodes, gauss = gauss_legendre(tied or len(below))
    return leave_one_out(below[..., None] + at[..., None] * nodes) @ gauss


def leave_one_out(factors: Array) -> Array:
    """For each arm the product of the factors (K, ...) of all other arms, without division."""
    products = np.empty_like(factors)
    running = np.ones(factors.shape[1:])
    for a in range(len(factors)):
        products[a] = running
        running *= factors[a]
    running = np.ones(factors.shape[1:])
    for a in reversed(range(len(factors))):
        products[a] *= running
        running *= factors[a]
    return products


def tournament(laws: Sequence[Law]) -> Selected:
    """The selection of the arm with the largest sum, ties shared equally; arms are independent.

    value = sum_a sum_x f_a(x) T_a(x) heldout_a(x).

    Raises:
        ValueError: no arm.
    """
    if not laws:
        raise ValueError("a tournament needs at least one arm.")
    supports = np.concatenate([law.support for law in laws])
    points, arms_there = np.unique(supports, return_counts=True)
    tied = int(arms_there.max())
    value, weights = 0.0, np.zeros(len(laws))
    for block in _blocks(points, len(laws)):
        below, at, heldout = tabulate(laws, block)
        credit = at * win_probabilities(below, at, tied)
        weights += credit.sum(axis=1)
        value += float((credit * heldout).sum())
    return Selected(value, weights)


def tabulate(laws: Sequence[Law], points: Array) -> tuple[Array, Array, Array]:
    """(K, L) each: probability below each point, at it, and the held-out value there (else 0)."""
    below, at, heldout = np.empty((3, len(laws), len(points)))
    for a, law in enumerate(laws):
        place = np.searchsorted(law.support, points)
        below[a] = np.concatenate([[0.0], np.cumsum(law.pmf)])[place]
        place = np.minimum(place, len(law.support) - 1)
        hit = law.support[place] == points
        at[a] = np.where(hit, law.pmf[place], 0.0)
        heldout[a] = np.where(hit, law.heldout[place], 0.0)
    return below, at, heldout


def _blocks(points: Array, arms: int) -> Iterator[Array]:
    size = max(1, BLOCK // (arms * ((arms + 1) // 2)))
    for start in range(0, len(points), size):
        yield points[start : start + size]
