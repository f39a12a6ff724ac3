"""Position and candidate chosen together, the original cross-fitted too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, prod

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairstudy.estimators import (
    FailureSelected,
    Position,
    crossfit,
    crossfit_failure,
    exact_failure,
    fixed_failure,
)
from repairstudy.estimators.positions import original_size

VALUES = {"binary": [0.0, 1.0], "rewards": [0.0, 0.1, 0.2, 0.3, 1.0]}


@st.composite
def failures(draw: st.DrawFn, rollouts: int = 3, original: int = 3) -> list[Position]:
    """Up to two positions with up to two candidates of three rollouts."""
    fill = st.sampled_from(VALUES[draw(st.sampled_from(sorted(VALUES)))])

    def row(size: int) -> list[float]:
        return draw(st.lists(fill, min_size=size, max_size=size))

    sizes = draw(st.lists(st.integers(1, 2), min_size=1, max_size=2))
    return [
        Position(
            np.array([row(rollouts) for _ in range(arms)]),
            np.array(row(draw(st.integers(2, original)))),
        )
        for arms in sizes
    ]


def flat(selected: FailureSelected) -> np.ndarray:
    return np.concatenate(selected.weights)


def drawn(seed: int, decimals: int) -> list[Position]:
    """Two positions, of one and two candidates, with four rollouts each."""
    rng = np.random.default_rng(seed)
    return [
        Position(rng.random((arms, 4)).round(decimals), rng.random(4).round(decimals))
        for arms in (1, 2)
    ]


def twin(positions: Sequence[Position]) -> twins.Failure:
    return twins.Failure([p.outcomes for p in positions], [p.original for p in positions])


@settings(max_examples=40)
@given(failures(), st.integers(0, 2))
def test_the_race_is_the_mean_over_all_products_of_splits(
    positions: list[Position], m: int
) -> None:
    m0 = [original_size(3, m, len(position.original)) for position in positions]
    value, weights = twins.crossfit_failure(twin(positions), m, m0)
    selected = crossfit_failure(positions, m)
    assert selected.value == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(flat(selected), weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("decimals", [0, 1])
def test_the_same_with_halves_of_four(decimals: int) -> None:
    positions = drawn(4, decimals)
    value, weights = twins.crossfit_failure(twin(positions), 2, [2, 2])
    selected = crossfit_failure(positions, 2)
    assert selected.value == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(flat(selected), weights, rtol=0, atol=1e-12)


def test_three_positions_of_other_shapes() -> None:
    rng = np.random.default_rng(5)
    positions = [
        Position(rng.random((arms, 3)).round(0), rng.random(n0).round(0))
        for arms, n0 in ((2, 2), (1, 3), (1, 2))
    ]
    value, weights = twins.crossfit_failure(twin(positions), 1, [1, 1, 1])
    selected = crossfit_failure(positions, 1)
    assert selected.value == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(flat(selected), weights, rtol=0, atol=1e-12)


@given(failures(), st.integers(0, 2))
def test_weights_sum_to_one_and_gains_are_bounded(positions: list[Position], m: int) -> None:
    selected = crossfit_failure(positions, m)
    assert flat(selected).sum() == pytest.approx(1.0, abs=1e-12)
    assert -1 - 1e-9 <= selected.value <= 1 + 1e-9
    assert [len(w) for w in selected.weights] == [len(p.outcomes) for p in positions]


@given(failures(), st.integers(0, 2))
def test_positions_have_no_order_in_the_race(positions: list[Position], m: int) -> None:
    one, other = crossfit_failure(positions, m), crossfit_failure(positions[::-1], m)
    assert other.value == pytest.approx(one.value, abs=1e-12)
    np.testing.assert_allclose(np.concatenate(other.weights[::-1]), flat(one), rtol=0, atol=1e-12)


@pytest.mark.parametrize("decimals", [0, 1])
def test_at_one_position_the_original_cancels(decimals: int) -> None:
    rng = np.random.default_rng(6)
    outcomes, original = rng.random((5, 10)).round(decimals), rng.random(10).round(decimals)
    selected, alone = crossfit_failure([Position(outcomes, original)], 5), crossfit(outcomes, 5)
    assert selected.value == pytest.approx(alone.value - original.mean(), abs=1e-12)
    np.testing.assert_allclose(selected.weights[0], alone.weights, rtol=0, atol=1e-12)


def test_no_rollout_selects_at_random_among_pairs() -> None:
    positions = [
        Position(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0])),
        Position(np.array([[1.0, 0.0]]), np.array([0.0])),
    ]
    selected = crossfit_failure(positions, 0)
    np.testing.assert_allclose(flat(selected), 1 / 3)
    assert selected.value == pytest.approx((0.5 - 0.5 + 0.5) / 3)


@pytest.mark.parametrize("n0", [2, 3])
def test_unbiased_over_every_table_of_counts(n0: int) -> None:
    """The expectation over all tables of two positions is the exact value to rounding."""
    truth = [((0.3, 0.8), 0.5), ((0.6,), 0.2)]
    n, m = 2, 1
    probabilities = [*truth[0][0], truth[0][1], *truth[1][0], truth[1][1]]
    rollouts = [n, n, n0, n, n0]
    expected = 0.0
    for counts in product(*(range(size + 1) for size in rollouts)):
        arms = zip(counts, rollouts, probabilities, strict=True)
        chance = prod(comb(k, s) * p**s * (1 - p) ** (k - s) for s, k, p in arms)
        rows = [(np.arange(k) < s).astype(float) for s, k in zip(counts, rollouts, strict=True)]
        positions = [Position(np.stack(rows[:2]), rows[2]), Position(np.stack(rows[3:4]), rows[4])]
        expected += chance * crossfit_failure(positions, m).value
    m0 = original_size(n, m, n0)
    assert expected == pytest.approx(exact_failure(truth, m, m0).value, abs=1e-12)


def test_an_original_that_is_low_by_luck_is_not_credited() -> None:
    """All pairs are equal in truth: choosing by gain gains nothing, crediting in full would."""
    rng, size = np.random.default_rng(7), 400
    fair, naive = [], []
    for _ in range(size):
        draws = (rng.random((3, 4, 6)) < 0.5).astype(float)
        positions = [Position(draw[:3], draw[3]) for draw in draws]
        fair.append(crossfit_failure(positions, 3).value)
        naive.append(max(d[:3].mean(axis=1).max() - d[3].mean() for d in draws))
    error = np.std(fair, ddof=1) / np.sqrt(size)
    assert abs(np.mean(fair)) < 4 * error
    assert np.mean(naive) > 0.3


def test_a_fixed_choice_is_worth_its_mean_gain() -> None:
    positions = [
        Position(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 0.0, 0.0, 0.0])),
        Position(np.array([[0.0, 0.0]]), np.array([0.5])),
    ]
    assert fixed_failure([[0.2, 0.5], [0.3]], positions) == pytest.approx(
        0.2 * 0.25 + 0.5 * 0.75 - 0.3 * 0.5
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [([[1.0]], "sizes"), ([[0.5], [0.5]], "sizes"), ([[0.5, 0.6], [0.0]], "not to 1")],
)
def test_weights_that_do_not_fit_are_refused(weights: list[list[float]], message: str) -> None:
    positions = [Position(np.zeros((2, 2)), np.zeros(2)), Position(np.zeros((1, 2)), np.zeros(2))]
    with pytest.raises(ValueError, match=message):
        fixed_failure(weights, positions)


def test_large_pools_of_rewards_stay_exact() -> None:
    """Three positions of ten candidates with ten rewards each, on a scale of hundredths."""
    rng = np.random.default_rng(8)
    positions = [Position(rng.random((10, 10)).round(2), rng.random(10).round(2)) for _ in range(3)]
    selected = crossfit_failure(positions, 5)
    assert flat(selected).sum() == pytest.approx(1.0, abs=1e-9)
    gains = fixed_failure(selected.weights, positions)
    assert abs(selected.value - gains) < 0.2  # selected halves regress to the mean, no more


@pytest.mark.parametrize(
    ("n", "m", "n0", "m0"),
    [(10, 5, 10, 5), (10, 5, 20, 10), (10, 1, 4, 1), (10, 9, 4, 3), (4, 0, 1, 0)],
)
def test_the_original_is_split_in_the_same_share(n: int, m: int, n0: int, m0: int) -> None:
    assert original_size(n, m, n0) == m0


def test_what_cannot_be_split_is_refused() -> None:
    one = Position(np.zeros((2, 4)), np.zeros(1))
    with pytest.raises(ValueError, match="at least 2"):
        crossfit_failure([one], 2)
    with pytest.raises(ValueError, match="held-out"):
        crossfit_failure([one], 4)
    with pytest.raises(ValueError, match="at least one position"):
        crossfit_failure([], 2)


def test_a_race_too_large_is_refused_with_the_way_out() -> None:
    rng = np.random.default_rng(9)
    position = Position(rng.random((10, 16)), rng.random(16))
    with pytest.raises(ValueError, match="round the rewards"):
        crossfit_failure([position], 8)
