"""Intervals and p-values over the failures of a pool, all from the same draws of clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.pool import Array
from repairstudy.estimators.hypotheses import p_centred, p_inversion
from repairstudy.estimators.inference import (
    bootstrap_counts,
    bootstrap_t_interval,
    percentile_interval,
    resampled_means,
    t_interval,
)
from repairstudy.records import generator

FEW_CLUSTERS = 20  # below, percentile intervals are too short (docs/statistics.md, section 5)


class Estimate(NamedTuple):
    """A mean over failures with its two-sided interval, and the two one-sided p-values."""

    estimate: float
    low: float
    high: float
    p_greater: float
    p_less: float


@dataclass(frozen=True)
class Inference:
    """The failures of a pool (or some of them) as clusters, and what the plan says of intervals.

    Attributes:
        clusters: (F,) label of each failure's cluster.
        stream: what the draws are for; equal streams give equal draws, so that all evaluators of
            a pool are compared on the same resampled failures.
    """

    clusters: NDArray[np.str_]
    plan: Plan
    stream: str

    @classmethod
    def of(
        cls, failures: Sequence[str], clusters: Sequence[str], plan: Plan, stream: str
    ) -> Inference:
        """Resample clusters, or single failures if the plan says so."""
        unit = clusters if plan.bootstrap.unit == "cluster" else failures
        return cls(np.asarray(unit, dtype=np.str_), plan, stream)

    def subset(self, kept: NDArray[np.bool_]) -> Inference:
        """The same for some of the failures."""
        return replace(self, clusters=self.clusters[kept])

    @cached_property
    def n_clusters(self) -> int:
        return len(np.unique(self.clusters))

    @property
    def warnings(self) -> list[str]:
        """What a reader must know of every interval here."""
        if self.n_clusters < 2:
            return ["one cluster: no interval"]
        if self.n_clusters < FEW_CLUSTERS and self.plan.interval.type == "percentile":
            return [f"only {self.n_clusters} clusters: the percentile interval is too short"]
        return []

    def draws(self, columns: Array) -> Array:
        """(B, E) means of the columns (F, E) over resampled clusters."""
        return resampled_means(columns, self.clusters, self._counts)

    @cached_property
    def _counts(self) -> Array:
        """(B, C): how often each cluster is in each draw."""
        settings = self.plan.bootstrap
        rng = generator(settings.seed, "bootstrap", self.stream)
        return bootstrap_counts(self.n_clusters, settings.replicates, rng)

    def means(self, columns: Array) -> list[Estimate]:
        """The mean of each column (F, E), with interval and p-values; NaN for one cluster."""
        estimates = columns.mean(axis=0)
        if self.n_clusters < 2:
            return [Estimate(float(mean), *[float("nan")] * 4) for mean in estimates]
        draws = self.draws(columns)
        low, high = self._interval(columns, draws, self.plan.interval.level)
        greater, less = self._p_values(draws, estimates), self._p_values(-draws, -estimates)
        return [
            Estimate(*map(float, row))
            for row in zip(estimates, low, high, greater, less, strict=True)
        ]

    def lower_bound(self, column: Array) -> float:
        """The one-sided lower bound of a mean at confidence 1 - alpha."""
        if self.n_clusters < 2:
            return float("nan")
        table = column[:, None]
        level = 1.0 - 2.0 * self.plan.alpha
        return float(self._interval(table, self.draws(table), level)[0][0])

    def function(self, columns: Array, statistic: Callable[[Array], Array]) -> Estimate:
        """A function of the column means, with the percentile interval of its draws.

        Args:
            columns: (F, E).
            statistic: from means (B, E) to (B,); NaN where it has no value.
        """
        estimate = float(statistic(columns.mean(axis=0)[None, :])[0])
        low = high = float("nan")
        if self.n_clusters >= 2:
            low, high = order_interval(statistic(self.draws(columns)), self.plan.interval.level)
        return Estimate(estimate, low, high, float("nan"), float("nan"))

    def _interval(self, columns: Array, draws: Array, level: float) -> tuple[Array, Array]:
        kind, settings = self.plan.interval.type, self.plan.bootstrap
        if kind == "t":
            return t_interval(columns, self.clusters, level)
        if kind == "bootstrap_t":
            rng = generator(settings.seed, "bootstrap", self.stream)
            return bootstrap_t_interval(columns, self.clusters, settings.replicates, rng, level)
        return percentile_interval(draws, level)

    def _p_values(self, draws: Array, estimates: Array) -> Array:
        if self.plan.bootstrap.p_value == "centred":
            return np.asarray(p_centred(draws, estimates))
        return np.asarray(p_inversion(draws))


def order_interval(draws: Array, level: float) -> tuple[float, float]:
    """The central interval of draws that may be infinite or NaN (left out).

    Its ends are draws, not mixtures of two: between a finite and an infinite draw there is none.
    """
    kept = np.sort(draws[~np.isnan(draws)])
    if not kept.size:
        return float("nan"), float("nan")
    last = kept.size - 1
    low, high = (1.0 - level) / 2.0 * last, (1.0 + level) / 2.0 * last
    return float(kept[int(np.floor(low))]), float(kept[int(np.ceil(high))])
