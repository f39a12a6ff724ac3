"""Choosing a position and a candidate together, among all sampled positions of a failure.

The original action does not cancel here: selecting on a gain over an original that was low by luck
would credit that luck too. So the original is cross-fitted like the candidates, by halves of its
own at each position (docs/statistics.md, section 0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import heldout_size, outcome_row, outcome_table
from repairstudy.estimators.external import checked_weights
from repairstudy.estimators.failure_rules import earliest_success, latest_significant
from repairstudy.estimators.laws import binomial_law, subset_law
from repairstudy.estimators.positions import (
    FailureSelected,
    Position,
    mean_gains,
    original_size,
)
from repairstudy.estimators.race import Contest, race

__all__ = [
    "FailureSelected",
    "Position",
    "crossfit_failure",
    "earliest_success",
    "exact_failure",
    "fixed_failure",
    "latest_significant",
]


def crossfit_failure(positions: Sequence[Position], m: int) -> FailureSelected:
    """Selection of the pair with the largest gain on the selection halves, ties shared equally.

    The gain is mean_sel(candidate) - mean_sel(original), the credit the same on the other halves;
    exact over independent splits of every candidate and of every position's original.

    Args:
        positions: the failure's positions.
        m: rollouts of each candidate that select, 0 to n - 1; of the original `original_size`.

    Raises:
        ValueError: no position, malformed outcomes, m outside 0..n - 1, or too many distinct sums.
    """
    return race([_contest(position, m) for position in positions])


def fixed_failure(weights: Sequence[ArrayLike], positions: Sequence[Position]) -> float:
    """The net gain of a selection that did not see the outcomes: all rollouts evaluate.

    Args:
        weights: for each position (K_t,) probability that each pair is selected.
        positions: the failure's positions.

    Raises:
        ValueError: weights that do not fit the positions, or do not sum to 1 in all.
    """
    sizes = [len(outcome_table(position.outcomes)) for position in positions]
    if [len(np.atleast_1d(part)) for part in weights] != sizes:
        raise ValueError(f"weights must have the sizes {sizes} of the positions' candidates.")
    flat = checked_weights(np.concatenate(list(map(np.asarray, weights))), sum(sizes))
    return float(flat @ np.concatenate([mean_gains(position) for position in positions]))


def exact_failure(values: Sequence[tuple[ArrayLike, float]], m: int, m0: int) -> FailureSelected:
    """The same when success probabilities are known, with m and m0 fresh rollouts to select.

    Args:
        values: for each position the candidates' probabilities (K_t,) and the original's.
        m: rollouts of each candidate that select.
        m0: rollouts of each position's original that select.
    """
    return race(
        [
            Contest([binomial_law(p, m) for p in np.asarray(arms)], m, binomial_law(p0, m0), m0)
            for arms, p0 in values
        ]
    )


def _contest(position: Position, m: int) -> Contest:
    table, original = outcome_table(position.outcomes), outcome_row(position.original, "original")
    heldout_size(table.shape[1], m)
    m0 = original_size(table.shape[1], m, len(original))
    return Contest([subset_law(row, m) for row in table], m, subset_law(original, m0), m0)
