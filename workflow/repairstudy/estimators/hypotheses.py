"""One-sided tests of mean losses, their correction, and the positive control.

Source: docs/statistics.md, sections 5 and 6.

The null hypothesis is that the mean is at most zero; every p-value is for the other side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.inference import clustered

TOLERANCE = 1e-12  # sums that differ by rounding are equal
EXACT_CLUSTERS = 12  # all sign patterns are listed up to here
SIGN_BLOCK = 2**18  # signs held at once: they stay in the processor's cache


def p_inversion(draws: ArrayLike) -> Any:
    """(1 + #{draws <= 0}) / (B + 1): inverts the percentile interval.

    Args:
        draws: (B,) or (B, E) bootstrap means.

    Returns:
        A number, or (E,).
    """
    return _share(np.asarray(draws, dtype=np.float64) <= TOLERANCE)


def p_centred(draws: ArrayLike, estimate: ArrayLike) -> Any:
    """(1 + #{draws - estimate >= estimate}) / (B + 1): moves the bootstrap law to the null.

    Args:
        draws: (B,) or (B, E) bootstrap means.
        estimate: the mean itself, a number or (E,).
    """
    table, mean = np.asarray(draws, dtype=np.float64), np.asarray(estimate, dtype=np.float64)
    return _share(table - mean >= mean - TOLERANCE)


def p_t(values: ArrayLike, clusters: ArrayLike) -> Any:
    """Student's t with C - 1 degrees of freedom and the cluster-robust standard error.

    Without spread the p-value is 0 for a positive mean and 1 otherwise; one cluster gives NaN.

    Args:
        values: (F, E) values, or (F,).
        clusters: (F,) label of each failure's cluster.
    """
    from scipy.special import stdtr  # half a second, and only here and in t_interval

    data = clustered(values, clusters)
    mean, error = data.mean, data.standard_error
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(max(len(data.sizes) - 1, 1), -mean / error)
    p = np.where(error == 0.0, np.where(mean > 0.0, 0.0, 1.0), p)
    return p if np.ndim(values) == 2 else float(p[0])


def p_sign_flip(
    values: ArrayLike, clusters: ArrayLike, replicates: int, rng: np.random.Generator
) -> Any:
    """The share of random sign patterns of the clusters that give a mean at least as large.

    Exact under symmetry of the clusters' sums about zero, not under a mean of zero alone. With 12
    clusters or fewer every pattern is listed, and neither `replicates` nor `rng` matters.

    Args:
        values: (F, E) values, or (F,).
        clusters: (F,) label of each failure's cluster.
        replicates: random patterns.
        rng: source of the patterns.
    """
    sums = clustered(values, clusters).sums
    observed = sums.sum(axis=0) - TOLERANCE * np.abs(sums).sum(axis=0)
    count = len(sums)
    if count <= EXACT_CLUSTERS:
        patterns = np.array(list(np.ndindex(*[2] * count)), dtype=np.float64) * 2.0 - 1.0
        p = (patterns @ sums >= observed).mean(axis=0)
    else:
        above = np.zeros(sums.shape[1])
        rows = max(1, SIGN_BLOCK // count)
        for start in range(0, replicates, rows):
            size = min(rows, replicates - start)
            signs = rng.integers(0, 2, (size, count)) * 2.0 - 1.0
            above += (signs @ sums >= observed).sum(axis=0)
        p = (1.0 + above) / (replicates + 1.0)
    return p if np.ndim(values) == 2 else float(p[0])


def holm(p: ArrayLike) -> Array:
    """Holm's adjusted p-values (M,) of one family, valid under any dependence.

    p_(k) becomes max over j <= k of min(1, (M - j + 1) p_(j)).

    Raises:
        ValueError: a p-value outside [0, 1] or NaN: the family was fixed in advance, so that none
            may drop out of it.
    """
    family = np.asarray(p, dtype=np.float64)
    if family.ndim != 1 or not ((family >= 0.0) & (family <= 1.0)).all():
        raise ValueError(f"a family needs one p-value in [0, 1] for each hypothesis, not {family}.")
    order = np.argsort(family, kind="stable")
    factors = len(family) - np.arange(len(family))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * family[order]))
    return adjusted


class PositiveControl(NamedTuple):
    """The positive control of a pool: does matched selection beat random selection at all?

    Attributes:
        informative: the point estimate of the gap reaches the threshold (the gate).
        certain: its lower bound does too.
    """

    informative: bool
    certain: bool


def positive_control(gap: float, low: float, threshold: float = 0.10) -> PositiveControl:
    """The verdict on the gap between matched and random selection, with its lower bound `low`."""
    least = threshold - TOLERANCE
    return PositiveControl(informative=bool(gap >= least), certain=bool(low >= least))


def _share(hits: Any) -> Any:
    p = (1.0 + hits.sum(axis=0)) / (len(hits) + 1.0)
    return float(p) if np.ndim(p) == 0 else p
