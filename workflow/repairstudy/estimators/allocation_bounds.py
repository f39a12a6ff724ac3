"""KL-LUCB: the leader against the arm that could still be best, by confidence bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repairstudy.estimators.allocation_posterior import Counts, Prior
from repairstudy.estimators.arrays import Array

BISECTIONS = 24  # of an interval in [0, 1]: to 6e-8


@dataclass(frozen=True, slots=True)
class KlLucb:
    """Of the arm with the best mean and of the other with the largest bound, the less pulled.

    The bound is the largest q with m kl(mean, q) <= rate log(1 + pulls of the position). Its
    guarantees are for an arm to be told apart for sure; here only its order of pulls is used, and
    stopping is left to `Stop`. Source: Kaufmann and Kalyanakrishnan, Information complexity in
    bandit subset selection, COLT 2013.
    """

    rate: float = 1.0

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        pulls = counts.pulls
        if pulls.shape[1] == 1:
            return np.zeros_like(pulls)
        rows, jitter = np.arange(len(pulls)), 1e-9 * rng.random(pulls.shape)
        means = np.clip(counts.sums / np.maximum(pulls, 1.0), 0.0, 1.0)
        leader = (np.where(pulls > 0, means, -1.0) + jitter).argmax(axis=1)
        level = self.rate * np.log1p(pulls.sum(axis=1, keepdims=True))
        bounds = upper_bounds(means, pulls, np.broadcast_to(level, pulls.shape)) + jitter
        scores = bounds - 2.0  # of no interest unless the two are closed
        bounds[rows, leader] = -np.inf
        rival = bounds.argmax(axis=1)
        ahead = pulls[rows, leader] > pulls[rows, rival]
        even = pulls[rows, leader] == pulls[rows, rival]
        first_rival = ahead | (even & (rng.random(len(pulls)) < 0.5))
        scores[rows, leader] = np.where(first_rival, 1.0, 2.0)
        scores[rows, rival] = np.where(first_rival, 2.0, 1.0)
        return np.asarray(scores)


def upper_bounds(means: Array, pulls: Array, level: Array) -> Array:
    """The largest q with pulls * kl(mean, q) <= level, for Bernoulli variables; 1 without pulls."""
    low, high = means.copy(), np.ones_like(means)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        within = pulls * divergence(means, middle) <= level
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    return np.asarray(np.where(pulls > 0, low, 1.0))


def divergence(p: Array, q: Array) -> Array:
    """The Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p), q inside (0, 1)."""
    tiny = 1e-300
    inner = np.clip(q, 1e-15, 1.0 - 1e-15)
    return np.asarray(
        p * np.log(np.maximum(p, tiny) / inner)
        + (1.0 - p) * np.log(np.maximum(1.0 - p, tiny) / (1.0 - inner))
    )
