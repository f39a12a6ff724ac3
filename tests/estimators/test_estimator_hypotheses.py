"""One-sided p-values, Holm's correction, the positive control."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from repairstudy.estimators import (
    cluster_bootstrap,
    holm,
    p_centred,
    p_inversion,
    p_sign_flip,
    p_t,
    percentile_interval,
    positive_control,
)

RNG = np.random.default_rng(31)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_inversion_counts_draws_at_or_below_zero() -> None:
    assert p_inversion([-0.1, 0.0, 0.1, 0.2]) == pytest.approx(3 / 5)
    assert p_inversion(np.array([[0.1, -0.1], [0.2, -0.2]])).tolist() == [1 / 3, 1.0]


def test_centred_counts_draws_at_twice_the_estimate() -> None:
    assert p_centred([0.0, 0.1, 0.2, 0.3], 0.1) == pytest.approx(3 / 5)
    draws = np.array([[0.2, 0.0], [0.1, 0.1]])
    assert p_centred(draws, [0.1, 0.1]).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_no_draw_makes_a_p_value_of_zero() -> None:
    assert p_inversion(np.ones(1999)) == p_centred(np.ones(1999), 1.0) == 1 / 2000


def test_inversion_agrees_with_the_percentile_bound() -> None:
    rejected = []
    for shift in np.linspace(0, 0.1, 20):
        draws = cluster_bootstrap(RNG.normal(shift, 0.2, 40), np.arange(40), 1999, rng())[:, 0]
        low, _ = percentile_interval(draws, 0.90)
        rejected.append(p_inversion(draws) <= 0.05)
        assert rejected[-1] == (low > 0)
    assert 0 < sum(rejected) < 20


def test_t_is_students() -> None:
    values = RNG.normal(0.1, 0.3, 25)
    expected = ttest_1samp(values, 0, alternative="greater").pvalue
    assert p_t(values, np.arange(25)) == pytest.approx(expected)


@pytest.mark.parametrize(("value", "p"), [(0.1, 0.0), (0.0, 1.0), (-0.1, 1.0)])
def test_t_without_spread_is_certain(value: float, p: float) -> None:
    assert p_t(np.full(4, value), np.arange(4)) == p


@given(st.lists(st.sampled_from([-0.5, -0.1, 0.0, 0.1, 0.2, 0.3]), min_size=1, max_size=6))
def test_sign_flips_of_few_clusters_are_all_listed(values: list[float]) -> None:
    flipped = [np.dot(signs, values) for signs in product([-1, 1], repeat=len(values))]
    expected = np.mean([f >= sum(values) - 1e-9 for f in flipped])
    assert p_sign_flip(values, range(len(values)), 10, rng()) == pytest.approx(expected)


def test_random_sign_flips_approach_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    values = RNG.normal(0.1, 0.3, (10, 2))
    listed = p_sign_flip(values, range(10), 1, rng())
    monkeypatch.setattr("repairstudy.estimators.hypotheses.EXACT_CLUSTERS", 0)
    random = p_sign_flip(values, range(10), 40_000, rng())
    np.testing.assert_allclose(random, listed, atol=0.01)


def test_sign_flips_do_not_depend_on_how_many_are_held_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = RNG.normal(0.1, 0.3, (40, 2))
    found = []
    for block in (1, 7 * 40, 10**6):
        monkeypatch.setattr("repairstudy.estimators.hypotheses.SIGN_BLOCK", block)
        found.append(p_sign_flip(values, range(40), 999, rng()).tolist())
    assert found[0] == found[1] == found[2]


def test_sign_flips_keep_clusters_whole() -> None:
    assert p_sign_flip([0.2, 0.1, 0.3], ["a", "a", "b"], 10, rng()) == 0.25


@settings(max_examples=15)  # statsmodels collects garbage at every call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_as_statsmodels_has_it(p: list[float]) -> None:
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-15)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]).tolist() == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("p", [[0.1, float("nan")], [1.1], [-0.1], [[0.1]]])
def test_a_family_may_not_lose_a_member(p: list[object]) -> None:
    with pytest.raises(ValueError, match="family"):
        holm(p)


@pytest.mark.parametrize(
    ("gap", "low", "verdict"),
    [
        (0.12, 0.07, (True, False)),
        (0.1, -0.1, (True, False)),
        (0.3 - 0.2, 0.0, (True, False)),  # 0.09999999999999998
        (0.0999, 0.05, (False, False)),
        (0.2, 0.11, (True, True)),
    ],
)
def test_the_gate_is_the_point_estimate(gap: float, low: float, verdict: tuple[bool, bool]) -> None:
    assert positive_control(gap, low, 0.10) == verdict
