"""Replicated studies, each as the losses of its failures, with intervals and p-values of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from repairstudy.analysis.plan import BootstrapPlan
from repairstudy.estimators.arrays import Array
from repairstudy.estimators.batch import argmax_weights_many, crossfit_many, fixed_values
from repairstudy.estimators.hypotheses import p_centred, p_inversion
from repairstudy.estimators.inference import (
    Interval,
    bootstrap_t_interval,
    cluster_bootstrap,
    percentile_interval,
    t_interval,
)
from repairstudy.records import generator
from repairstudy.validation import truth
from repairstudy.validation.populations import (
    MATCHED,
    Observed,
    Population,
    clusters_of,
    observe,
)

LARGEST = 120  # failures drawn together; smaller studies are parts of such a draw
SIZES = (30, 60, 120)
BATCH = 50  # draws of 120 failures whose studies share bootstrap draws
EVALUATOR_ROLLOUTS = 5
REPLICATES, SEED = BootstrapPlan().replicates, BootstrapPlan().seed  # a plan's defaults


class Losses(NamedTuple):
    """What P failures say.

    Attributes:
        losses: (P, E) of each evaluator.
        gap: (P,) matched minus random selection.
        gain: (P,) net gain of matched selection.
    """

    losses: Array
    gap: Array
    gain: Array


def losses_of(seen: Observed) -> Losses:
    """Matched selection by half of the rollouts against every evaluator's choice."""
    outcomes = seen.outcomes
    matched = np.array([one.value for one in crossfit_many(outcomes, MATCHED)])
    weights = [argmax_weights_many(rollouts.mean(axis=2)) for rollouts in seen.others.values()]
    values = [fixed_values(chosen, outcomes) for chosen in [*weights, *seen.fixed.values()]]
    random = np.full(outcomes.shape[:2], 1.0 / outcomes.shape[1])
    return Losses(
        matched[:, None] - np.stack(values, axis=1),
        matched - fixed_values(random, outcomes),
        matched - seen.original.mean(axis=1),
    )


def true_losses(population: Population) -> Losses:
    """(N, E), (N,), (N,) the exact values behind them."""
    means = population.means
    by_rollouts = [
        truth.weights_by_rollouts(chances, EVALUATOR_ROLLOUTS)
        for chances in population.others.values()
    ]
    matched = (truth.weights_by_rollouts(population.own, MATCHED) * means).sum(axis=1)
    values = [(w * means).sum(axis=1) for w in [*by_rollouts, *population.fixed.values()]]
    return Losses(
        matched[:, None] - np.stack(values, axis=1),
        matched - means.mean(axis=1),
        matched - population.original_means,
    )


class Draw(NamedTuple):
    """A batch of draws of 120 failures each.

    Attributes:
        number: which batch.
        losses: (draws, 120, E).
        gap, gain: (draws, 120).
    """

    number: int
    losses: Array
    gap: Array
    gain: Array


def draws(population: Population, count: int, per_task: int) -> Iterator[Draw]:
    """Batches of draws, `count` in all."""
    for number, start in enumerate(range(0, count, BATCH)):
        rng = generator("validation", "studies", population.name, per_task, number)
        size = min(BATCH, count - start)
        chosen = population.draw(size, LARGEST, per_task, rng)
        found = losses_of(observe(population, chosen.ravel(), EVALUATOR_ROLLOUTS, rng))
        yield Draw(number, *(part.reshape(size, LARGEST, *part.shape[1:]) for part in found))


def as_studies(columns: Array, failures: int) -> Array:
    """(failures, S, E): draws (D, 120, E) cut into S = D * 120 / failures studies."""
    cut = columns.reshape(-1, failures, columns.shape[-1])
    return np.moveaxis(cut, 0, 1)


def intervals(
    studies: Array, per_cluster: int, kind: str, levels: Sequence[float], stream: str
) -> list[Interval]:
    """For each level (S, E) low and high ends of intervals of the means, as an analysis has them.

    Studies of a batch share which failures the bootstrap draws. Their outcomes are independent,
    so that errors of their intervals are nearly so.

    Args:
        studies: (failures, S, E) values of S studies.
        per_cluster: failures of each cluster.
        kind: percentile, bootstrap_t, or t, as in a plan.
        levels: two-sided.
        stream: what the draws are for.
    """
    table, clusters = studies.reshape(len(studies), -1), clusters_of(len(studies), per_cluster)
    if kind == "percentile":
        draws = cluster_bootstrap(table, clusters, REPLICATES, _rng(stream))
        found = [percentile_interval(draws, level) for level in levels]
    elif kind == "bootstrap_t":
        found = [
            bootstrap_t_interval(table, clusters, REPLICATES, _rng(stream), level)
            for level in levels
        ]
    else:
        found = [t_interval(table, clusters, level) for level in levels]
    return [Interval(*(end.reshape(studies.shape[1:]) for end in ends)) for ends in found]


class PValues(NamedTuple):
    """(S, E) each: against a mean of at most zero, and against one of at least zero."""

    greater: Array
    less: Array


def p_values(studies: Array, per_cluster: int, stream: str) -> dict[str, PValues]:
    """By `inversion` and `centred`, from draws as in `intervals`."""
    table, clusters = studies.reshape(len(studies), -1), clusters_of(len(studies), per_cluster)
    draws, means = cluster_bootstrap(table, clusters, REPLICATES, _rng(stream)), table.mean(axis=0)
    found = {
        "inversion": (p_inversion(draws), p_inversion(-draws)),
        "centred": (p_centred(draws, means), p_centred(-draws, -means)),
    }
    shape = studies.shape[1:]
    return {
        name: PValues(greater.reshape(shape), less.reshape(shape))
        for name, (greater, less) in found.items()
    }


def _rng(stream: str) -> np.random.Generator:
    return generator(SEED, "bootstrap", stream)
