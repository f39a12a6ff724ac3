"""Acceptance by a few own replays, credited on the replays that did not decide."""

from __future__ import annotations

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairstudy.estimators import acceptance

BITS = st.sampled_from([0.0, 1.0])


@st.composite
def arms(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    shape = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    fill = [[draw(BITS) for _ in range(shape[1])] for _ in range(shape[0])]
    rewards = [[draw(st.sampled_from([0.0, 0.4, 1.0])) for _ in row] for row in fill]
    return np.array(rewards), np.array(fill)


def test_a_single_flip_by_hand() -> None:
    # Arm 0 always flips, arm 1 in half the replays; the replay that flipped is not credited.
    selected = acceptance([[1, 1], [1, 0]], k=1, of=1)
    assert selected.weights.tolist() == pytest.approx([0.75, 0.25])
    assert selected.value == pytest.approx(0.5 * (1 + 0) / 2 + 0.5 * 1)


def test_none_accepted_is_uniform_over_all() -> None:
    selected = acceptance(np.zeros((4, 5)), k=2, of=3)
    assert selected.weights.tolist() == pytest.approx([0.25] * 4)
    assert selected.value == 0.0


def test_all_accepted_is_uniform_over_all() -> None:
    assert acceptance(np.ones((4, 5)), k=2, of=3).weights.tolist() == pytest.approx([0.25] * 4)


@settings(max_examples=40)
@given(arms(), st.data())
def test_acceptance_is_the_mean_over_all_products_of_replays(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    outcomes, successes = table
    of = data.draw(st.integers(1, outcomes.shape[1] - 1))
    k = data.draw(st.integers(1, of))
    value, weights = twins.acceptance(outcomes, successes, k, of)
    selected = acceptance(outcomes, k, of, successes)
    assert selected.value == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(selected.weights, weights, rtol=0, atol=1e-12)


@given(arms())
def test_successes_may_be_left_out_when_they_are_the_outcomes(
    table: tuple[np.ndarray, np.ndarray],
) -> None:
    _, successes = table
    one, other = acceptance(successes, 1, 1), acceptance(successes, 1, 1, successes)
    assert one.value == other.value


def test_rewards_without_successes_are_refused() -> None:
    with pytest.raises(ValueError, match="give successes"):
        acceptance([[0.5, 1.0]], 1, 1)


def test_successes_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        acceptance(np.zeros((2, 3)), 1, 1, np.zeros((2, 2)))


@pytest.mark.parametrize(("k", "of"), [(0, 1), (3, 2), (1, 3)])
def test_rules_that_cannot_be_met_or_leave_nothing_are_refused(k: int, of: int) -> None:
    with pytest.raises(ValueError, match=r"not in|held-out"):
        acceptance(np.zeros((2, 3)), k, of)
