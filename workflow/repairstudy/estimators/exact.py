"""Values when the arms' success probabilities are known: the truth that estimates aim at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.external import argmax_weights
from repairstudy.estimators.laws import binomial_law
from repairstudy.estimators.tournament import Selected, tournament


def exact_value(p: ArrayLike, m: int) -> Selected:
    """V_m: the value of the arg max of m fresh rollouts of each arm.

    Source: docs/statistics.md, section 9.

    Args:
        p: (K,) success probability of each arm.
        m: rollouts that select.
    """
    return exact_external(p, p, m)


def exact_external(p: ArrayLike, q: ArrayLike, r: int | None) -> Selected:
    """The value of an evaluator under which the arms succeed with probabilities q.

    Args:
        p: (K,) success probability of each arm under the deployed executor.
        q: (K,) the same under the evaluator.
        r: rollouts of the evaluator; None for infinitely many, which compares q itself (equal to
            nine decimals is a tie).

    Raises:
        ValueError: different numbers of arms, or probabilities outside [0, 1].
    """
    values, rates = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if values.ndim != 1 or values.shape != rates.shape:
        raise ValueError(f"p has the shape {values.shape}, q {rates.shape}: one number an arm.")
    if not all(((x >= 0.0) & (x <= 1.0)).all() for x in (values, rates)):
        raise ValueError("success probabilities must be in [0, 1].")
    if r is None:
        weights = argmax_weights(rates)
        return Selected(float(weights @ values), weights)
    return tournament(
        [binomial_law(rate, r, value) for rate, value in zip(rates, values, strict=True)]
    )
