"""Earliest success and latest significant step, against listing all splits."""

from __future__ import annotations

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_estimator_failure_scope import drawn, failures, flat, twin

from repairstudy.estimators import (
    FailureSelected,
    Position,
    acceptance,
    earliest_success,
    latest_significant,
)


@st.composite
def with_successes(draw: st.DrawFn) -> list[Position]:
    return [
        position._replace(
            successes=np.array(
                [[float(draw(st.booleans())) for _ in row] for row in position.outcomes]
            )
        )
        for position in draw(failures())
    ]


def matches(selected: FailureSelected, expected: tuple[float, np.ndarray]) -> None:
    assert selected.value == pytest.approx(expected[0], abs=1e-12)
    np.testing.assert_allclose(flat(selected), expected[1], rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(with_successes())
def test_earliest_success_is_the_mean_over_all_choices_of_replays(
    positions: list[Position],
) -> None:
    successes = [p.successes for p in positions if p.successes is not None]
    matches(earliest_success(positions), twins.earliest_success(twin(positions), successes))


def test_earliest_success_stops_at_the_first_position() -> None:
    sure, never = np.ones((1, 3)), np.zeros((2, 3))
    first = [Position(sure, np.zeros(3)), Position(sure, np.zeros(3))]
    assert flat(earliest_success(first)).tolist() == [1.0, 0.0]
    second = [Position(never, np.zeros(3)), Position(sure, np.ones(3) / 2)]
    selected = earliest_success(second)
    assert flat(selected).tolist() == [0.0, 0.0, 1.0]
    assert selected.value == pytest.approx(0.5)


def test_without_any_success_all_pairs_are_equal() -> None:
    positions = [Position(np.zeros((2, 3)), np.ones(3)), Position(np.zeros((1, 3)), np.ones(3))]
    selected = earliest_success(positions)
    np.testing.assert_allclose(flat(selected), 1 / 3)
    assert selected.value == pytest.approx(-1.0)


def test_at_one_position_the_earliest_success_is_a_single_flip() -> None:
    outcomes = np.random.default_rng(2).random((4, 6)).round(0)
    original = np.array([1.0, 0.0, 0.0, 0.0])
    flip = acceptance(outcomes, 1, 1)
    matches(earliest_success([Position(outcomes, original)]), (flip.value - 0.25, flip.weights))


@settings(max_examples=40)
@given(failures(), st.integers(1, 2), st.sampled_from([0.05, 0.2, 1 / 3, 0.5, 0.7]))
def test_latest_significant_is_the_mean_over_all_products_of_splits(
    positions: list[Position], m: int, alpha: float
) -> None:
    m0 = [twins_original_size(3, m, len(position.original)) for position in positions]
    expected = twins.latest_significant(twin(positions), m, m0, alpha)
    matches(latest_significant(positions, m, alpha), expected)


def twins_original_size(n: int, m: int, n0: int) -> int:
    return max(1, min(n0 - 1, round(m * n0 / n)))


@pytest.mark.parametrize("decimals", [0, 1])
def test_the_same_with_halves_of_four(decimals: int) -> None:
    positions = drawn(5, decimals)
    expected = twins.latest_significant(twin(positions), 2, [2, 2], 1 / 6)
    assert 0 < expected[1][0] < 1
    matches(latest_significant(positions, 2, 1 / 6), expected)


def test_latest_significant_stops_at_the_last_position() -> None:
    better = Position(np.array([[1.0] * 10, [0.0] * 10]), np.zeros(10))
    equal = Position(np.zeros((2, 10)), np.zeros(10))
    assert flat(latest_significant([better, better], 5)).tolist() == [0, 0, 1, 0]
    selected = latest_significant([better, equal], 5)
    assert flat(selected).tolist() == [1, 0, 0, 0]
    assert selected.value == 1.0


def test_rewards_and_successes_are_tested_alike() -> None:
    # One reward of a half makes the exact permutation test of rewards do the work of Fisher's.
    rng = np.random.default_rng(3)
    outcomes, original = rng.random((4, 6)).round(0), np.array([0.0, 0, 0, 1, 0, 0])
    scaled = latest_significant([Position(outcomes / 2, original / 2)], 3, 0.05)
    counted = latest_significant([Position(outcomes, original)], 3, 0.05)
    assert scaled.value == pytest.approx(counted.value / 2, abs=1e-12)
    np.testing.assert_allclose(flat(scaled), flat(counted), rtol=0, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_levels_that_test_nothing_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="no test"):
        latest_significant([Position(np.zeros((1, 2)), np.zeros(2))], 1, alpha)


def test_rules_refuse_what_they_cannot_do() -> None:
    zero = Position(np.zeros((1, 2)), np.zeros(2))
    with pytest.raises(ValueError, match="no test"):
        latest_significant([zero], 0)
    with pytest.raises(ValueError, match="held-out"):
        latest_significant([zero], 2)
    with pytest.raises(ValueError, match="give successes"):
        earliest_success([Position(np.full((1, 2), 0.5), np.zeros(2))])
    for rule in (earliest_success, lambda positions: latest_significant(positions, 1)):
        with pytest.raises(ValueError, match="at least one position"):
            rule([])
