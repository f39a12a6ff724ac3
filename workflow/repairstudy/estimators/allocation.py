"""Which arm to roll out next: rules that see the counts so far, for many positions at once.

A rule scores the arms and the arm with the largest score is pulled, ties uniform. Nothing here
evaluates an arm: the mean of rollouts that a rule asked for is biased (see `allocation_replay`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.allocation_posterior import Counts, Prior, perfect_information
from repairstudy.estimators.arrays import Array, frozen
from repairstudy.estimators.external import best_of

REDRAWS = 20  # of a second leader; then the second-best mean takes its place
NOBODY = -1


class Rule(Protocol):
    """Something that says which arm to pull next."""

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        """(P, K): the largest is pulled; an arm at minus infinity never is."""
        ...


def next_arms(
    rule: Rule,
    counts: Counts,
    rng: np.random.Generator,
    *,
    batch: int = 1,
    cap: int | None = None,
    prior: Prior | None = None,
) -> NDArray[np.intp]:
    """The next `batch` pulls at each position, as an engine that answers many at once takes them.

    Pulls already in the batch count as if they had shown the posterior mean, so that a batch does
    not put everything on one arm.

    Args:
        rule: the rule.
        counts: what is known; pulls under way may be counted with their posterior means.
        rng: source of ties and draws, seeded by a key.
        batch: pulls a position.
        cap: most pulls of an arm; none if not given.
        prior: of the success probabilities.

    Returns:
        (P, batch) arms, in the order of their urgency; -1 where nothing is left to pull.

    Raises:
        ValueError: batch or cap below 1, or counts that no rollouts can have.
    """
    if batch < 1 or (cap is not None and cap < 1):
        raise ValueError(f"batch = {batch} and cap = {cap} must be at least 1.")
    _check(counts)
    belief = prior or Prior()
    pulls, sums = counts.pulls.astype(np.float64), counts.sums.astype(np.float64)
    rows = np.arange(len(pulls))
    chosen = np.empty((len(pulls), batch), dtype=np.intp)
    for place in range(batch):
        scores = np.array(rule.scores(Counts(pulls, sums), belief, rng))
        if cap is not None:
            scores[pulls >= cap] = -np.inf
        arms = _largest(scores, rng)
        chosen[:, place] = arms
        if place + 1 < batch:
            there, arm = rows[arms != NOBODY], arms[arms != NOBODY]
            expected = belief.means(Counts(pulls[there], sums[there]))
            sums[there, arm] += expected[np.arange(len(there)), arm]
            pulls[there, arm] += 1.0
    return chosen


def recommended(counts: Counts, prior: Prior) -> Array:
    """(P, K) the weights of the choice so far: the largest posterior mean, ties shared equally."""
    return best_of(prior.means(counts))


@dataclass(frozen=True, slots=True)
class Uniform:
    """The arm with the fewest rollouts."""

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        return -counts.pulls


@dataclass(frozen=True, slots=True)
class TopTwo:
    """Top-two Thompson sampling: the best arm of one posterior draw, or the best other arm.

    Source: Russo, Simple Bayesian algorithms for best-arm identification, COLT 2016.

    Attributes:
        first: probability that the best arm of the first draw is pulled.
    """

    first: float = 0.5

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        a, b = prior.shapes(counts)
        rows = np.arange(len(a))
        leader = rng.beta(a, b).argmax(axis=1)
        other = leader.copy()
        for _ in range(REDRAWS):
            again = np.flatnonzero(other == leader)
            if not again.size:
                break
            other[again] = rng.beta(a[again], b[again]).argmax(axis=1)
        # Arms beside the two matter only when the cap has closed both.
        scores = a / (a + b)
        beside = scores.copy()
        beside[rows, leader] = -1.0
        other = np.where(other == leader, beside.argmax(axis=1), other)
        led = rng.random(len(a)) < self.first
        scores[rows, other] = np.where(led, 2.0, 3.0)
        scores[rows, leader] = np.where(led, 3.0, 2.0)
        return np.asarray(scores)


@dataclass(frozen=True, slots=True)
class PerfectInformation:
    """The arm whose exact value, if it were told, would improve the choice most."""

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        return perfect_information(counts, prior)


@dataclass(frozen=True, slots=True)
class SuccessiveRejects:
    """Phases of equal pulls; after each the arm with the lowest mean is pulled no more.

    Which arms are left is read off the counts, so a campaign may be resumed. Source: Audibert and
    Bubeck, Best arm identification in multi-armed bandits, COLT 2010.

    Attributes:
        budget: rollouts of a position, at least one for each arm.
        cap: most pulls of an arm, which the phases then respect.
    """

    budget: int
    cap: int | None = None

    def scores(self, counts: Counts, prior: Prior, rng: np.random.Generator) -> Array:
        pulls, arms = counts.pulls, counts.pulls.shape[1]
        levels = self._levels(arms)
        phase = self._phase(pulls, levels)
        reached = np.concatenate([[0.0], levels])[np.minimum(phase, len(levels))][:, None]
        # Ahead of the last level: surely in. At it: the best means fill what is left.
        ahead, at = pulls > reached, pulls == reached
        room = (arms - phase)[:, None] - ahead.sum(axis=1, keepdims=True)
        means = counts.sums / np.maximum(pulls, 1.0)
        standing = np.where(at, means + 1e-9 * rng.random(pulls.shape), -np.inf)
        rank = np.argsort(np.argsort(-standing, axis=1), axis=1)
        left = ahead | (at & (rank < room))
        left &= (phase < len(levels))[:, None]
        return np.where(left, -pulls, -np.inf)

    def _levels(self, arms: int) -> Array:
        """Pulls of each arm that is left after each phase."""
        if self.budget < arms:
            raise ValueError(f"a budget of {self.budget} gives {arms} arms no rollout each.")
        return rejection_levels(arms, self.budget, self.cap)

    @staticmethod
    def _phase(pulls: Array, levels: Array) -> NDArray[np.intp]:
        """(P,) phases that are over: as many arms as are left have reached their level."""
        over = [
            (pulls >= level).sum(axis=1) >= pulls.shape[1] - k for k, level in enumerate(levels)
        ]
        return np.asarray(np.cumprod(np.array(over), axis=0).sum(axis=0))


@lru_cache(maxsize=64)
def rejection_levels(arms: int, budget: int, cap: int | None) -> Array:
    """n_k = ceil((budget - K) / (log(K) (K + 1 - k))), with log(K) = 1/2 + sum_{i=2..K} 1/i."""
    if arms == 1:
        levels = np.array([float(budget)])
    else:
        harmonic = 0.5 + sum(1.0 / i for i in range(2, arms + 1))
        left = np.arange(arms, 1, -1)
        levels = np.maximum(np.ceil((budget - arms) / (harmonic * left) - 1e-9), 1.0)
    return frozen(levels if cap is None else np.minimum(levels, cap))


def _largest(scores: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """(P,) the arm with the largest score, ties uniform; -1 if every arm is at minus infinity."""
    most = scores.max(axis=1, keepdims=True)
    arms = np.where(scores == most, rng.random(scores.shape), -1.0).argmax(axis=1)
    return np.where(np.isneginf(most[:, 0]), NOBODY, arms)


def _check(counts: Counts) -> None:
    pulls, sums = counts
    if pulls.ndim != 2 or pulls.shape != sums.shape or pulls.size == 0:
        raise ValueError(f"pulls {pulls.shape} and sums {sums.shape}: (positions, arms) is needed.")
    if not ((sums >= -1e-9) & (sums <= pulls + 1e-9)).all():
        raise ValueError("sums must lie between 0 and the pulls: outcomes are in [0, 1].")
