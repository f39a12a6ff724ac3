"""Values under known probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import argmax_weights, exact_external, exact_value

P = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def test_one_rollout_of_two_arms_by_hand() -> None:
    # P(arm 0 wins) = .5 * .8 + half of the ties (.5 * .2 + .5 * .8)
    first = 0.5 * 0.8 + 0.5 * (0.5 * 0.2 + 0.5 * 0.8)
    selected = exact_value([0.5, 0.2], 1)
    assert selected.weights.tolist() == pytest.approx([first, 1 - first])
    assert selected.value == pytest.approx(0.5 * first + 0.2 * (1 - first))


@given(P)
def test_no_rollout_is_the_mean_and_many_approach_the_best(p: list[float]) -> None:
    assert exact_value(p, 0).value == pytest.approx(np.mean(p), abs=1e-12)
    values = [exact_value(p, m).value for m in (0, 1, 2, 5, 40)]
    assert (np.diff(values) > -1e-12).all()
    assert values[-1] <= max(p) + 1e-12


@given(P, st.data())
def test_an_evaluator_is_worth_its_choices(p: list[float], data: st.DataObject) -> None:
    q = [data.draw(st.floats(0, 1)) for _ in p]
    r = data.draw(st.integers(0, 8))
    selected = exact_external(p, q, r)
    np.testing.assert_allclose(selected.weights, exact_value(q, r).weights, atol=1e-12)
    assert selected.value == pytest.approx(float(selected.weights @ p), abs=1e-12)


def test_unlimited_rollouts_compare_the_probabilities() -> None:
    p, q = np.array([0.9, 0.1, 0.5]), np.array([0.2, 0.7, 0.7 + 1e-12])
    selected = exact_external(p, q, None)
    assert selected.weights.tolist() == argmax_weights(q).tolist() == [0.0, 0.5, 0.5]
    assert selected.value == pytest.approx(0.3)


@pytest.mark.parametrize("q", [[0.5], [0.5, 1.5], [0.5, float("nan")]])
def test_malformed_probabilities_are_refused(q: list[float]) -> None:
    for r in (3, None):
        with pytest.raises(ValueError, match=r"one number an arm|in \[0, 1\]"):
            exact_external([0.1, 0.2], q, r)
