"""Certificates: "the loss of this evaluator is at most eps", with confidence 1 - delta, any sample.

Bounds by betting (Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by
betting, JRSS B): a gambler who starts with 1 bets on each loss in turn, at odds that are fair if
the mean is m. Rarely (with probability delta) does the capital ever reach 1 / delta at the true
mean, so a mean at which it does is refuted. That holds at every moment, hence one may look after
each failure and stop. No law of the losses is assumed beyond their range, which makes certificates
dearer than tests by the bootstrap (docs/certificates.md).

Losses are differences of two values in [0, 1]. They must be independent with one mean: clusters
of failures are averaged first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.inference import Interval

LARGEST_BET = 0.75  # of what would ruin the gambler at the next loss
ROUNDING = 1e-9  # by which a loss may lie outside its range
BISECTIONS = 40  # of an interval of length 1: bounds exact to 1e-12


class Evidence(NamedTuple):
    """What a sequence of losses says against "the mean is eps or more".

    Attributes:
        p_value: p-value that may be read after every loss: 1 over the largest capital so far.
        losses: how many losses it took until the mean was certified; 0 if it never was.
    """

    p_value: Array
    losses: NDArray[np.int64]


def cluster_means(values: ArrayLike, clusters: ArrayLike) -> Array:
    """(C,) the mean of each cluster, in the order in which clusters first appear.

    The unit of a certificate: it bounds the mean over clusters, in which a cluster with many
    failures weighs as much as one with a single failure.

    Args:
        values: (F,) losses in the order of the pool.
        clusters: (F,) label of each failure's cluster.
    """
    table, labels = np.asarray(values, dtype=np.float64), np.asarray(clusters)
    if table.ndim != 1 or labels.shape != table.shape or not table.size:
        raise ValueError(f"values of shape {table.shape} do not fit clusters of {labels.shape}.")
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    means = np.bincount(place, weights=table) / np.bincount(place)
    return np.asarray(means[np.argsort(first)])


def betting_bounds(losses: ArrayLike, delta: float = 0.05) -> Interval:
    """The lower and the upper bound of a mean loss, each with confidence 1 - delta.

    Both hold at the same time with confidence 1 - 2 delta. They are the best bounds of all moments
    up to the last loss.

    Args:
        losses: (..., T) sequences of independent losses in [-1, 1].
        delta: how often one bound may be wrong.

    Returns:
        Bounds of shape (...), or numbers for one sequence; -1 and 1 where nothing is known.

    Raises:
        ValueError: no loss, one outside [-1, 1], or delta outside (0, 1).
    """
    units, bets = _game(losses, delta)
    upper = _refuted_above(units, bets, delta)
    lower = 1.0 - _refuted_above(1.0 - units, bets, delta)
    ends = (2.0 * end - 1.0 for end in (lower, upper))
    return Interval(*(float(end) if end.ndim == 0 else end for end in ends))


def certify(losses: ArrayLike, eps: float, delta: float = 0.05) -> Evidence:
    """Whether a mean loss is certified to be below eps, and after how many losses it was.

    It is certified exactly where the upper bound of `betting_bounds` is at most eps.

    Args:
        losses: (..., T) sequences of independent losses in [-1, 1].
        eps: the loss that would still be accepted, in (-1, 1).
        delta: how often a mean of eps or more may be certified.

    Raises:
        ValueError: as `betting_bounds`, or eps outside (-1, 1).
    """
    if not -1.0 < eps < 1.0:
        raise ValueError(f"eps = {eps} is not in (-1, 1).")
    units, bets = _game(losses, delta)
    wealth = np.cumsum(_log_growth(units, bets, np.full(units.shape[:-1], _unit(eps))), axis=-1)
    reached = wealth >= -np.log(delta)
    first = np.where(reached.any(axis=-1), reached.argmax(axis=-1) + 1, 0)
    return Evidence(np.exp(-np.maximum(wealth.max(axis=-1), 0.0)), first)


def losses_to_certify(losses: ArrayLike, eps: float, delta: float = 0.05) -> float:
    """How many losses like these the best constant bet needs; infinity if it cannot win.

    log(1 / delta) over the largest mean growth of log capital. An optimistic figure for planning:
    the best bet is not known beforehand.

    Args:
        losses: (T,) losses in [-1, 1], from a pilot.
        eps: the loss that would still be accepted.
        delta: level of the certificate.
    """
    units, _ = _game(losses, delta)
    # Bets are against eps, so capital grows where losses lie below it.
    distance = _unit(eps) - units
    bets = np.linspace(0.0, LARGEST_BET / (1.0 - _unit(eps)), 1001)[1:]
    growth = np.log1p(bets[:, None] * distance).mean(axis=1).max()
    return float(np.ceil(-np.log(delta) / growth)) if growth > ROUNDING else float("inf")


def fallback(
    p_values: ArrayLike, delta: float = 0.05, weights: ArrayLike | None = None
) -> NDArray[np.bool_]:
    """Which hypotheses of an ordered list are rejected, with at most delta for any false one.

    The fallback procedure (Wiens 2003, Pharmaceutical Statistics): each hypothesis has a share of
    delta, and hands what it had on to the next one if it is rejected. All weight on the first
    makes it the fixed-sequence procedure of Learn-then-Test (Angelopoulos et al. 2021), where one
    that is not rejected ends the list. Valid under any dependence.

    Args:
        p_values: (..., M) p-values in an order fixed beforehand.
        delta: the familywise error rate.
        weights: (M,) shares of delta, which add up to 1; equal ones by default.

    Raises:
        ValueError: weights that are negative or do not add up to 1.
    """
    table = np.asarray(p_values, dtype=np.float64)
    count = table.shape[-1]
    shares = np.full(count, 1.0 / max(count, 1)) if weights is None else np.asarray(weights, float)
    if shares.shape != (count,) or (shares < 0.0).any() or (count and abs(shares.sum() - 1) > 1e-9):
        raise ValueError(f"{count} weights that are 0 or more and add up to 1 are needed.")
    rejected = np.zeros(table.shape, dtype=np.bool_)
    handed = np.zeros(table.shape[:-1])
    for place in range(count):
        level = handed + delta * shares[place]
        rejected[..., place] = (table[..., place] <= level) & (level > 0.0)
        handed = np.where(rejected[..., place], level, 0.0)
    return rejected


def fixed_sequence(p_values: ArrayLike, delta: float = 0.05) -> NDArray[np.bool_]:
    """The hypotheses before the first that is not rejected at delta; see `fallback`."""
    count = np.asarray(p_values).shape[-1]
    return fallback(p_values, delta, np.eye(1, count)[0] if count else None)


def _game(losses: ArrayLike, delta: float) -> tuple[Array, Array]:
    """The losses mapped to [0, 1], and the bet on each before its limit at a mean.

    bet_t = sqrt(2 log(1 / delta) / (T var_{t-1})) of the losses before t alone, the best bet for
    a bound after T normal losses; var starts with one loss of variance 1/4.
    """
    table = np.asarray(losses, dtype=np.float64)
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta = {delta} is not in (0, 1).")
    if not table.ndim or not table.shape[-1]:
        raise ValueError("no losses: nothing can be certified.")
    if not (np.abs(table) <= 1.0 + ROUNDING).all():
        raise ValueError("a loss is not in [-1, 1]: a certificate needs its range.")
    units = np.clip(_unit(table), 0.0, 1.0)
    horizon = units.shape[-1]
    seen = np.arange(1, horizon + 1)
    means = (0.5 + np.cumsum(units, axis=-1)) / (seen + 1)
    spread = (0.25 + np.cumsum((units - means) ** 2, axis=-1)) / (seen + 1)
    known = np.concatenate([np.full((*units.shape[:-1], 1), 0.25), spread[..., :-1]], axis=-1)
    return units, np.sqrt(-2.0 * np.log(delta) / (horizon * known))


def _log_growth(units: Array, bets: Array, mean: Array) -> Array:
    """(..., T) what each bet on losses below the mean (...) adds to the log of the capital."""
    with np.errstate(divide="ignore"):
        limit = LARGEST_BET / (1.0 - mean[..., None])
    return np.log1p(np.minimum(bets, limit) * (mean[..., None] - units))


def _refuted_above(units: Array, bets: Array, delta: float) -> Array:
    """(...) the least mean from which on every mean is refuted as too high.

    Capital grows with the mean it bets against, so bisection finds where it reaches 1 / delta.
    """
    low, high = np.zeros(units.shape[:-1]), np.ones(units.shape[:-1])
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        wealth = np.cumsum(_log_growth(units, bets, middle), axis=-1).max(axis=-1)
        refuted = wealth >= -np.log(delta)
        low, high = np.where(refuted, low, middle), np.where(refuted, middle, high)
    return high


def _unit(loss: ArrayLike) -> Array:
    return np.asarray((np.asarray(loss, dtype=np.float64) + 1.0) / 2.0)
