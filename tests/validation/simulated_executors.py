"""Simulated executors with known success probabilities, and what a study would measure of them.

A third of the failures is hopeless: no candidate ever succeeds. In the others the log-odds of
success differ between failures and between candidates. An evaluator is another executor whose
candidates' log-odds correlate with the deployed one's, and selects by five rollouts of its own.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from repairstudy.estimators import crossfit_many
from repairstudy.estimators.tournament import win_probabilities

Array = NDArray[np.float64]

CANDIDATES, ROLLOUTS, SELECTING = 6, 10, 5
HOPELESS, CENTRE, BETWEEN_FAILURES, BETWEEN_CANDIDATES = 0.35, -0.8, 1.0, 1.2
WITHIN_TASK = 0.8  # correlation of candidates' log-odds between failures of one task
CORRELATIONS = (0.3, 0.5, 0.5, 0.7)
# The same executor with fresh rollouts loses nothing on average: a true null hypothesis.
NULLS = 8


class Pools(NamedTuple):
    """What S studies of F failures measure, and what is true.

    Attributes:
        losses: (S, F, E) estimated loss of each evaluator: the correlated ones, then the nulls.
        control: (S, F) estimated gap between matched and random selection.
        true_losses: (E,) their expectations, from the exact values.
        true_control: the same of the gap.
        clusters: (F,) task of each failure, alike in every study.
    """

    losses: Array
    control: Array
    true_losses: Array
    true_control: float
    clusters: NDArray[np.int64]


def probabilities(
    shape: tuple[int, ...], per_task: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Success of the deployed executor (*shape, K) and of the evaluators (E, *shape, K).

    Failures of one task, neighbours along the last axis, share whether they are hopeless, how hard
    they are, and most of how their candidates compare, in the eyes of every executor.
    """
    tasks = (*shape[:-1], -(-shape[-1] // per_task))

    def shared(drawn: Array) -> Array:
        return np.repeat(drawn, per_task, axis=len(shape) - 1)[..., : shape[-1], :]

    hope = shared(rng.random((*tasks, 1)) >= HOPELESS)
    level = shared(CENTRE + BETWEEN_FAILURES * rng.normal(size=(*tasks, 1)))
    views = rng.normal(size=(1 + len(CORRELATIONS), *shape, CANDIDATES))
    if per_task > 1:
        alike = np.stack([shared(rng.normal(size=(*tasks, CANDIDATES))) for _ in views])
        views = np.sqrt(WITHIN_TASK) * alike + np.sqrt(1 - WITHIN_TASK) * views
    own, fresh = views[0], views[1:]
    others = [r * own + np.sqrt(1 - r * r) * f for r, f in zip(CORRELATIONS, fresh, strict=True)]
    chances = hope * expit(level + BETWEEN_CANDIDATES * np.stack([own, *others]))
    return chances[0], np.concatenate([chances[1:], np.repeat(chances[:1], NULLS, axis=0)])


def rollouts(p: Array, n: int, rng: np.random.Generator) -> Array:
    """Outcomes (..., n) of 0 and 1."""
    return (rng.random((*p.shape, n)) < p[..., None]).astype(np.float64)


def selection(scores: Array) -> Array:
    """Weights (..., K) of the largest score, ties shared equally."""
    best = scores == scores.max(axis=-1, keepdims=True)
    return best / best.sum(axis=-1, keepdims=True)


def exact_weights(q: Array, r: int) -> Array:
    """Probability (..., K) that each candidate is selected by r rollouts each."""
    x = np.arange(r + 1)
    ways = np.array([comb(r, k) for k in x])
    pmf = ways * q[..., None] ** x * (1.0 - q[..., None]) ** (r - x)
    pmf = np.moveaxis(pmf, -2, 0)
    wins = win_probabilities(np.cumsum(pmf, axis=-1) - pmf, pmf)
    return np.moveaxis((pmf * wins).sum(axis=-1), 0, -1)


def simulate(studies: int, failures: int, per_task: int, rng: np.random.Generator) -> Pools:
    """Studies with independent failures and rollouts."""
    p, q = probabilities((studies, failures), per_task, rng)
    outcomes = rollouts(p, ROLLOUTS, rng)
    matched = np.array(
        [s.value for s in crossfit_many(outcomes.reshape(-1, CANDIDATES, ROLLOUTS), SELECTING)]
    ).reshape(studies, failures)
    means = outcomes.mean(axis=-1)
    chosen = selection(rollouts(q, SELECTING, rng).sum(axis=-1))
    values = np.moveaxis((chosen * means).sum(axis=-1), 0, -1)
    true_matched = (exact_weights(p, SELECTING) * p).sum(axis=-1).mean()
    true_values = (exact_weights(q, SELECTING) * p).sum(axis=-1).mean(axis=(1, 2))
    return Pools(
        losses=matched[..., None] - values,
        control=matched - means.mean(axis=-1),
        true_losses=true_matched - true_values,
        true_control=float(true_matched - p.mean()),
        clusters=np.arange(failures) // per_task,
    )
