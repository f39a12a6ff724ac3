"""The estimators of many positions at once: one array operation where outcomes are 0 and 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.acceptance import acceptance, check_acceptance
from repairstudy.estimators.arrays import Array, heldout_size, is_binary, outcome_table
from repairstudy.estimators.crossfit import crossfit
from repairstudy.estimators.external import best_of, subsample_weights
from repairstudy.estimators.laws import hypergeometric
from repairstudy.estimators.tournament import BLOCK, Selected, gauss_legendre, win_probabilities

Tables = Sequence[ArrayLike] | Array  # one table a position, or all in one array


def crossfit_many(outcomes: Tables, m: int) -> list[Selected]:
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
    selected = _selected(tables, lambda n: _sums(n, m))
    return [
        crossfit(table, m) if one is None else one
        for table, one in zip(tables, selected, strict=True)
    ]


def budget_curves(outcomes: Tables, largest: int) -> Array:
    """`budget_curve` of each position up to the budget `largest`: (P, largest + 1) values."""
    curves = [
        [selected.value for selected in crossfit_many(outcomes, m)] for m in range(largest + 1)
    ]
    return np.array(curves).T


def subsample_weights_many(outcomes: Tables, r: int) -> list[Array]:
    """`subsample_weights` of each position, from P tables (K, R)."""
    tables = [outcome_table(table) for table in outcomes]
    return [
        subsample_weights(table, r) if one is None else one.weights
        for table, one in zip(tables, _selected(tables, lambda n: _sums(n, r)), strict=True)
    ]


def argmax_weights_many(scores: ArrayLike) -> Array:
    """`argmax_weights` of each of P positions with equally many arms: (P, K) scores to weights.

    Raises:
        ValueError: another shape, or no arm.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"scores must have the shape (positions, arms), not {table.shape}.")
    return best_of(table)


def fixed_values(weights: ArrayLike, outcomes: ArrayLike) -> Array:
    """`fixed_value` of each of P positions with equally many arms and rollouts.

    Args:
        weights: (P, K) probability that each arm is selected.
        outcomes: (P, K, n) outcomes.

    Returns:
        (P,) values.

    Raises:
        ValueError: shapes that do not fit, outcomes that are not finite, or weights of a position
            that do not sum to 1.
    """
    chosen, table = np.asarray(weights, np.float64), np.asarray(outcomes, np.float64)
    if table.ndim != 3 or chosen.shape != table.shape[:2] or table.size == 0:
        raise ValueError(f"weights of {chosen.shape} do not fit outcomes of {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError("outcomes must be finite: run the missing rollouts first.")
    if not (np.abs(chosen.sum(axis=1) - 1.0) < 1e-9).all():
        raise ValueError("the weights of every position must sum to 1.")
    return np.asarray((chosen * table.mean(axis=2)).sum(axis=1))


def acceptance_many(
    outcomes: Tables,
    k: int,
    of: int,
    successes: Tables | None = None,
) -> list[Selected]:
    """`acceptance` of each position, from P tables (K, n) and as many of successes if given."""
    tables = [outcome_table(table) for table in outcomes]
    wins: list[ArrayLike | None] = [None] * len(tables) if successes is None else [*successes]
    # Rewards and successes apart are no business of counts alone.
    counted = [
        table if win is None or np.array_equal(win, table) else None
        for table, win in zip(tables, wins, strict=True)
    ]
    check_acceptance(k, of)
    for table in tables:
        heldout_size(table.shape[1], of)
    return [
        acceptance(table, k, of, win) if one is None else one
        for table, win, one in zip(
            tables, wins, _selected(counted, lambda n: _verdicts(n, k, of)), strict=True
        )
    ]


# For each number of successes s = 0..n: probabilities (n + 1, L) of what an arm may show, in
# ascending order, and the value that is then credited.
Rule = Callable[[int], tuple[Array, Array]]


def _sums(n: int, m: int) -> tuple[Array, Array]:
    """An arm shows how many of m rollouts succeed."""
    if m > n:
        raise ValueError(f"m = {m} is not in 0..{n}, the rollouts of the arm.")
    pmf = hypergeometric(n, m)
    rest = np.arange(n + 1.0)[:, None] - np.arange(m + 1)
    return pmf, rest / (n - m) if m < n else np.full_like(pmf, np.nan)


def _verdicts(n: int, k: int, of: int) -> tuple[Array, Array]:
    """An arm shows whether it is rejected or accepted."""
    pmf, heldout = _sums(n, of)
    verdict = np.stack([np.arange(of + 1) < k, np.arange(of + 1) >= k], axis=1)
    chances, credit = pmf @ verdict, (pmf * heldout) @ verdict
    return chances, np.divide(credit, chances, out=np.zeros_like(credit), where=chances > 0)


def _selected(tables: Sequence[Array | None], rule: Rule) -> list[Selected | None]:
    """The selections of the positions whose outcomes are 0 and 1; None for all others."""
    found: list[Selected | None] = [None] * len(tables)
    groups: dict[tuple[int, ...], list[tuple[int, Array]]] = defaultdict(list)
    for i, table in enumerate(tables):
        if table is not None and is_binary(table):
            groups[table.shape].append((i, table.sum(axis=1)))
    for (arms, n), members in groups.items():
        chances, heldout = rule(n)
        size = max(1, BLOCK // (arms * chances.shape[1] * len(gauss_legendre(arms)[0])))
        for start in range(0, len(members), size):
            places, sums = zip(*members[start : start + size], strict=True)
            counts = np.array(sums, dtype=np.intp).T
            selected = _tournaments(chances[counts], heldout[counts])
            for i, one in zip(places, selected, strict=True):
                found[i] = one
    return found


def _tournaments(pmf: Array, heldout: Array) -> list[Selected]:
    """Tournaments at P positions of K arms on L common points, each array (K, P, L)."""
    credit = pmf * win_probabilities(np.cumsum(pmf, axis=2) - pmf, pmf)
    values = (credit * heldout).sum(axis=(0, 2))
    weights = np.ascontiguousarray(credit.sum(axis=2).T)
    return [Selected(float(v), w) for v, w in zip(values, weights, strict=True)]
