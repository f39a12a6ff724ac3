"""The positions of a failure, and a selection among all pairs of position and candidate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from repairstudy.estimators.arrays import Array, outcome_row, outcome_table


class Position(NamedTuple):
    """The outcomes of one position of a failure; positions come in the order of their step.

    Attributes:
        outcomes: (K, n) outcomes of the candidates.
        original: (n0,) outcomes of the original action; n0 may differ from n.
        successes: (K, n) 0 or 1, for the rules that count successes; not needed if the outcomes
            are successes.
        original_successes: (n0,) the same of the original. No rule here counts them.
    """

    outcomes: Array
    original: Array
    successes: Array | None = None
    original_successes: Array | None = None


class FailureSelected(NamedTuple):
    """A selection among all pairs of position and candidate.

    Attributes:
        value: expected held-out net gain of the pair that is selected.
        weights: for each position (K_t,) probability that each pair is selected; all sum to 1.
    """

    value: float
    weights: tuple[Array, ...]


def mean_gains(position: Position) -> Array:
    """(K,) mean outcome of each candidate minus that of the original, over all rollouts."""
    original = outcome_row(position.original, "original")
    return np.asarray(outcome_table(position.outcomes).mean(axis=1) - original.mean())


def original_size(n: int, m: int, n0: int) -> int:
    """How many of n0 rollouts of the original select when m of n do for a candidate.

    # ASSUME the same share, rounded, with at least one rollout on either side.

    Raises:
        ValueError: the original has too few rollouts to be split.
    """
    if m == 0:
        return 0
    if n0 < 2:
        raise ValueError("the original needs at least 2 rollouts to be cross-fitted.")
    return min(max(round(m * n0 / n), 1), n0 - 1)
