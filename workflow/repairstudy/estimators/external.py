"""Evaluators whose scores are independent of the rollouts that evaluate their selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array, outcome_table
from repairstudy.estimators.laws import subset_law
from repairstudy.estimators.tournament import tournament

DECIMALS = 9  # scores equal to this many decimals are tied


def argmax_weights(scores: ArrayLike) -> Array:
    """The arg max of the scores, ties shared equally.

    Args:
        scores: (K,) higher is better; NaN = no score, never selected unless no arm has a score,
            and then all arms are tied.

    Returns:
        (K,) probability that each arm is selected.

    Raises:
        ValueError: no arm.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"scores must have the shape (arms,), not {values.shape}.")
    return best_of(values)


def best_of(scores: Array) -> Array:
    """The same along the last axis of scores (..., K)."""
    values = np.round(scores, DECIMALS)
    scored = ~np.isnan(values)
    most = np.where(scored, values, -np.inf).max(axis=-1, keepdims=True)
    best = np.where(scored.any(axis=-1, keepdims=True), scored & (values == most), True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def fixed_value(weights: ArrayLike, outcomes: ArrayLike) -> float:
    """The value of a selection that did not see the outcomes: sum_a w_a mean_j y_aj.

    All rollouts evaluate: over all splits the held-out mean of a fixed choice is its mean.

    Args:
        weights: (K,) probability that each arm is selected.
        outcomes: (K, n) outcomes.

    Raises:
        ValueError: another number of weights than arms, or weights that do not sum to 1.
    """
    table = outcome_table(outcomes)
    return float(checked_weights(weights, len(table)) @ table.mean(axis=1))


def subsample_weights(outcomes: ArrayLike, r: int) -> Array:
    """The selection of an evaluator that has R rollouts an arm and uses r of them.

    The expectation over independent r-subsets of each arm's rollouts, ties shared equally.

    Args:
        outcomes: (K, R) outcomes of the evaluator's own rollouts, none of which evaluates.
        r: how many it uses, 0 to R.

    Returns:
        (K,) probability that each arm is selected.

    Raises:
        ValueError: a malformed table, or r outside 0..R.
    """
    return tournament([subset_law(row, r) for row in outcome_table(outcomes)]).weights


def checked_weights(weights: ArrayLike, arms: int) -> Array:
    """The weights as float64, one an arm, checked to sum to 1."""
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (arms,):
        raise ValueError(f"weights have the shape {checked.shape}, but there are {arms} arms.")
    if not abs(checked.sum() - 1.0) < 1e-9:
        raise ValueError(f"weights sum to {checked.sum()}, not to 1.")
    return checked
