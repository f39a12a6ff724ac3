"""From a next-token distribution to the probability of each action, as vLLM would sample it.

The engine masks all tokens but the choices, divides by the temperature, keeps the top k, then the
top p, and draws. Doing the same here on stored log-probabilities gives the same distribution at no
cost, and its exact probabilities. ``tests/engines/test_vllm_itself.py`` compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from repairstudy.errors import EngineError
from repairstudy.executors.identity import Decoding
from repairstudy.records import seed_of

LOWEST_TEMPERATURE = 0.01  # vLLM raises any temperature between 0 and this one to it

Vector = NDArray[np.float64]


def action_probabilities(logprobs: Sequence[float], decoding: Decoding) -> Vector:
    """Probability of each choice, when only the choices may be generated.

    Args:
        logprobs: unconstrained natural-log probabilities of the K choices; -inf is 0.
        decoding: temperature, top-k and top-p; its other fields play no part.

    Returns:
        (K,), adds up to 1. At temperature 0 the most likely choice has it all.

    Raises:
        EngineError: no choice has any probability, or a log-probability is not a number.
    """
    scores = np.asarray(logprobs, dtype=np.float64)
    if scores.size == 0 or np.isnan(scores).any() or not np.isfinite(scores.max()):
        raise EngineError(f"log-probabilities {list(logprobs)!r} allow no choice at all")
    if decoding.temperature == 0:
        # ASSUME of equally likely choices the first is taken, as an arg max over tokens would
        return np.eye(scores.size)[int(np.argmax(scores))]
    scores = scores / max(decoding.temperature, LOWEST_TEMPERATURE)
    return _top_p(_top_k(scores, decoding.top_k), decoding.top_p)


def draw(probabilities: Sequence[float] | Vector, seed: int) -> int:
    """The index drawn from a distribution; a function of both alone (inverse CDF)."""
    cumulative = np.cumsum(np.asarray(probabilities, dtype=np.float64))
    uniform = (seed_of("draw", seed) >> 10) / 2**53 * cumulative[-1]
    below_total = min(uniform, np.nextafter(cumulative[-1], 0.0))  # in case the product rounds up
    return int(np.searchsorted(cumulative, below_total, side="right"))


def validity_mass(logprobs: Sequence[float]) -> float:
    """Unconstrained probability that the next token is one of the choices at all."""
    return float(np.exp(np.asarray(logprobs, dtype=np.float64)).sum())


def _top_k(scores: Vector, top_k: int) -> Vector:
    """All but the k highest become -inf; whatever equals the k-th highest stays too."""
    if top_k == 0 or top_k >= scores.size:
        return scores
    threshold = np.sort(scores)[-top_k]
    return np.where(scores < threshold, -np.inf, scores)


def _top_p(scores: Vector, top_p: float) -> Vector:
    """Softmax over the smallest set of the most likely choices that reaches `top_p`.

    In ascending order, choices are dropped while their cumulative probability is at most
    1 - top_p; the last one never is. Among equal ones the earlier is dropped first.
    """
    probabilities = np.exp(scores - scores.max())
    probabilities /= probabilities.sum()
    if top_p >= 1.0:
        return probabilities
    order = np.argsort(probabilities, kind="stable")
    dropped = order[:-1][np.cumsum(probabilities[order])[:-1] <= 1.0 - top_p]
    probabilities[dropped] = 0.0
    return probabilities / probabilities.sum()
