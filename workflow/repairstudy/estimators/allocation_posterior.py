"""What rollouts so far say of each arm: independent Beta posteriors, many positions at once."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.arrays import Array, frozen

NODES = 32  # the mean of the best of 11 arms is then right to 1e-6 (tests)
DECIMALS = 9  # sums equal to so many decimals are one state


class Counts(NamedTuple):
    """What P positions of K arms have shown so far.

    Attributes:
        pulls: (P, K) rollouts of each arm.
        sums: (P, K) the sums of their outcomes, each in [0, 1].
    """

    pulls: Array
    sums: Array

    @classmethod
    def none(cls, positions: int, arms: int) -> Counts:
        return cls(np.zeros((positions, arms)), np.zeros((positions, arms)))


class Prior(NamedTuple):
    """Success probabilities are Beta(a, b), but all 0 at a share `hopeless` of the positions.

    A reward r in [0, 1] counts as r of a success and 1 - r of a failure. That is the Bernoulli
    likelihood in expectation over a coin that shows r. No reward in [0, 1] varies more than that
    coin, so the posterior is wide rather than narrow for rewards.
    """

    a: float = 0.5
    b: float = 0.9
    hopeless: float = 0.0

    def shapes(self, counts: Counts) -> tuple[Array, Array]:
        """(P, K) both parameters of each arm's posterior, given that not all arms are at 0."""
        sums = np.round(counts.sums, DECIMALS)
        return self.a + sums, self.b + counts.pulls - sums

    def means(self, counts: Counts) -> Array:
        """(P, K) posterior means, given that not all arms are at 0."""
        a, b = self.shapes(counts)
        return np.asarray(a / (a + b))

    def hope(self, counts: Counts) -> Array:
        """(P,) the probability that not all arms are at 0."""
        if not self.hopeless:
            return np.ones(len(counts.pulls))
        from scipy.special import betaln

        _, b = self.shapes(counts)
        silence = (betaln(self.a, b) - betaln(self.a, self.b)).sum(axis=1)
        hope = (1.0 - self.hopeless) * np.exp(silence)
        hope = hope / (hope + self.hopeless)
        return np.asarray(np.where(counts.sums.sum(axis=1) > 0, 1.0, hope))


def expected_best(counts: Counts, prior: Prior) -> Array:
    """(P,) the posterior mean of the largest success probability: E[max_a p_a].

    The integral of 1 - prod_a F_a(x) over [0, 1], by Gauss-Legendre after x = sin(pi u / 2)^2,
    which takes away the square-root ends of Beta distributions below 1.
    """
    from scipy.special import betainc

    x, weights = _nodes()
    a, b, place = _states(*prior.shapes(counts))
    below = betainc(a[:, None], b[:, None], x)[place].prod(axis=1)
    return prior.hope(counts) * np.asarray((1.0 - below) @ weights)


def opportunity_cost(
    counts: Counts, prior: Prior, cap: float = np.inf, best: Array | None = None
) -> Array:
    """(P,) what choosing now is expected to forgo: E[max_a p_a] - max_a E[p_a].

    Where the leader is at the cap, the part of it that rollouts of the others could still regain:
    at most the sum of their `perfect_information`.

    Args:
        best: (P,) `expected_best` of the counts, if it is known already.
    """
    means = prior.means(counts)
    hope = prior.hope(counts)
    best = expected_best(counts, prior) if best is None else best
    cost = np.maximum(best - hope * means.max(axis=1), 0.0)
    closed = counts.pulls >= cap
    stuck = np.flatnonzero(closed[np.arange(len(means)), means.argmax(axis=1)])
    if stuck.size:
        gains = perfect_information(Counts(counts.pulls[stuck], counts.sums[stuck]), prior)
        open_gains = np.where(closed[stuck], 0.0, gains).sum(axis=1)
        cost[stuck] = np.minimum(cost[stuck], hope[stuck] * open_gains)
    return np.asarray(cost)


def perfect_information(counts: Counts, prior: Prior) -> Array:
    """(P, K) how much the choice would be expected to improve by learning one p_a exactly.

    E[(p_a - m)^+] for an arm other than the leader, with m the leader's mean, and E[(m - p_a)^+]
    for the leader, with m the mean of the second. Source: Dearden, Friedman and Russell, Bayesian
    Q-learning, AAAI 1998 ("myopic value of perfect information").
    """
    from scipy.special import betainc

    if counts.pulls.shape[1] == 1:
        return np.zeros_like(counts.pulls)
    shapes_a, shapes_b, place = _states(*prior.shapes(counts))
    rows = np.arange(len(place))
    means = shapes_a / (shapes_a + shapes_b)
    order = np.argsort(means[place], axis=1, kind="stable")
    leader, second = order[:, -1], order[:, -2]
    rival = np.repeat(place[rows, leader][:, None], place.shape[1], axis=1)
    rival[rows, leader] = place[rows, second]
    pairs, where = np.unique(place * len(means) + rival, return_inverse=True)
    own, other = np.divmod(pairs, len(means))
    a, b, mean, limit = shapes_a[own], shapes_b[own], means[own], means[other]
    above = mean * (1.0 - betainc(a + 1.0, b, limit)) - limit * (1.0 - betainc(a, b, limit))
    gains = np.maximum(above, 0.0)[where.reshape(place.shape)]
    gains[rows, leader] += means[place[rows, second]] - means[place[rows, leader]]
    return np.asarray(np.maximum(gains, 0.0))


@lru_cache(maxsize=1)
def _nodes() -> tuple[Array, Array]:
    u, weights = np.polynomial.legendre.leggauss(NODES)
    angle = np.pi * (u + 1.0) / 4.0
    return frozen(np.sin(angle) ** 2), frozen(weights * np.sin(2.0 * angle) * np.pi / 4.0)


def _states(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """The distinct pairs of parameters, and which of them each arm has: few, for 0 and 1."""
    states, place = np.unique(a + 1j * b, return_inverse=True)
    return states.real, states.imag, place.reshape(a.shape)
