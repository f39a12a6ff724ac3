"""Simulated executors: a model of failures of which all probabilities are known.

A third of the failures is hopeless: no candidate ever succeeds. In the others the log-odds of
success differ between failures and between candidates; the first candidate is better on average,
as a privileged action is, so that a rule that favours the first in the list is seen. An evaluator
is another executor whose candidates' log-odds correlate with the deployed one's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.batch import argmax_weights_many
from repairstudy.records import generator
from repairstudy.validation.populations import Indices, Population, binary

HOPELESS, CENTRE, BETWEEN_FAILURES, BETWEEN_CANDIDATES = 0.35, -1.0, 1.0, 1.2
FIRST = 0.8  # by how much the first candidate's log-odds are better
ORIGINAL = -0.8  # the same of the original action, against the average candidate
WITHIN_TASK = 0.8  # correlation of candidates' log-odds between failures of one task
CORRELATIONS = {"correlated .7": 0.7, "correlated .5": 0.5, "correlated .3": 0.3}
CANDIDATES, TASKS, PER_TASK = 6, 1000, 4
REWARD_CUTS = (-1.0, 0.0, 0.5, 1.2)  # log-odds that a reward of 1/4, 1/2, 3/4, 1 costs


def log_odds(
    candidates: int = CANDIDATES,
    *,
    tasks: int = TASKS,
    per_task: int = PER_TASK,
    hopeless: float = HOPELESS,
    key: str = "",
) -> tuple[Array, Mapping[str, Array], Array]:
    """Of the deployed executor (N, K), of each evaluator, and of the original (N,).

    Failures of one task share whether they are hopeless (log-odds of minus infinity), how hard
    they are, and most of how their candidates compare.
    """
    rng = generator("validation", "simulated", key)
    hope = np.repeat(rng.random(tasks) >= hopeless, per_task)
    level = np.repeat(CENTRE + BETWEEN_FAILURES * rng.normal(size=tasks), per_task)

    def view() -> Array:
        alike = np.repeat(rng.normal(size=(tasks, candidates)), per_task, axis=0)
        single = rng.normal(size=alike.shape)
        return np.asarray(np.sqrt(WITHIN_TASK) * alike + np.sqrt(1 - WITHIN_TASK) * single)

    def odds(compared: Array) -> Array:
        found = level[:, None] + BETWEEN_CANDIDATES * compared
        found[:, 0] += FIRST
        return np.where(hope[:, None], found, -np.inf)

    own = view()
    others = {name: r * own + np.sqrt(1 - r * r) * view() for name, r in CORRELATIONS.items()}
    original = np.where(hope, level + ORIGINAL, -np.inf)
    return odds(own), {name: odds(other) for name, other in others.items()}, original


def successes(tasks: int = TASKS) -> Population:
    """Outcomes of 0 and 1."""
    own, others, original = log_odds(tasks=tasks)
    return Population(
        "simulated successes",
        binary(expit(own)),
        binary(expit(original)),
        members(tasks),
        {name: binary(expit(other)) for name, other in others.items()},
        {"scores": argmax_weights_many(expit(others["correlated .5"]))},
    )


def rewards(tasks: int = TASKS) -> Population:
    """Rewards of 0, 1/4, 1/2, 3/4 and 1; hopeless failures are always worth 0."""
    own, others, original = log_odds(tasks=tasks, key="rewards")
    return Population(
        "simulated rewards",
        graded(own),
        graded(original),
        members(tasks),
        {name: graded(other) for name, other in others.items()},
        {"scores": argmax_weights_many(expit(others["correlated .5"]))},
    )


def graded(odds: Array) -> Array:
    """(..., 5) probabilities of the rewards, by cumulative logits."""
    reached = expit(odds[..., None] - np.array(REWARD_CUTS))
    ends = np.ones((*odds.shape, 1)), np.zeros((*odds.shape, 1))
    return -np.diff(np.concatenate([ends[0], reached, ends[1]], axis=-1), axis=-1)


def members(tasks: int = TASKS, per_task: int = PER_TASK) -> Indices:
    """(tasks, per_task) the failures of each task."""
    return np.arange(tasks * per_task).reshape(tasks, per_task)
