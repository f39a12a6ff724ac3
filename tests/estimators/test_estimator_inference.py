"""Means over clustered failures: standard errors, bootstrap draws and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t as student

from repairstudy.estimators import (
    bootstrap_t_interval,
    cluster_bootstrap,
    percentile_interval,
    t_interval,
)
from repairstudy.estimators.inference import bootstrap_counts, clustered, resampled_means

Array = NDArray[np.float64]
RNG = np.random.default_rng(21)
VALUES = RNG.normal(size=(30, 3))
CLUSTERS = np.array([f"task{i}" for i in RNG.integers(0, 12, 30)])


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def cluster_error(values: Array, clusters: Array) -> float:
    """The definition: products of residuals of all pairs of failures in one cluster."""
    residuals = values - values.mean()
    same = clusters[:, None] == clusters[None, :]
    count = len(set(clusters))
    variance = (np.outer(residuals, residuals) * same).sum() * count / (count - 1)
    return float(np.sqrt(variance)) / len(values)


def test_standard_error_is_the_sum_over_pairs_within_clusters() -> None:
    got = clustered(VALUES, CLUSTERS).standard_error
    assert got.tolist() == pytest.approx([cluster_error(v, CLUSTERS) for v in VALUES.T])


def test_without_clusters_it_is_the_usual_one() -> None:
    got = clustered(VALUES, np.arange(30)).standard_error
    np.testing.assert_allclose(got, VALUES.std(axis=0, ddof=1) / np.sqrt(30))


def test_copies_of_failures_in_their_cluster_add_no_information() -> None:
    doubled = clustered(np.repeat(VALUES, 2, axis=0), np.repeat(np.arange(30), 2))
    single = clustered(VALUES, np.arange(30))
    np.testing.assert_allclose(doubled.mean, single.mean)
    np.testing.assert_allclose(doubled.standard_error, single.standard_error)


def test_draws_at_hand_give_the_means_that_drawing_anew_gives() -> None:
    counts = bootstrap_counts(len(set(CLUSTERS)), 50, rng(2))
    assert (counts.sum(axis=1) == len(set(CLUSTERS))).all()
    for values in (VALUES, VALUES[:, 0]):
        anew = cluster_bootstrap(values, CLUSTERS, 50, rng(2))
        assert (resampled_means(values, CLUSTERS, counts) == anew).all()


def test_draws_keep_clusters_whole_and_statistics_paired() -> None:
    # Cluster sums are powers of ten, so a mean tells how often each cluster was drawn.
    values = np.array([[1.0, 2.0], [10.0, 20.0], [50.0, 100.0], [50.0, 100.0]])
    draws = cluster_bootstrap(values, ["a", "b", "c", "c"], 500, rng())
    np.testing.assert_allclose(draws[:, 1], 2 * draws[:, 0])
    possible = {
        (a + 10 * b + 100 * c) / (a + b + 2 * c)
        for a in range(4)
        for b in range(4 - a)
        for c in [3 - a - b]
    }
    assert {round(d, 9) for d in draws[:, 0]} == {round(p, 9) for p in possible}


def test_draws_have_the_mean_and_error_of_the_sample() -> None:
    draws = cluster_bootstrap(VALUES, np.arange(30), 20_000, rng())
    assert draws.shape == (20_000, 3)
    error = VALUES.std(axis=0) / np.sqrt(30)  # the bootstrap's own, without n - 1
    np.testing.assert_allclose(draws.mean(axis=0), VALUES.mean(axis=0), atol=4 * max(error) / 141)
    np.testing.assert_allclose(draws.std(axis=0), error, rtol=0.03)


def test_draws_follow_the_generator_and_not_the_order_of_failures() -> None:
    order = rng().permutation(30)
    one = cluster_bootstrap(VALUES, CLUSTERS, 50, rng(2))
    np.testing.assert_allclose(cluster_bootstrap(VALUES[order], CLUSTERS[order], 50, rng(2)), one)
    assert not np.allclose(cluster_bootstrap(VALUES, CLUSTERS, 50, rng(3)), one)


def test_one_statistic_is_a_column() -> None:
    single = cluster_bootstrap(VALUES[:, 0], CLUSTERS, 10, rng())
    paired = cluster_bootstrap(VALUES, CLUSTERS, 10, rng())
    np.testing.assert_allclose(single, paired[:, :1], rtol=1e-12)


def test_percentiles_are_central() -> None:
    draws = np.linspace(0, 1, 1001)
    assert percentile_interval(draws, 0.90) == pytest.approx((0.05, 0.95))
    low, high = percentile_interval(np.stack([draws, 2 * draws], axis=1), 0.95)
    assert low == pytest.approx([0.025, 0.05])
    assert high == pytest.approx([0.975, 1.95])


def test_t_interval_is_students() -> None:
    low, high = t_interval(VALUES[:, 0], np.arange(30), 0.9)
    mean, error = VALUES[:, 0].mean(), VALUES[:, 0].std(ddof=1) / np.sqrt(30)
    assert (low, high) == pytest.approx(student.interval(0.9, 29, mean, error))


def test_t_interval_counts_clusters_not_failures() -> None:
    count = len(set(CLUSTERS))
    low, high = t_interval(VALUES, CLUSTERS)
    errors = np.array([cluster_error(v, CLUSTERS) for v in VALUES.T])
    np.testing.assert_allclose((high - low) / 2, student.ppf(0.975, count - 1) * errors)
    np.testing.assert_allclose((high + low) / 2, VALUES.mean(axis=0), atol=1e-14)


def test_bootstrap_t_is_its_definition_draw_by_draw() -> None:
    values, count, labels = VALUES[:, 1], len(set(CLUSTERS)), sorted(set(CLUSTERS))
    drawn = rng(5).integers(0, count, (400, count))
    ratios = []
    for draw in drawn:
        members = [np.flatnonzero(label == CLUSTERS) for label in np.array(labels)[draw]]
        copies = np.repeat(np.arange(count), [len(rows) for rows in members])
        rows = np.concatenate(members)
        sample = values[rows]
        error = cluster_error(sample, copies)
        ratios.append((sample.mean() - values.mean()) / error)
    low = np.quantile(ratios, 0.05, method="lower")
    high = np.quantile(ratios, 0.95, method="higher")
    mean, error = values.mean(), cluster_error(values, CLUSTERS)
    got = bootstrap_t_interval(values, CLUSTERS, 400, rng(5), 0.9)
    assert got == pytest.approx((mean - high * error, mean - low * error))


def test_bootstrap_t_leans_with_the_skew() -> None:
    skewed = rng(6).exponential(size=60)
    low, high = bootstrap_t_interval(skewed, np.arange(60), 4000, rng(7), 0.9)
    assert high - skewed.mean() > 1.2 * (skewed.mean() - low)


@given(st.floats(-1, 1), st.integers(2, 9))
def test_values_without_spread_give_a_point(value: float, count: int) -> None:
    values, clusters = np.full(2 * count, value), np.repeat(np.arange(count), 2)
    for low, high in (
        t_interval(values, clusters),
        bootstrap_t_interval(values, clusters, 50, rng()),
        percentile_interval(cluster_bootstrap(values, clusters, 50, rng())[:, 0]),
    ):
        assert (low, high) == pytest.approx((value, value), abs=1e-12)


def test_draws_without_spread_widen_the_interval() -> None:
    # Two clusters: half of the draws have one cluster twice, and no spread.
    low, high = bootstrap_t_interval([0.0, 1.0], [0, 1], 200, rng())
    assert (low, high) == (-np.inf, np.inf)


def test_one_cluster_has_no_error() -> None:
    assert np.isnan(t_interval([0.1, 0.3], [0, 0])).all()
    assert np.isnan(bootstrap_t_interval([0.1, 0.3], [0, 0], 20, rng())).all()


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12))
def test_intervals_move_and_scale_with_the_values(values: list[float]) -> None:
    sample = np.array(values)
    clusters = np.arange(len(values)) // 2
    if clustered(sample, clusters).standard_error[0] < 1e-6:
        return
    for interval in (
        lambda v: t_interval(v, clusters),
        lambda v: bootstrap_t_interval(v, clusters, 60, rng(8)),
        lambda v: percentile_interval(cluster_bootstrap(v, clusters, 60, rng(8))[:, 0]),
    ):
        low, high = interval(sample)
        assert interval(2 * sample + 1) == pytest.approx(
            (2 * low + 1, 2 * high + 1), abs=1e-6, rel=1e-6
        )


@pytest.mark.parametrize(
    ("values", "clusters", "message"),
    [
        ([], [], "fit"),
        ([1.0, 2.0], [0], "fit"),
        ([[[1.0]]], [0], "fit"),
        ([1.0, float("nan")], [0, 1], "not finite"),
    ],
)
def test_malformed_values_are_refused(
    values: list[object], clusters: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cluster_bootstrap(values, clusters, 10, rng())


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="replicates"):
        cluster_bootstrap(VALUES, CLUSTERS, 0, rng())
    with pytest.raises(ValueError, match="level"):
        percentile_interval([0.1, 0.2], 1.0)
