"""Cross-fit values: definition, invariances, unbiasedness, and no leak of selection into credit."""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from repairstudy.estimators import (
    budget_curve,
    common_splits,
    crossfit,
    crossfit_many,
    exact_value,
    random_splits,
    tournament,
)
from repairstudy.estimators.laws import Law

Array = NDArray[np.float64]
OUTCOMES = {
    "binary": st.sampled_from([0.0, 1.0]),
    "rewards": st.sampled_from([0.0, 0.1, 0.2, 0.3, 1 / 3, 1.0]),
}


def tables(kind: str, arms: int = 4, rollouts: int = 4) -> st.SearchStrategy[Array]:
    def filled(shape: tuple[int, int]) -> st.SearchStrategy[Array]:
        row = st.lists(OUTCOMES[kind], min_size=shape[1], max_size=shape[1])
        return st.lists(row, min_size=shape[0], max_size=shape[0]).map(np.array)

    return st.tuples(st.integers(1, arms), st.integers(2, rollouts)).flatmap(filled)


any_table = st.one_of(tables("binary", 6, 8), tables("rewards", 5, 6))


def test_two_arms_of_two_rollouts_by_hand() -> None:
    # Arm 0 always shows 1 and is worth 1. Arm 1 shows 1 or 0, and is then worth 0 or 1.
    # Shown (1, 1): a tie, worth (1 + 0) / 2; shown (1, 0): arm 0, worth 1.
    selected = crossfit([[1, 1], [1, 0]], 1)
    assert selected.value == pytest.approx(0.5 * 0.5 + 0.5 * 1.0)
    assert selected.weights.tolist() == pytest.approx([0.75, 0.25])


@settings(max_examples=30)
@given(st.one_of(tables("binary", 3, 4), tables("rewards", 3, 4)), st.data())
def test_exact_value_is_the_mean_over_all_products_of_splits(
    table: Array, data: st.DataObject
) -> None:
    m = data.draw(st.integers(0, table.shape[1] - 1))
    value, weights = twins.crossfit(table, m)
    selected = crossfit(table, m)
    assert selected.value == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(selected.weights, weights, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(any_table, st.data())
def test_common_splits_are_the_mean_over_all_index_splits(
    table: Array, data: st.DataObject
) -> None:
    m = data.draw(st.integers(0, table.shape[1] - 1))
    value, weights = twins.common_splits(table, m)
    selected = common_splits(table, m)
    assert selected.value == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(selected.weights, weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("decimals", [0, 2])
def test_all_252_common_splits_of_ten(decimals: int) -> None:
    table = np.random.default_rng(3).random((6, 10)).round(decimals)
    values = []
    for chosen in combinations(range(10), 5):
        rest = [j for j in range(10) if j not in chosen]
        shown = table[:, list(chosen)].sum(axis=1).round(9)
        values.append(table[shown == shown.max()][:, rest].mean())
    assert len(values) == 252
    assert common_splits(table, 5).value == pytest.approx(np.mean(values), abs=1e-12)


def test_random_splits_tend_to_the_common_splits() -> None:
    table = np.random.default_rng(4).random((6, 10)).round(0)
    target = common_splits(table, 5).value
    fifty = [random_splits(table, 5, 50, np.random.default_rng(s)).value for s in range(300)]
    error = np.std(fifty, ddof=1) / np.sqrt(300)
    assert error > 0
    assert abs(np.mean(fifty) - target) < 4 * error


def test_random_splits_follow_their_generator() -> None:
    table = np.random.default_rng(5).random((4, 10)).round(0)
    one, same, other = (
        random_splits(table, 5, 50, np.random.default_rng(s)).value for s in (1, 1, 2)
    )
    assert one == same != other


def test_a_single_split_credits_only_what_it_held_out() -> None:
    table = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    # One rollout selects. Whatever it is, a winner that showed its only success is worth 0.
    for seed in range(20):
        selected = random_splits(table, 1, 1, np.random.default_rng(seed))
        showed_success = selected.weights.max() == 1.0
        assert selected.value == (0.0 if showed_success else pytest.approx(1 / 3))


@given(any_table, st.data())
def test_candidates_and_rollouts_have_no_order(table: Array, data: st.DataObject) -> None:
    m = data.draw(st.integers(0, table.shape[1] - 1))
    order = data.draw(st.permutations(range(len(table))))
    relabelled = np.array([data.draw(st.permutations(row.tolist())) for row in table[order]])
    one, other = crossfit(table, m), crossfit(relabelled, m)
    assert other.value == pytest.approx(one.value, abs=1e-12)
    np.testing.assert_allclose(other.weights, one.weights[order], rtol=0, atol=1e-12)


@given(any_table, st.data())
def test_weights_sum_to_one_and_values_stay_among_outcomes(
    table: Array, data: st.DataObject
) -> None:
    m = data.draw(st.integers(0, table.shape[1] - 1))
    for selected in (crossfit(table, m), common_splits(table, m)):
        assert selected.weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert (selected.weights >= 0).all()
        assert table.min() - 1e-8 <= selected.value <= table.max() + 1e-8


@given(any_table)
def test_no_rollout_selects_at_random(table: Array) -> None:
    selected = crossfit(table, 0)
    assert selected.value == pytest.approx(table.mean(), abs=1e-8)
    np.testing.assert_allclose(selected.weights, 1 / len(table), rtol=0, atol=1e-14)


@given(any_table)
def test_equal_candidates_tie(table: Array) -> None:
    copies = np.repeat(table[:1], 4, axis=0)
    weights = crossfit(copies, table.shape[1] - 1).weights
    np.testing.assert_allclose(weights, 0.25, rtol=0, atol=1e-13)


@given(any_table)
def test_the_curve_is_made_of_crossfit_values(table: Array) -> None:
    curve = budget_curve(table)
    assert curve.tolist() == [crossfit(table, m).value for m in range(table.shape[1])]


def test_matched_selection_is_five_own_rollouts() -> None:
    table = np.random.default_rng(6).random((5, 10)).round(0)
    assert budget_curve(table, 5)[5] == crossfit(table, 5).value
    assert len(budget_curve(table)) == 10


@pytest.mark.parametrize("m", [0, 1, 2, 3])
def test_unbiased_over_every_table_of_counts(m: int) -> None:
    """Not a simulation: the expectation over all 5^3 tables is V_m to rounding."""
    p, n = (0.2, 0.55, 0.9), 4
    expected = 0.0
    for counts in twins.success_counts(len(p), n):
        arms = zip(counts, p, strict=True)
        chance = prod(comb(n, s) * q**s * (1 - q) ** (n - s) for s, q in arms)
        expected += chance * crossfit(twins.table_of(counts, n), m).value
    assert expected == pytest.approx(exact_value(p, m).value, abs=1e-13)


@pytest.mark.parametrize("scheme", ["exact", "common"])
def test_mean_over_simulated_pools_is_the_exact_value(scheme: str) -> None:
    rng, p, pools = np.random.default_rng(7), np.array([0.05, 0.3, 0.35, 0.7]), 1500
    outcomes = (rng.random((pools, 4, 10)) < p[:, None]).astype(float)
    if scheme == "exact":
        values = [selected.value for selected in crossfit_many(outcomes, 5)]
    else:
        values = [common_splits(table, 5).value for table in outcomes]
    error = np.std(values, ddof=1) / np.sqrt(pools)
    assert abs(np.mean(values) - exact_value(p, 5).value) < 4 * error
    naive = outcomes.mean(axis=2).max(axis=1).mean()  # selects and scores with the same rollouts
    assert naive - exact_value(p, 10).value > 4 * error


def test_mean_over_simulated_rewards_is_the_exact_value() -> None:
    rng, pools, m = np.random.default_rng(8), 1000, 2
    rewards, chances = np.array([0.0, 0.3, 1.0]), np.array([[6, 3, 1], [2, 6, 2], [5, 0, 5]]) / 10
    laws = []
    for chance in chances:
        sums = (rewards[:, None] + rewards).ravel()
        support, place = np.unique(sums.round(9), return_inverse=True)
        pmf = np.bincount(place, np.outer(chance, chance).ravel())
        laws.append(Law(support[pmf > 0], pmf[pmf > 0], np.full((pmf > 0).sum(), chance @ rewards)))
    truth = tournament(laws).value
    outcomes = np.stack([rng.choice(rewards, (pools, 6), p=c) for c in chances], axis=1)
    values = [crossfit(table, m).value for table in outcomes]
    assert abs(np.mean(values) - truth) < 4 * np.std(values, ddof=1) / np.sqrt(pools)


def test_shuffled_labels_leave_no_gap_to_random() -> None:
    """If rollouts carry no information on their candidate, selecting by them gains nothing."""
    rng = np.random.default_rng(9)
    table = (rng.random((6, 10)) < np.linspace(0.05, 0.95, 6)[:, None]).astype(float)
    assert crossfit(table, 5).value - table.mean() > 0.3
    shuffled = [rng.permutation(table.ravel()).reshape(table.shape) for _ in range(1500)]
    gaps = np.array([s.value for s in crossfit_many(shuffled, 5)]) - table.mean()
    # Given all selection halves, the held-out rollouts of any arm are a random choice of the rest.
    assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / np.sqrt(len(gaps))


@pytest.mark.parametrize("m", [-1, 4])
@pytest.mark.parametrize("estimate", [crossfit, common_splits])
def test_a_held_out_part_must_remain(estimate: object, m: int) -> None:
    with pytest.raises(ValueError, match="held-out"):
        estimate(np.zeros((2, 4)), m)  # type: ignore[operator]


@pytest.mark.parametrize("table", [[1.0, 0.0], [[]], [[[1.0]]]])
def test_malformed_tables_are_refused(table: list[object]) -> None:
    with pytest.raises(ValueError, match="shape"):
        crossfit(table, 0)


def test_too_many_splits_are_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="random_splits"):
        common_splits(np.zeros((2, 24)), 12)
    with pytest.raises(ValueError, match="splits"):
        random_splits(np.zeros((2, 4)), 2, 0, np.random.default_rng(0))
