"""Matched selection under other ways to split the rollouts in halves."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from repairstudy.analysis.pool import MATCHED, Array
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.crossfit import common_splits, random_splits
from repairstudy.records import generator

PUBLISHED_SPLITS = 50
SEEDS = 10  # repetitions that show how far the published digits depend on the seed
MOST_SPLITS = 20_000


def split_scheme(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` of matched selection by independent, all common, and 50 random splits.

    `net_gain_random_50_sd` is the standard deviation between seeds of the pool's mean: splits are
    no replications, so it is no standard error.
    """
    m, primary = study.plan.matched_rollouts, study.pool.primary
    schemes = {"net_gain_independent": study.matched}
    number = comb(study.pool.labels, m)
    if number <= MOST_SPLITS:
        common = np.array([common_splits(p.outcomes, m).value for p in primary])
        schemes[f"net_gain_common_{number}"] = common - study.bases
    by_seed = np.stack([_random(study, seed) for seed in range(SEEDS)])
    schemes[f"net_gain_random_{PUBLISHED_SPLITS}"] = by_seed[0]
    behind = study.behind((), "primary", original=True)
    found = study.inference.means(np.column_stack(list(schemes.values())))
    for estimand, estimate in zip(schemes, found, strict=True):
        yield study.row("split_scheme", MATCHED, estimand, estimate, behind=behind, level=True)
    spread = Estimate(float(by_seed.mean(axis=1).std(ddof=1)), *[float("nan")] * 4)
    name = f"net_gain_random_{PUBLISHED_SPLITS}_sd"
    labels = study.behind((), "primary", original=False)  # the originals are a constant in it
    row = study.row("split_scheme", MATCHED, name, spread, behind=labels)
    row.notes = [f"between {SEEDS} seeds of the splits"]
    yield row


def _random(study: PoolStudy, seed: int) -> Array:
    """(F,) net gains with the splits of one seed."""
    m, values = study.plan.matched_rollouts, []
    for position in study.pool.primary:
        rng = generator(study.plan.bootstrap.seed, "splits", seed, position.failure_id, position.t)
        values.append(random_splits(position.outcomes, m, PUBLISHED_SPLITS, rng).value)
    return np.array(values) - study.bases
