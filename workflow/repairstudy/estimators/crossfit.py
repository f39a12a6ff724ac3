"""The cross-fit value of matched selection: m own rollouts select, the others evaluate."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import (
    UNITS,
    Array,
    heldout_size,
    indicators,
    lattice,
    outcome_table,
)
from repairstudy.estimators.laws import LISTED_SUBSETS, subset_law
from repairstudy.estimators.tournament import Selected, tournament


def crossfit(outcomes: ArrayLike, m: int) -> Selected:
    """Selection by m rollouts an arm, over all independent splits of the arms.

    Source: docs/statistics.md, section 2.

    For outcomes of 0 and 1 the value is the minimum-variance unbiased estimate of V_m, the value of
    choosing by m fresh rollouts of each arm. Arms must not share random numbers by index; use
    `common_splits` if they do.

    Args:
        outcomes: (K, n) outcomes of n rollouts of K arms.
        m: rollouts that select, 0 to n - 1; 0 selects at random.

    Raises:
        ValueError: a malformed table, or m outside 0..n - 1.
    """
    table = outcome_table(outcomes)
    heldout_size(table.shape[1], m)
    return tournament([subset_law(row, m) for row in table])


def common_splits(outcomes: ArrayLike, m: int) -> Selected:
    """The same over all C(n, m) splits of the indices, one split for all arms at a time.

    Args:
        outcomes: (K, n) outcomes; rollout j of every arm is in the same part.
        m: rollouts that select, 0 to n - 1.

    Raises:
        ValueError: as in `crossfit`, or more than 200,000 splits.
    """
    table = outcome_table(outcomes)
    n = table.shape[1]
    heldout_size(n, m)
    if comb(n, m) > LISTED_SUBSETS:
        raise ValueError(f"{comb(n, m)} splits are too many to list: use random_splits.")
    return _over_splits(table, indicators(n, m))


def random_splits(outcomes: ArrayLike, m: int, splits: int, rng: np.random.Generator) -> Selected:
    """The same over some random splits of the indices, as published (50 of them).

    Args:
        outcomes: (K, n) outcomes; rollout j of every arm is in the same part.
        m: rollouts that select, 0 to n - 1.
        splits: how many splits.
        rng: source of the splits.

    Raises:
        ValueError: as in `crossfit`, or no split.
    """
    table = outcome_table(outcomes)
    n = table.shape[1]
    heldout_size(n, m)
    if splits < 1:
        raise ValueError(f"{splits} splits give no value.")
    selecting = np.repeat([1.0, 0.0], [m, n - m])
    return _over_splits(table, rng.permuted(np.tile(selecting, (splits, 1)), axis=1).T)


def budget_curve(outcomes: ArrayLike, largest: int | None = None) -> Array:
    """The values V_0..V_largest of selection by 0, 1, 2, ... own rollouts an arm.

    V_n itself has no unbiased estimate from n rollouts.

    Args:
        outcomes: (K, n) outcomes.
        largest: the last budget; n - 1 if not given.

    Returns:
        (largest + 1,) values.

    Raises:
        ValueError: a malformed table, or `largest` outside 0..n - 1.
    """
    table = outcome_table(outcomes)
    last = table.shape[1] - 1 if largest is None else largest
    heldout_size(table.shape[1], last)
    return np.array([crossfit(table, m).value for m in range(last + 1)])


def _over_splits(table: Array, chosen: Array) -> Selected:
    """The average over splits, given as columns (n, splits) with a 1 for each selecting index."""
    units = lattice(table)
    sums = units @ chosen
    winners = sums == sums.max(axis=0)
    share = winners / winners.sum(axis=0)
    held = (1.0 - chosen).sum(axis=0)
    rest = (units.sum(axis=1, keepdims=True) - sums) / (UNITS * held)
    return Selected(float((share * rest).sum(axis=0).mean()), share.mean(axis=1))
