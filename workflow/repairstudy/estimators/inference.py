"""Uncertainty of means over failures that come in clusters (docs/statistics.md, section 5).

The unit that is resampled is the cluster: the failure, or the task where a task gives several
failures. Values of one failure are already averaged over splits and ties; rollouts are never
resampled, since duplicates would land in both halves of a split.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array

ROUNDING = 1e-13  # what rounding may leave, relative to the terms


class Clustered(NamedTuple):
    """Values summed within C clusters.

    Attributes:
        sums: (C, E) sums of the values of E statistics.
        sizes: (C,) failures in each cluster.
    """

    sums: Array
    sizes: Array

    @property
    def mean(self) -> Array:
        """(E,) means over failures."""
        return np.asarray(self.sums.sum(axis=0) / self.sizes.sum())

    @property
    def residuals(self) -> Array:
        """(C, E) sums less what the mean expects, exactly 0 where only rounding is left."""
        expected = self.sizes[:, None] * self.mean
        residuals = self.sums - expected
        residuals[np.abs(residuals) <= ROUNDING * (np.abs(self.sums) + np.abs(expected))] = 0.0
        return residuals

    @property
    def standard_error(self) -> Array:
        """(E,) cluster-robust standard errors of the means; NaN for a single cluster.

        sqrt(C / (C - 1) sum_c (S_c - n_c mean)^2) / N, which is sd / sqrt(N) without clusters.
        """
        count = len(self.sizes)
        if count < 2:
            return np.full(self.sums.shape[1], np.nan)
        squares = (self.residuals**2).sum(axis=0)
        return np.asarray(np.sqrt(count / (count - 1) * squares) / self.sizes.sum())


class Interval(NamedTuple):
    """A two-sided interval; each end is a number, or an array with one for each statistic."""

    low: Any
    high: Any


def clustered(values: ArrayLike, clusters: ArrayLike) -> Clustered:
    """The values (F,) or (F, E) summed by the cluster labels (F,), clusters in label order.

    Raises:
        ValueError: shapes that do not fit, no failure, or a value that is not finite.
    """
    table, labels = np.asarray(values, dtype=np.float64), np.asarray(clusters)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or labels.shape != table.shape[:1] or table.size == 0:
        raise ValueError(f"values of shape {table.shape} do not fit clusters of {labels.shape}.")
    if not np.isfinite(table).all():
        raise ValueError("a value is not finite: every failure needs a value of every statistic.")
    distinct, place = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(distinct), table.shape[1]))
    np.add.at(sums, place, table)
    return Clustered(sums, np.bincount(place, minlength=len(distinct)).astype(np.float64))


def cluster_bootstrap(
    values: ArrayLike, clusters: ArrayLike, replicates: int, rng: np.random.Generator
) -> Array:
    """Means over failures when the clusters are drawn again with replacement.

    All statistics share the draws, so that their differences and joint laws are kept.

    Args:
        values: (F, E) values of E statistics of each failure, or (F,) of one.
        clusters: (F,) label of each failure's cluster; all its failures stay together.
        replicates: number B of draws.
        rng: source of the draws.

    Returns:
        (B, E) means.
    """
    data = clustered(values, clusters)
    return _means(data, bootstrap_counts(len(data.sizes), replicates, rng))


def resampled_means(values: ArrayLike, clusters: ArrayLike, counts: Array) -> Array:
    """The same from draws that are at hand: (B, E) means.

    Args:
        values: (F, E) values, or (F,).
        clusters: (F,) label of each failure's cluster, of C clusters.
        counts: (B, C) from `bootstrap_counts`, clusters in label order.
    """
    return _means(clustered(values, clusters), counts)


def bootstrap_counts(clusters: int, replicates: int, rng: np.random.Generator) -> Array:
    """(B, C): how often each cluster is in each draw."""
    if replicates < 1:
        raise ValueError(f"{replicates} bootstrap replicates give no law.")
    drawn = rng.integers(0, clusters, (replicates, clusters))
    drawn += np.arange(replicates)[:, None] * clusters
    counts = np.bincount(drawn.ravel(), minlength=replicates * clusters)
    return counts.reshape(replicates, clusters).astype(np.float64)


def percentile_interval(draws: ArrayLike, level: float = 0.95) -> Interval:
    """The central interval of bootstrap draws (B,) or (B, E): quantiles (1 -+ level) / 2."""
    low, high = np.quantile(np.asarray(draws, dtype=np.float64), _tails(level), axis=0)
    return Interval(_scalar(low), _scalar(high))


def bootstrap_t_interval(
    values: ArrayLike,
    clusters: ArrayLike,
    replicates: int,
    rng: np.random.Generator,
    level: float = 0.95,
) -> Interval:
    """The studentised bootstrap interval, with cluster-robust standard errors.

    [mean - t*_high se, mean - t*_low se] with quantiles of t* = (mean* - mean) / se*. A draw
    without spread has t* = 0 if it hits the mean, and infinity otherwise, which can only widen the
    interval. Without spread in the values the interval is the mean itself; one cluster gives NaN.

    Args:
        values: (F, E) values, or (F,).
        clusters: (F,) label of each failure's cluster.
        replicates: number of draws.
        rng: source of the draws.
        level: two-sided level.
    """
    data = clustered(values, clusters)
    mean, error = data.mean, data.standard_error
    counts = bootstrap_counts(len(data.sizes), replicates, rng)
    means, errors = _studentising(data, counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(means == mean, 0.0, (means - mean) / errors)
        # A quantile between a finite and an infinite draw is infinite: take draws, not mixtures.
        low = np.quantile(ratios, _tails(level)[0], axis=0, method="lower")
        high = np.quantile(ratios, _tails(level)[1], axis=0, method="higher")
        ends = Interval(mean - high * error, mean - low * error)
    still = error == 0.0
    shape = np.ndim(values)
    return Interval(*(_like(np.where(still, mean, end), shape) for end in ends))


def t_interval(values: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Interval:
    """mean -+ t_{C-1} se with the cluster-robust standard error; NaN for a single cluster.

    Args:
        values: (F, E) values, or (F,).
        clusters: (F,) label of each failure's cluster.
        level: two-sided level.
    """
    from scipy.special import stdtrit  # half a second, and only here and in p_t

    data = clustered(values, clusters)
    freedom = max(len(data.sizes) - 1, 1)
    half = stdtrit(freedom, _tails(level)[1]) * data.standard_error
    ends = data.mean - half, data.mean + half
    return Interval(*(_like(end, np.ndim(values)) for end in ends))


def _means(data: Clustered, counts: Array) -> Array:
    return np.asarray(counts @ data.sums / (counts @ data.sizes)[:, None])


def _studentising(data: Clustered, counts: Array) -> tuple[Array, Array]:
    """(B, E) means and their cluster-robust standard errors in each draw."""
    clusters, sizes = len(data.sizes), data.sizes
    # Residuals about the overall mean keep the expanded square from cancelling.
    residuals = data.residuals
    products = [residuals, residuals**2, residuals * sizes[:, None]]
    linear, squared, crossed = np.split(counts @ np.hstack(products), 3, axis=1)
    total, sizes_squared = (counts @ np.stack([sizes, sizes**2], axis=1)).T[:, :, None]
    shift = linear / total
    spread = squared - 2.0 * shift * crossed + shift**2 * sizes_squared
    spread[spread <= ROUNDING * squared] = 0.0
    factor = clusters / (clusters - 1) if clusters > 1 else np.nan
    return data.mean + shift, np.sqrt(factor * spread) / total


def _tails(level: float) -> tuple[float, float]:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level {level} is not in (0, 1).")
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def _like(ends: Array, dimensions: int) -> Any:
    """The ends as a number if one statistic (F,) was asked for."""
    return ends if dimensions == 2 else float(ends[0])


def _scalar(end: Any) -> Any:
    return float(end) if np.ndim(end) == 0 else end
