"""Outcome arrays: their checks, and the lattice on which sums of outcomes are compared.

Outcomes are compared after rounding to nine decimals and summing as whole numbers of 1e-9 (held in
float64, exact up to 9e15), so that two arms with equal rewards tie whatever the order of summation.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])

UNITS = 1e9  # lattice units in an outcome of 1


def outcome_table(outcomes: ArrayLike, name: str = "outcomes") -> Array:
    """The outcomes (arms, rollouts) as float64, checked.

    Raises:
        ValueError: not two-dimensional, empty, or with an outcome that is not finite.
    """
    return _checked(outcomes, 2, f"{name} must have the shape (arms, rollouts)")


def outcome_row(outcomes: ArrayLike, name: str = "outcomes") -> Array:
    """The outcomes (rollouts,) of one arm as float64, checked as in `outcome_table`."""
    return _checked(outcomes, 1, f"{name} must have the shape (rollouts,)")


def success_table(successes: ArrayLike | None, outcomes: Array) -> Array:
    """The successes beside the outcomes: 0 or 1, of the same shape; the outcomes if none are given.

    Raises:
        ValueError: another shape, or values other than 0 and 1.
    """
    table = outcomes if successes is None else np.asarray(successes, dtype=np.float64)
    if table.shape != outcomes.shape:
        raise ValueError(f"successes have the shape {table.shape}, outcomes {outcomes.shape}.")
    if not is_binary(table):
        missing = "outcomes are rewards: give successes" if successes is None else "successes"
        raise ValueError(f"{missing} of 0 or 1, which this rule counts.")
    return table


def heldout_size(n: int, m: int) -> int:
    """How many of n rollouts remain when m select.

    Raises:
        ValueError: m is negative, or leaves nothing to evaluate on.
    """
    if not 0 <= m < n:
        raise ValueError(f"{m} of {n} rollouts cannot select: 0 to {n - 1} leave a held-out part.")
    return n - m


def lattice(values: Array) -> Array:
    """The values as whole numbers of lattice units."""
    return np.rint(values * UNITS)


def is_binary(values: Array) -> bool:
    """Whether every value is 0 or 1."""
    return bool(np.all((values == 0.0) | (values == 1.0)))


@lru_cache(maxsize=32)
def subsets(n: int, m: int) -> NDArray[np.intp]:
    """(C(n, m), m): the indices of every m-subset of n things, in lexicographic order."""
    flat = np.fromiter(chain.from_iterable(combinations(range(n), m)), dtype=np.intp)
    return frozen(flat.reshape(comb(n, m), m))


@lru_cache(maxsize=32)
def indicators(n: int, m: int) -> Array:
    """(n, C(n, m)): column j has a 1 for each member of the j-th m-subset."""
    table = np.zeros((n, comb(n, m)))
    np.put_along_axis(table, subsets(n, m).T, 1.0, axis=0)
    return frozen(table)


def frozen(array: AnyArray) -> AnyArray:
    """The array, made read-only because a cache hands it to everyone."""
    array.flags.writeable = False
    return array


def _checked(outcomes: ArrayLike, dimensions: int, shape: str) -> Array:
    table = np.asarray(outcomes, dtype=np.float64)
    if table.ndim != dimensions or table.size == 0:
        raise ValueError(f"{shape}, not {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError("outcomes must be finite: run the missing rollouts first.")
    return table
