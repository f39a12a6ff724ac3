"""Repair-location labels: which position each scoring executor calls decisive."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from repairstudy.analysis.behind import either, holds
from repairstudy.analysis.choices import executor_gains
from repairstudy.analysis.pool import Array, PositionData
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.agreement import cohen_kappa, exact_agreement

DECIMALS = 9  # gains equal to this many decimals are tied


def location_labels(study: PoolStudy) -> Iterator[Row]:
    """`kappa` and `exact_agreement` of each two scoring executors ("A|B").

    Over failures with several positions. The label of a failure is the place of its decisive
    position among its positions; executors that scored the primary ones alone give no label.
    """
    failures = study.pool.by_failure
    several = np.array([len(positions) > 1 for positions in failures])
    if not several.any():
        return
    labels = _labels(study, [f for f, kept in zip(failures, several, strict=True) if kept])
    inference = study.inference.subset(several)
    for (a, first), (b, second) in combinations(labels.items(), 2):
        scoring = either([study.scored_by(name, original=True) for name in (a, b)])
        kinds = int(max(first.max(), second.max())) + 1
        joint = np.zeros((len(first), kinds, kinds))
        joint[np.arange(len(first)), first, second] = 1.0
        columns = joint.reshape(len(first), -1)
        for estimand, statistic, point in (
            ("kappa", joint_kappa, cohen_kappa(first, second)),
            ("exact_agreement", joint_agreement, exact_agreement(first, second)),
        ):
            found = inference.function(columns, statistic)
            row = study.row(
                "location_labels",
                f"{a}|{b}",
                estimand,
                Estimate(point, *found[1:]),
                behind=holds("several_positions") & scoring,
                n_failures=int(several.sum()),
            )
            if np.isnan(point):
                row.notes.append("both always call the same position decisive")
            yield row


def _labels(
    study: PoolStudy, failures: list[tuple[PositionData, ...]]
) -> dict[str, NDArray[np.intp]]:
    """By executor, which of a failure's positions (counted from 0) it calls decisive."""
    deployed = study.pool.deployed
    names = [deployed]
    for executor in study.scoring_executors:
        if all(executor in position.others for positions in failures for position in positions):
            names.append(executor)
    return {
        name: np.array([_decisive(executor_gains(f, name, deployed)) for f in failures])
        for name in names
    }


def _decisive(gains: list[Array]) -> int:
    """The position whose best candidate gains most.

    ASSUME: of tied positions the earliest, where a repair has most of the budget left.
    """
    return int(np.argmax([round(float(gain.max()), DECIMALS) for gain in gains]))


def _tables(means: Array) -> Array:
    kinds = int(np.sqrt(means.shape[1]))
    return means.reshape(-1, kinds, kinds)


def joint_agreement(means: Array) -> Array:
    """Exact agreement from joint frequencies (B, kinds * kinds)."""
    return np.trace(_tables(means), axis1=1, axis2=2)


def joint_kappa(means: Array) -> Array:
    """Cohen's kappa from joint frequencies (B, kinds * kinds)."""
    tables = _tables(means)
    chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = (joint_agreement(means) - chance) / (1.0 - chance)
    return np.where(1.0 - chance < 1e-12, np.nan, kappa)
