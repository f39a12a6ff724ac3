"""Many positions at once are the positions one by one, only faster."""

from __future__ import annotations

import time

import numpy as np
import pytest

from repairstudy.estimators import (
    acceptance,
    acceptance_many,
    argmax_weights,
    argmax_weights_many,
    budget_curve,
    budget_curves,
    crossfit,
    crossfit_many,
    fixed_value,
    fixed_values,
    subsample_weights,
    subsample_weights_many,
)

RNG = np.random.default_rng(11)
# Positions of several shapes, binary and not, in mixed order.
POSITIONS = [
    RNG.random((arms, n)).round(decimals)
    for arms, n, decimals in [(3, 6, 0), (5, 10, 0), (3, 6, 1), (3, 6, 0), (1, 6, 0), (5, 10, 0)]
]


@pytest.mark.parametrize("m", [0, 2, 5])
def test_every_position_has_its_own_value(m: int) -> None:
    for one, table in zip(crossfit_many(POSITIONS, m), POSITIONS, strict=True):
        single = crossfit(table, m)
        assert one.value == pytest.approx(single.value, abs=1e-13)
        np.testing.assert_allclose(one.weights, single.weights, atol=1e-13)


def test_an_array_of_positions_is_a_sequence_of_tables() -> None:
    outcomes = RNG.random((4, 3, 6)).round(0)
    assert [s.value for s in crossfit_many(outcomes, 2)] == [
        s.value for s in crossfit_many(list(outcomes), 2)
    ]


def test_groups_that_do_not_fit_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = crossfit_many(POSITIONS, 2)
    monkeypatch.setattr("repairstudy.estimators.batch.BLOCK", 1)
    cut = [s.value for s in crossfit_many(POSITIONS, 2)]
    assert cut == pytest.approx([s.value for s in whole], abs=1e-13)


def test_curves_have_a_row_for_each_position() -> None:
    curves = budget_curves(POSITIONS, 4)
    assert curves.shape == (6, 5)
    for curve, table in zip(curves, POSITIONS, strict=True):
        np.testing.assert_allclose(curve, budget_curve(table, 4), atol=1e-13)


@pytest.mark.parametrize("r", [0, 3, 6])
def test_subsampled_weights_one_by_one(r: int) -> None:
    for weights, table in zip(subsample_weights_many(POSITIONS, r), POSITIONS, strict=True):
        np.testing.assert_allclose(weights, subsample_weights(table, r), atol=1e-13)


@pytest.mark.parametrize(("k", "of"), [(1, 1), (2, 3)])
def test_acceptance_one_by_one(k: int, of: int) -> None:
    binary = [table.round(0) for table in POSITIONS]
    rewards = [0.3 * table if i % 2 else table for i, table in enumerate(binary)]
    for outcomes, successes in ((binary, None), (rewards, binary)):
        singles = [
            acceptance(table, k, of, None if successes is None else successes[i])
            for i, table in enumerate(outcomes)
        ]
        for one, single in zip(acceptance_many(outcomes, k, of, successes), singles, strict=True):
            assert one.value == pytest.approx(single.value, abs=1e-13)
            np.testing.assert_allclose(one.weights, single.weights, atol=1e-13)


def test_a_position_with_too_few_rollouts_is_refused() -> None:
    with pytest.raises(ValueError, match="held-out"):
        crossfit_many(POSITIONS, 6)
    with pytest.raises(ValueError, match=r"not in 0\.\.6"):
        subsample_weights_many(POSITIONS, 7)
    with pytest.raises(ValueError, match="held-out"):
        acceptance_many([np.zeros((2, 3))], 2, 3)
    with pytest.raises(ValueError, match=r"not in 1\.\.1"):
        acceptance_many([np.zeros((2, 3))], 0, 1)


def test_a_million_rollouts_take_seconds() -> None:
    outcomes = (RNG.random((10_000, 10, 10)) < RNG.random((10_000, 10, 1))).astype(float)
    started = time.process_time()
    values = [selected.value for selected in crossfit_many(outcomes, 5)]
    assert time.process_time() - started < 20
    assert np.mean(values) - outcomes.mean() > 0.2


def test_fixed_choices_of_many_positions_are_those_of_each() -> None:
    scores = RNG.integers(0, 3, (20, 4)).astype(float)
    scores[3] = np.nan
    scores[4, 1] = np.nan
    outcomes = RNG.random((20, 4, 5))
    weights = argmax_weights_many(scores)
    np.testing.assert_array_equal(weights, [argmax_weights(row) for row in scores])
    expected = [fixed_value(w, table) for w, table in zip(weights, outcomes, strict=True)]
    np.testing.assert_allclose(fixed_values(weights, outcomes), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("weights", "outcomes", "said"),
    [
        ([[0.5, 0.5]], np.zeros((1, 3, 2)), "do not fit"),
        ([[0.5, 0.6]], np.zeros((1, 2, 2)), "sum to 1"),
        ([[0.5, 0.5]], np.full((1, 2, 2), np.nan), "finite"),
    ],
)
def test_fixed_choices_that_cannot_be_valued(
    weights: list[list[float]], outcomes: np.ndarray, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        fixed_values(weights, outcomes)


def test_scores_of_many_positions_need_two_axes() -> None:
    with pytest.raises(ValueError, match="positions, arms"):
        argmax_weights_many([1.0, 2.0])
