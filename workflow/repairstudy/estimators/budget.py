"""How many own rollouts a candidate an evaluator is worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array


def equivalent_budget(curve: ArrayLike, value: float) -> float:
    """The smallest number of own rollouts whose (linearly interpolated) value reaches `value`.

    Args:
        curve: (R + 1,) values V_0..V_R of selection by own rollouts.
        value: value of the evaluator.

    Returns:
        A number in [0, R]; -inf if the value is below V_0 (worse than random), inf if no budget up
        to R reaches it, NaN if the value or the curve has a NaN.
    """
    return float(equivalent_budgets(np.asarray(curve)[None, :], np.array([value]))[0])


def equivalent_budgets(curves: ArrayLike, values: ArrayLike) -> Array:
    """The same for each row of curves (B, R + 1) and values (B,), such as bootstrap draws."""
    table, targets = np.asarray(curves, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[:1] != targets.shape or table.size == 0:
        raise ValueError(f"curves of shape {table.shape} do not fit values of {targets.shape}.")
    reached = table >= targets[:, None]
    first = reached.argmax(axis=1)
    rows = np.arange(len(table))
    before, after = table[rows, np.maximum(first - 1, 0)], table[rows, first]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = (targets - before) / (after - before)
    budget = np.where(first == 0, 0.0, first - 1 + part)
    budget[~reached.any(axis=1)] = np.inf
    budget[targets < table[:, 0]] = -np.inf
    budget[np.isnan(table).any(axis=1) | np.isnan(targets)] = np.nan
    return budget
