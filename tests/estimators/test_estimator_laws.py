"""The law of a selection sum, against listing the subsets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import binomial_law, subset_law
from repairstudy.estimators.arrays import UNITS, lattice
from repairstudy.estimators.laws import Law, merged_subset_sums, success_law

REWARDS = st.lists(st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0]), min_size=1, max_size=6)


def same(law: Law, other: Law) -> None:
    for got, want in zip(law, other, strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-12)


def test_two_of_three_by_hand() -> None:
    law = subset_law([1.0, 0.0, 1.0], 2)
    same(law, Law(np.array([1.0, 2.0]), np.array([2, 1]) / 3, np.array([1.0, 0.0])))


def test_rewards_that_sum_alike_share_a_point() -> None:
    # 0.1 + 0.2 and 0.3 + 0.0 differ as floats, not as rewards.
    law = subset_law([0.1, 0.2, 0.3, 0.0], 2)
    assert law.support.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert law.pmf.tolist() == pytest.approx([1 / 6, 1 / 6, 2 / 6, 1 / 6, 1 / 6])
    assert law.heldout.tolist() == pytest.approx([0.25, 0.2, 0.15, 0.1, 0.05])


@given(REWARDS, st.data())
def test_every_subset_is_counted_once(rewards: list[float], data: st.DataObject) -> None:
    m = data.draw(st.integers(0, len(rewards)))
    law = subset_law(rewards, m)
    listed = Counter(sum(round(1e9 * y) for y in chosen) for chosen in combinations(rewards, m))
    total = sum(listed.values())
    assert lattice(law.support).tolist() == sorted(listed)
    assert law.pmf.tolist() == pytest.approx([listed[s] / total for s in sorted(listed)])


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=12), st.data())
def test_law_of_zeros_and_ones_is_the_general_count(row: list[float], data: st.DataObject) -> None:
    m = data.draw(st.integers(0, len(row)))
    law = subset_law(row, m)
    sums, counts = merged_subset_sums(lattice(np.array(row)), m)
    np.testing.assert_allclose(law.support, sums / UNITS, rtol=0, atol=0)
    np.testing.assert_allclose(law.pmf, counts / counts.sum(), rtol=1e-12)


def test_merging_on_the_way_counts_as_listing_does() -> None:
    rewards = np.random.default_rng(1).integers(0, 101, 14) / 100
    law = subset_law(rewards, 7)
    sums, counts = merged_subset_sums(lattice(rewards), 7)
    np.testing.assert_array_equal(lattice(law.support), sums)
    np.testing.assert_allclose(law.pmf, counts / counts.sum(), rtol=1e-12)


def test_many_rollouts_on_a_coarse_scale_are_merged_not_listed() -> None:
    law = subset_law(np.arange(40) % 5 / 4, 20)  # 1.4e11 subsets
    assert len(law.support) <= 81
    assert law.pmf.sum() == pytest.approx(1.0, abs=1e-12)
    assert law.pmf @ law.heldout == pytest.approx(0.5, abs=1e-12)


@given(REWARDS, st.data())
def test_what_is_held_out_has_the_mean_of_all(rewards: list[float], data: st.DataObject) -> None:
    m = data.draw(st.integers(0, len(rewards) - 1))
    law = subset_law(rewards, m)
    assert law.pmf @ law.heldout == pytest.approx(np.mean(rewards), abs=1e-8)
    assert law.pmf @ law.support == pytest.approx(m * np.mean(rewards), abs=1e-8)


def test_nothing_is_held_out_when_all_select() -> None:
    assert np.isnan(subset_law([1.0, 0.0], 2).heldout).all()


def test_credit_given_a_number_of_successes_is_the_mean_of_the_rest() -> None:
    outcomes, successes = np.array([0.9, 0.5, 0.2, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])
    law = success_law(outcomes, successes, 2)
    rest: dict[float, list[float]] = {}
    for chosen in combinations(range(4), 2):
        held = [j for j in range(4) if j not in chosen]
        rest.setdefault(successes[list(chosen)].sum(), []).append(float(outcomes[held].mean()))
    assert law.support.tolist() == [0.0, 1.0, 2.0]
    assert law.pmf.tolist() == pytest.approx([1 / 6, 4 / 6, 1 / 6])
    assert law.heldout.tolist() == pytest.approx([np.mean(rest[x]) for x in law.support])


def test_binomial_law_of_two() -> None:
    same(binomial_law(0.25, 2), Law(np.arange(3.0), np.array([9, 6, 1]) / 16, np.full(3, 0.25)))


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_certain_outcomes_have_one_point(p: float) -> None:
    same(binomial_law(p, 3), Law(np.array([3 * p]), np.ones(1), np.array([p])))


@pytest.mark.parametrize("m", [-1, 3])
def test_impossible_subsets_are_refused(m: int) -> None:
    with pytest.raises(ValueError, match=r"not in 0\.\.2"):
        subset_law([0.0, 1.0], m)


@pytest.mark.parametrize(("p", "m"), [(-0.1, 1), (1.1, 1), (0.5, -1), (float("nan"), 1)])
def test_impossible_binomials_are_refused(p: float, m: int) -> None:
    with pytest.raises(ValueError, match="binomial"):
        binomial_law(p, m)


def test_missing_rollouts_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        subset_law([1.0, float("nan")], 1)
