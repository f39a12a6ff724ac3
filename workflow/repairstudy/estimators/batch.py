"""The estimators of many positions at once: one array operation where outcomes are 0 and 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repairstudy.estimators.arrays import Array, heldout_size, is_binary, outcome_table
from repairstudy.estimators.crossfit import crossfit
from repairstudy.estimators.external import subsample_weights
from repairstudy.estimators.laws import hypergeometric
from repairstudy.estimators.tournament import BLOCK, Selected, gauss_legendre, win_probabilities


def crossfit_many(outcomes: Sequence[ArrayLike], m: int) -> list[Selected]:
    """`crossfit` of each position; the positions may differ in arms and rollouts.

    Args:
        outcomes: P tables (K, n), or one array (P, K, n).
        m: rollouts that select, as in `crossfit`.

    Raises:
        ValueError: as in `crossfit`.
    """
    tables = [outcome_table(table) for table in outcomes]
    for table in tables:
        heldout_size(table.shape[1], m)
    selected = _selected(tables, m)
    return [
        crossfit(table, m) if one is None else one
        for table, one in zip(tables, selected, strict=True)
    ]


def budget_curves(outcomes: Sequence[ArrayLike], largest: int) -> Array:
    """`budget_curve` of each position up to the budget `largest`: (P, largest + 1) values."""
    curves = [
        [selected.value for selected in crossfit_many(outcomes, m)] for m in range(largest + 1)
    ]
    return np.array(curves).T


def subsample_weights_many(outcomes: Sequence[ArrayLike], r: int) -> list[Array]:
    """`subsample_weights` of each position, from P tables (K, R)."""
    tables = [outcome_table(table) for table in outcomes]
    return [
        subsample_weights(table, r) if one is None else one.weights
        for table, one in zip(tables, _selected(tables, r), strict=True)
    ]


def _selected(tables: list[Array], m: int) -> list[Selected | None]:
    """The selections of the positions whose outcomes are 0 and 1; None for those with rewards."""
    found: list[Selected | None] = [None] * len(tables)
    for n, members in _binary_groups(tables):
        counts = np.array([tables[i].sum(axis=1) for i in members], dtype=np.intp)
        for i, selected in zip(members, _hypergeometric_tournaments(counts, n, m), strict=True):
            found[i] = selected
    return found


def _binary_groups(tables: list[Array]) -> Iterator[tuple[int, list[int]]]:
    """Positions of 0 and 1 with equal shapes, in groups that fit into memory, with their n."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, table in enumerate(tables):
        if is_binary(table):
            groups[table.shape].append(i)
    for (arms, n), members in groups.items():
        size = max(1, BLOCK // (arms * (n + 1) * len(gauss_legendre(arms)[0])))
        for start in range(0, len(members), size):
            yield n, members[start : start + size]


def _hypergeometric_tournaments(counts: NDArray[np.intp], n: int, m: int) -> list[Selected]:
    """Tournaments by m of n rollouts of arms with the success counts (P, K)."""
    if m > n:
        raise ValueError(f"m = {m} is not in 0..{n}, the rollouts of the arm.")
    pmf = hypergeometric(n, m)[counts.T]  # (K, P, m + 1)
    credit = pmf * win_probabilities(np.cumsum(pmf, axis=2) - pmf, pmf)
    heldout = (counts.T[:, :, None] - np.arange(m + 1)) / (n - m) if m < n else np.nan
    values = (credit * heldout).sum(axis=(0, 2))
    weights = np.ascontiguousarray(credit.sum(axis=2).T)
    return [Selected(float(v), w) for v, w in zip(values, weights, strict=True)]
