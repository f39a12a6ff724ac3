"""Exact values of selections when probabilities are known, by counting ties one by one.

The estimators integrate over a tie-breaking variable; here the number of arms tied with the winner
is a polynomial whose coefficients are its law. Two ways that share no code: a fault in either
shows up as a bias.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from repairstudy.estimators.arrays import Array


def leading(laws: Array) -> Array:
    """The probability that an arm has each score and is selected by it, ties shared equally.

    Args:
        laws: (..., K, L) law of each arm's score on one ascending grid; arms are independent.

    Returns:
        (..., K, L); sums to 1 over arms and scores.
    """
    below = np.cumsum(laws, axis=-1) - laws
    won = np.empty_like(laws)
    arms = laws.shape[-2]
    for a in range(arms):
        ties = np.zeros((*laws.shape[:-2], laws.shape[-1], arms))  # law of the number tied with a
        ties[..., 0] = 1.0
        for b in range(arms):
            if b != a:
                more = laws[..., b, :, None] * ties[..., :-1]
                ties *= below[..., b, :, None]
                ties[..., 1:] += more
        won[..., a, :] = laws[..., a, :] * (ties / np.arange(1, arms + 1)).sum(axis=-1)
    return won


def sum_laws(chances: Array, m: int) -> Array:
    """The law of the sum of m rollouts.

    Args:
        chances: (..., L) probabilities of the outcomes 0, 1, .., L - 1 in units of the lattice.

    Returns:
        (..., m (L - 1) + 1) probabilities of the sums.
    """
    law = np.ones((*chances.shape[:-1], 1))
    levels = chances.shape[-1]
    for _ in range(m):
        longer = np.zeros((*chances.shape[:-1], law.shape[-1] + levels - 1))
        for level in range(levels):
            longer[..., level : level + law.shape[-1]] += chances[..., level, None] * law
        law = longer
    return law


def weights_by_rollouts(chances: Array, m: int) -> Array:
    """(..., K) probability that each arm is selected by the sum of m rollouts of each."""
    return leading(sum_laws(chances, m)).sum(axis=-1)


def weights_by_acceptance(rates: Array, k: int, of: int) -> Array:
    """(..., K) the same by acceptance: at least k successes in `of` replays at these rates."""
    accepted = np.zeros_like(rates)
    for wins in range(k, of + 1):
        accepted += comb(of, wins) * rates**wins * (1.0 - rates) ** (of - wins)
    return leading(np.stack([1.0 - accepted, accepted], axis=-1)).sum(axis=-1)


def best_gain_weights(chances: Array, original: Array, m: int) -> Array:
    """(N, T, K): selection of position and candidate by the largest gain over m rollouts each.

    Every combination of the originals' sums is listed; given them candidates are independent.

    Args:
        chances: (N, T, K, L) outcome probabilities of the candidates.
        original: (N, T, L) those of the originals, which also select by m rollouts.
    """
    sums, base = sum_laws(chances, m), sum_laws(original, m)
    count, positions, arms, width = sums.shape
    total = np.zeros((count, positions * arms))
    for bases in product(range(width), repeat=positions):
        chance = np.prod([base[:, t, z] for t, z in enumerate(bases)], axis=0)
        gains = np.zeros((count, positions, arms, 2 * width - 1))
        for t, z in enumerate(bases):
            start = width - 1 - z
            gains[:, t, :, start : start + width] = sums[:, t]
        laws = gains.reshape(count, positions * arms, -1)
        total += chance[:, None] * leading(laws).sum(axis=-1)
    return total.reshape(count, positions, arms)


def earliest_success_weights(rates: Array) -> Array:
    """(N, T, K): the earliest position where one replay of a candidate succeeds; else any pair."""
    stops = leading(np.stack([1.0 - rates, rates], axis=-1))[..., 1]
    return _first_stop(stops)


def latest_significant_weights(rates: Array, original: Array, m: int, alpha: float) -> Array:
    """(N, T, K): the latest position with a candidate significantly better than the original.

    Fisher's exact test of m replays against m of the original, the best of the significant.

    Args:
        rates: (N, T, K) success probabilities of the candidates.
        original: (N, T) those of the originals.
    """
    from scipy.stats import hypergeom

    x = np.arange(m + 1)
    laws = sum_laws(np.stack([1.0 - rates, rates], axis=-1), m)
    base = sum_laws(np.stack([1.0 - original, original], axis=-1), m)
    stops = np.zeros(rates.shape)
    for z in x:
        significant = hypergeom.sf(x - 1, 2 * m, x + z, m) <= alpha + 1e-12
        running = laws * significant
        silent = 1.0 - running.sum(axis=-1, keepdims=True)
        led = leading(np.concatenate([silent, running], axis=-1))[..., 1:].sum(axis=-1)
        stops += base[..., z, None] * led
    return _first_stop(stops[:, ::-1])[:, ::-1]


def _first_stop(stops: Array) -> Array:
    """Probabilities to stop with each candidate, given that a position is reached, combined."""
    passing = 1.0 - stops.sum(axis=-1)
    reached = np.cumprod(np.concatenate([np.ones_like(passing[:, :1]), passing], axis=1), axis=1)
    pairs = stops.shape[1] * stops.shape[2]
    return np.asarray(reached[:, :-1, None] * stops + reached[:, -1, None, None] / pairs)
