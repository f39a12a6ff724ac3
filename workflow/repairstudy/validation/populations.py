"""Populations of failures with known probabilities, and studies drawn from them.

A study draws failures from a finite population and rolls them out, so that every true value is a
mean over the population.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.arrays import Array

Indices = NDArray[np.intp]
ROLLOUTS, MATCHED = 10, 5  # label rollouts of a candidate, and how many of them select


@dataclass(frozen=True)
class Population:
    """N failures with K candidates each at one position; outcomes are 0, 1/(L-1), .., 1.

    Attributes:
        name: what it is called in the table.
        own: (N, K, L) probability of each outcome under the deployed executor.
        original: (N, L) the same of the original action.
        others: (N, K, L) by evaluator that runs rollouts.
        fixed: (N, K) selection of each evaluator that runs none.
        tasks: (T, M) members of each task.
    """

    name: str
    own: Array
    original: Array
    tasks: Indices
    others: Mapping[str, Array] = field(default_factory=dict)
    fixed: Mapping[str, Array] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.own)

    @property
    def means(self) -> Array:
        """(N, K) expected outcome of each candidate."""
        return expected(self.own)

    @property
    def original_means(self) -> Array:
        """(N,) expected outcome of each original."""
        return expected(self.original)

    def draw(self, studies: int, failures: int, per_task: int, rng: np.random.Generator) -> Indices:
        """(studies, failures) members; with `per_task` > 1 neighbours are failures of one task."""
        if per_task == 1:
            return rng.integers(0, self.size, (studies, failures))
        drawn = rng.integers(0, len(self.tasks), (studies, failures // per_task))
        order = rng.random((*drawn.shape, self.tasks.shape[1])).argsort(axis=-1)[..., :per_task]
        return np.take_along_axis(self.tasks[drawn], order, axis=-1).reshape(studies, -1)


class Observed(NamedTuple):
    """What P failures of studies show.

    Attributes:
        outcomes: (P, K, n) rollouts of the deployed executor.
        original: (P, n) those of the original action.
        others: (P, K, R) rollouts of each evaluator.
        fixed: (P, K) selections of the evaluators that run none.
    """

    outcomes: Array
    original: Array
    others: Mapping[str, Array]
    fixed: Mapping[str, Array]


def observe(
    population: Population, chosen: Indices, evaluator_rollouts: int, rng: np.random.Generator
) -> Observed:
    """Roll out the members `chosen` (P,), `evaluator_rollouts` of each evaluator's candidates."""
    return Observed(
        roll(population.own[chosen], ROLLOUTS, rng),
        roll(population.original[chosen], ROLLOUTS, rng),
        {
            name: roll(chances[chosen], evaluator_rollouts, rng)
            for name, chances in population.others.items()
        },
        {name: weights[chosen] for name, weights in population.fixed.items()},
    )


def roll(chances: Array, n: int, rng: np.random.Generator) -> Array:
    """(..., n) outcomes, given their probabilities (..., L)."""
    uniform = rng.random((*chances.shape[:-1], n))
    levels = chances.shape[-1] - 1
    outcomes = np.zeros(uniform.shape)
    for passed in np.moveaxis(np.cumsum(chances, axis=-1)[..., :-1], -1, 0):
        outcomes += uniform >= passed[..., None]
    return outcomes / levels


def expected(chances: Array) -> Array:
    """(...) the mean outcome, given probabilities (..., L)."""
    return chances @ np.linspace(0.0, 1.0, chances.shape[-1])


def binary(rates: Array) -> Array:
    """(..., 2) the probabilities of 0 and 1, given those of 1."""
    return np.stack([1.0 - rates, rates], axis=-1)


def clusters_of(failures: int, per_task: int) -> NDArray[np.str_]:
    """(failures,) label of the task of each failure of a study."""
    return np.array([f"task {i // per_task:04d}" for i in range(failures)])
