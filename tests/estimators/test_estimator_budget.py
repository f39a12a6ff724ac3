"""The number of own rollouts that an evaluator is worth."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import equivalent_budget, equivalent_budgets

CURVE = [0.1, 0.3, 0.4, 0.45]


@pytest.mark.parametrize(
    ("value", "budget"),
    [
        (0.1, 0.0),  # as good as random
        (0.2, 0.5),
        (0.3, 1.0),
        (0.35, 1.5),
        (0.45, 3.0),
        (0.09, -inf),  # worse than random
        (0.46, inf),  # better than any budget that was measured
    ],
)
def test_linear_between_whole_budgets(value: float, budget: float) -> None:
    assert equivalent_budget(CURVE, value) == pytest.approx(budget)


def test_the_smallest_budget_counts_where_a_curve_falls_back() -> None:
    assert equivalent_budget([0.0, 0.4, 0.2, 0.4], 0.3) == pytest.approx(0.75)


def test_a_flat_curve_is_reached_at_once() -> None:
    assert equivalent_budget([0.2, 0.2, 0.2], 0.2) == 0.0


def test_an_unknown_value_has_no_budget() -> None:
    assert isnan(equivalent_budget(CURVE, nan))
    assert isnan(equivalent_budget([0.1, nan, 0.3], 0.2))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(-0.5, 1.5))
def test_the_curve_at_the_budget_is_the_value(curve: list[float], value: float) -> None:
    budget = equivalent_budget(curve, value)
    if np.isfinite(budget):
        # Differences of the smallest floats have no exact ratio.
        assert np.interp(budget, range(len(curve)), curve) == pytest.approx(value, abs=1e-9)
        assert all(v < value for v in curve[: int(np.ceil(budget))])
    else:
        assert value < curve[0] if budget < 0 else value > max(curve)


def test_draws_are_done_row_by_row() -> None:
    curves, values = np.array([CURVE, CURVE, CURVE[::-1]]), np.array([0.2, 0.5, 0.2])
    single = [equivalent_budget(c, v) for c, v in zip(curves, values, strict=True)]
    assert equivalent_budgets(curves, values).tolist() == single


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="fit"):
        equivalent_budgets(np.zeros((2, 3)), np.zeros(3))
