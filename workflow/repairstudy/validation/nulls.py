"""Populations in which evaluators lose nothing, each hard on a test in its own way."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.batch import argmax_weights_many
from repairstudy.records import generator
from repairstudy.validation.populations import MATCHED, Population, binary
from repairstudy.validation.simulated import CANDIDATES, PER_TASK, TASKS, log_odds, members
from repairstudy.validation.truth import weights_by_rollouts

FAMILY = 8  # evaluators tested together
DISASTERS = 0.06  # share of failures in which a skewed evaluator takes the worst candidate
HOPELESS = 0.9


def all_equal() -> Population:
    """Every evaluator is the deployed executor itself, with other rollouts."""
    own, _, original = log_odds()
    return _same("all executors equal", own, original)


def hopeless() -> Population:
    """The same where in nine of ten failures nothing ever succeeds."""
    own, _, original = log_odds(hopeless=HOPELESS, key="hopeless")
    return _same("hopeless failures", own, original)


def ties() -> Population:
    """All candidates of a failure are worth the same, often 0 or 1: ties everywhere."""
    rng = generator("validation", "nulls", "ties")
    rates = np.repeat(rng.beta(0.3, 0.3, (TASKS * PER_TASK, 1)), CANDIDATES, axis=1)
    others = {f"null {i}": binary(rng.beta(0.5, 0.5, rates.shape)) for i in range(FAMILY)}
    return Population("ties everywhere", binary(rates), binary(rates[:, 0]), members(), others)


def skewed() -> Population:
    """Evaluators a little better than matched selection, but now and then disastrous.

    The shares are such that each loses exactly nothing on average. Sample means of losses so
    skewed lie below zero more often than above: a test for `greater` errs less, one for `less`
    more often than its level.
    """
    own, _, original = log_odds(key="skewed")
    rates = expit(own)
    return Population(
        "skewed losses",
        binary(rates),
        binary(expit(original)),
        members(),
        fixed={f"null {i}": _skewed_weights(rates, i) for i in range(FAMILY)},
    )


def one_effect() -> Population:
    """One evaluator with a real loss among seven without."""
    own, others, original = log_odds(key="one effect")
    found = _same("one true effect", own, original)
    return Population(
        found.name,
        found.own,
        found.original,
        found.tasks,
        {**dict(list(found.others.items())[1:]), "effect": binary(expit(others["correlated .3"]))},
    )


NULLS = (all_equal, hopeless, ties, skewed, one_effect)


def _same(name: str, own: Array, original: Array) -> Population:
    chances = binary(expit(own))
    others = {f"null {i}": chances for i in range(FAMILY)}
    return Population(name, chances, binary(expit(original)), members(), others)


def _skewed_weights(rates: Array, number: int) -> Array:
    """(N, K): the worst candidate in a few failures, else the best or any, with loss 0 in all."""
    rng = generator("validation", "nulls", "skewed", number)
    best, worst = argmax_weights_many(rates), argmax_weights_many(-rates)
    anyone = np.full(rates.shape, 1.0 / rates.shape[1])
    disaster = rng.random((len(rates), 1)) < DISASTERS
    matched = weights_by_rollouts(binary(rates), MATCHED)

    def value(weights: Array) -> float:
        return float((weights * rates).sum())

    low, high = np.where(disaster, worst, anyone), np.where(disaster, worst, best)
    share = (value(matched) - value(low)) / (value(high) - value(low))
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{DISASTERS} disasters allow no evaluator without a loss.")
    return share * high + (1.0 - share) * low
