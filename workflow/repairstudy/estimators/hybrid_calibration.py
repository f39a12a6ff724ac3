"""Scores turned into expected outcomes: ridge regressions, logistic and linear."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array

STEPS = 40  # of Newton's method
CLOSE = 1e-10


def design(scores: ArrayLike) -> Array:
    """(K, 2 J): each score less its mean at the position, and that mean.

    The first tells the candidates of a position apart; the second says how hopeful the position
    is. A missing score is the mean of the others; where all are missing both are 0.

    Args:
        scores: (K, J) scores of the candidates of one position; NaN: no score.

    Raises:
        ValueError: another shape, or no score at all.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"scores must be (candidates, scores), not {table.shape}.")
    known = np.isfinite(table)
    total = np.where(known, table, 0.0).sum(axis=0)
    level = total / np.maximum(known.sum(axis=0), 1)
    inner = np.where(known, table - level, 0.0)
    return np.hstack([inner, np.broadcast_to(level, table.shape)])


def fit_line(x: Array, y: Array, weights: Array, ridge: float) -> Array:
    """(D + 1,) intercept and slopes: weighted least squares, the slopes shrunk.

    Args:
        x: (N, D) predictors, standardised.
        y: (N,) means.
        weights: (N,) rollouts behind each.
        ridge: penalty; the intercept bears none.
    """
    table, penalty = _with_intercept(x, ridge)
    gram = table.T @ (weights[:, None] * table) + penalty
    return np.asarray(np.linalg.solve(gram, table.T @ (weights * y)))


def fit_logistic(x: Array, y: Array, weights: Array, ridge: float) -> Array:
    """(D + 1,) intercept and slopes of the penalised binomial likelihood, by Newton's method.

    Means of rewards count as means of successes do (quasi-likelihood). Steps are halved until the
    objective falls, and the intercept is held within 12 of 0, where outcomes are all alike.

    Args: as `fit_line`.
    """
    table, penalty = _with_intercept(x, ridge)
    beta = np.zeros(table.shape[1])
    mean = float(np.clip((weights @ y) / weights.sum(), 6e-6, 1.0 - 6e-6))
    beta[0] = np.log(mean / (1.0 - mean))
    value = _objective(beta, table, y, weights, penalty)
    for _ in range(STEPS):
        p = logistic(table @ beta)
        slope = table.T @ (weights * (p - y)) + penalty @ beta
        curvature = table.T @ ((weights * p * (1.0 - p))[:, None] * table) + penalty
        curvature[0, 0] += 1e-9
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while size > 1e-4:
            trial = beta - size * step
            trial[0] = np.clip(trial[0], -12.0, 12.0)
            new = _objective(trial, table, y, weights, penalty)
            if new <= value:
                break
            size /= 2.0
        else:
            break
        beta, gain, value = trial, value - new, new
        if gain < CLOSE:
            break
    return beta


def logistic(z: Array) -> Array:
    """1 / (1 + exp(-z)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * z)))


def _objective(beta: Array, x: Array, y: Array, weights: Array, penalty: Array) -> float:
    z = x @ beta
    return float(weights @ (np.logaddexp(0.0, z) - y * z) + 0.5 * beta @ penalty @ beta)


def _with_intercept(x: Array, ridge: float) -> tuple[Array, Array]:
    if ridge <= 0.0:
        raise ValueError(f"ridge = {ridge} must be above 0: equal scores would have no fit.")
    table = np.hstack([np.ones((len(x), 1)), x])
    penalty = np.full(table.shape[1], ridge)
    penalty[0] = 0.0
    return table, np.diag(penalty)
