"""Evaluators that score candidates without the rollouts that evaluate them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import argmax_weights, common_splits, fixed_value, subsample_weights

NAN = float("nan")


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([0.1, 0.3, 0.2], [0, 1, 0]),
        ([0.3, 0.1, 0.3], [0.5, 0, 0.5]),
        ([0.1 + 0.2, 0.3], [0.5, 0.5]),  # equal to nine decimals
        ([0.3 + 1e-8, 0.3], [1, 0]),
        ([NAN, 0.0, -1.0], [0, 1, 0]),
        ([NAN, NAN], [0.5, 0.5]),
        ([-np.inf, NAN], [1, 0]),
        ([np.inf, 5.0], [1, 0]),
        ([2.0], [1]),
    ],
)
def test_the_largest_score_is_selected(scores: list[float], weights: list[float]) -> None:
    assert argmax_weights(scores).tolist() == weights


@given(st.lists(st.sampled_from([NAN, -1.0, 0.0, 0.5]), min_size=1, max_size=8))
def test_weights_are_equal_shares_of_the_best(scores: list[float]) -> None:
    weights = argmax_weights(scores)
    chosen = weights > 0
    assert weights.sum() == pytest.approx(1.0)
    assert len(set(weights[chosen])) == 1
    if not np.isnan(scores).all():
        assert set(np.array(scores)[chosen]) == {np.nanmax(scores)}


def test_a_fixed_choice_is_worth_its_mean() -> None:
    outcomes = np.array([[1, 1, 0, 0], [1, 0, 0, 0.0]])
    assert fixed_value([0.5, 0.5], outcomes) == pytest.approx(0.375)


def test_a_fixed_choice_needs_no_split() -> None:
    # Over all splits, what a fixed choice is worth on the held-out half is its mean.
    outcomes = np.random.default_rng(1).random((3, 6)).round(0)
    weights = np.array([0.2, 0.5, 0.3])
    halves = [
        weights @ outcomes[:, [j for j in range(6) if j not in chosen]].mean(axis=1)
        for chosen in combinations(range(6), 3)
    ]
    assert fixed_value(weights, outcomes) == pytest.approx(np.mean(halves), abs=1e-14)
    assert common_splits(outcomes, 0).value == pytest.approx(fixed_value([1 / 3] * 3, outcomes))


@pytest.mark.parametrize(("weights", "message"), [([1.0], "2 arms"), ([0.6, 0.6], "not to 1")])
def test_weights_that_do_not_fit_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fixed_value(weights, np.zeros((2, 3)))


@pytest.mark.parametrize("scores", [[], [[1.0]]])
def test_scores_need_one_number_an_arm(scores: list[object]) -> None:
    with pytest.raises(ValueError, match="arms"):
        argmax_weights(scores)


@given(st.integers(0, 4), st.integers(1, 3), st.randoms(use_true_random=False))
def test_subsampled_weights_are_the_mean_over_subsets(r: int, arms: int, random: object) -> None:
    table = np.array([[random.choice([0, 0.1, 1]) for _ in range(4)] for _ in range(arms)])  # type: ignore[attr-defined]
    expected = np.zeros(arms)
    joint = list(product(combinations(range(4), r), repeat=arms))
    for chosen in joint:
        shown = [sum(row[j] for j in s) for row, s in zip(table, chosen, strict=True)]
        expected += argmax_weights(shown)
    np.testing.assert_allclose(subsample_weights(table, r), expected / len(joint), atol=1e-12)


def test_all_rollouts_of_an_evaluator_are_its_mean_score() -> None:
    table = np.random.default_rng(2).random((5, 20)).round(1)
    np.testing.assert_allclose(subsample_weights(table, 20), argmax_weights(table.mean(axis=1)))


def test_more_rollouts_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not in 0\.\.3"):
        subsample_weights(np.zeros((2, 3)), 4)
