"""Selections by prior and own rollouts of many positions at once, where outcomes are 0 and 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array, heldout_size, is_binary, outcome_table
from repairstudy.estimators.external import DECIMALS
from repairstudy.estimators.hybrid import blended
from repairstudy.estimators.laws import hypergeometric
from repairstudy.estimators.tournament import BLOCK, gauss_legendre, win_probabilities


def blended_values(
    outcomes: Sequence[ArrayLike], r: int, priors: Sequence[ArrayLike], weights: ArrayLike
) -> Array:
    """(P,) values of `blended` at each position, from P tables, P priors and (P,) weights.

    Raises:
        ValueError: as in `blended`, or another number of priors or weights than of tables.
    """
    tables = [outcome_table(table) for table in outcomes]
    own = np.asarray(weights, dtype=np.float64)
    if own.shape != (len(tables),) or len(priors) != len(tables):
        raise ValueError(f"{len(priors)} priors and {own.shape} weights, {len(tables)} tables.")
    found = np.empty(len(tables))
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, (table, prior) in enumerate(zip(tables, priors, strict=True)):
        if r > 0 and is_binary(table) and np.shape(prior) == table.shape[:1]:
            groups[table.shape].append(i)
        else:
            found[i] = blended(table, r, prior, float(own[i])).value
    for (arms, n), members in groups.items():
        heldout_size(n, r)
        points = arms * (r + 1)
        size = max(1, BLOCK // (arms * points * max(r + 1, len(gauss_legendre(arms)[0]))))
        for start in range(0, len(members), size):
            part = members[start : start + size]
            beliefs = np.array([priors[i] for i in part], dtype=np.float64)
            sums = np.array([tables[i].sum(axis=1) for i in part])
            found[part] = _values(sums, n, r, beliefs, own[part])
    return found


def _values(sums: Array, n: int, r: int, priors: Array, weights: Array) -> Array:
    """(P,) values of positions of equal shape, from the sums (P, K) of n outcomes of each arm."""
    positions, arms = sums.shape
    pmf = hypergeometric(n, r)[sums.astype(np.intp)]  # (P, K, r + 1)
    own = weights[:, None, None]
    x = np.arange(r + 1.0)
    shown = np.round(own * x / r + (1.0 - own) * priors[..., None], DECIMALS)
    points = shown.reshape(positions, 1, -1, 1)
    chances, theirs = pmf[:, :, None, :], shown[:, :, None, :]
    below = (chances * (theirs < points)).sum(axis=-1)  # (P, K, K (r + 1))
    at = (chances * (theirs == points)).sum(axis=-1)
    wins = win_probabilities(below.swapaxes(0, 1), at.swapaxes(0, 1))
    wins = wins.reshape(arms, positions, arms, r + 1)[np.arange(arms), :, np.arange(arms)]
    rest = (sums[..., None] - x) / (n - r)
    return np.asarray((pmf * rest * wins.swapaxes(0, 1)).sum(axis=(1, 2)))
