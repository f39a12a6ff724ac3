"""The exact values that estimates are compared with, against listing everything by hand."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from repairstudy.estimators import exact_failure, exact_value
from repairstudy.validation.populations import binary
from repairstudy.validation.truth import (
    best_gain_weights,
    earliest_success_weights,
    latest_significant_weights,
    leading,
    sum_laws,
    weights_by_acceptance,
    weights_by_rollouts,
)

RNG = np.random.default_rng(3)
RATES = np.array([[0.0, 0.0, 0.0], [0.2, 0.2, 0.9], [1.0, 0.5, 1.0], [0.1, 0.4, 0.6]])


def by_hand(laws):
    """(K,) shares of the arg max over all combinations of scores."""
    weights = np.zeros(len(laws))
    for scores in product(range(len(laws[0])), repeat=len(laws)):
        chance = np.prod([law[x] for law, x in zip(laws, scores, strict=True)])
        best = np.array(scores) == max(scores)
        weights += chance * best / best.sum()
    return weights


def test_the_leader_of_any_scores_shares_ties_equally():
    laws = RNG.dirichlet(np.ones(3), (2, 4))
    for one, led in zip(laws, leading(laws), strict=True):
        np.testing.assert_allclose(led.sum(axis=1), by_hand(one), atol=1e-14)


def test_sums_of_successes_are_binomial():
    law = sum_laws(binary(np.array(0.3)), 5)
    np.testing.assert_allclose(law, binom.pmf(range(6), 5, 0.3), atol=1e-14)


def test_sums_of_rewards_have_the_mean_and_spread_of_sums():
    chances = np.array([0.1, 0.2, 0.3, 0.0, 0.4])
    law, values = sum_laws(chances, 3), np.arange(13)
    one = np.arange(5)
    spread = chances @ one**2 - (chances @ one) ** 2
    assert law @ values == pytest.approx(3 * chances @ one)
    assert law @ values**2 - (law @ values) ** 2 == pytest.approx(3 * spread)


@pytest.mark.parametrize("m", [0, 1, 5])
def test_values_agree_with_the_estimators_own_integral(m):
    values = (weights_by_rollouts(binary(RATES), m) * RATES).sum(axis=1)
    expected = [exact_value(row, m).value for row in RATES]
    np.testing.assert_allclose(values, expected, atol=1e-13)


def test_accepting_nobody_is_choosing_anybody():
    assert weights_by_acceptance(np.zeros((1, 4)), 2, 3).tolist() == [[0.25] * 4]
    assert weights_by_acceptance(np.array([[1.0, 0.0]]), 2, 3).tolist() == [[1.0, 0.0]]


def test_the_best_gain_across_positions_agrees_with_the_race():
    own, original = RNG.random((3, 2, 3)), RNG.random((3, 2))
    weights = best_gain_weights(binary(own), binary(original), 3)
    gains = own - original[..., None]
    for i in range(3):
        exact = exact_failure([(own[i, t], original[i, t]) for t in range(2)], 3, 3)
        assert (weights[i] * gains[i]).sum() == pytest.approx(exact.value, abs=1e-13)


def test_the_earliest_success_by_hand():
    rates = np.array([[[0.5, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert earliest_success_weights(rates).tolist() == [[[0.5, 0], [0.5, 0]], [[0.25] * 2] * 2]


def test_the_latest_significant_step_by_hand():
    rates, original, m = RNG.random((1, 2, 2)), RNG.random((1, 2)), 3
    expected = np.zeros((2, 2))
    for outcome in product(range(m + 1), repeat=6):
        x, z = np.array(outcome[:4]).reshape(2, 2), outcome[4:]
        chance = binom.pmf(x, m, rates[0]).prod() * binom.pmf(z, m, original[0]).prod()
        for t in (1, 0):
            tables = [[[k, m - k], [z[t], m - z[t]]] for k in x[t]]
            found = np.array([fisher_exact(t, "greater").pvalue <= 0.25 for t in tables])
            if found.any():
                best = found & (x[t] == x[t][found].max())
                expected[t] += chance * best / best.sum()
                break
        else:
            expected += chance / 4
    found = latest_significant_weights(rates, original, m, 0.25)
    np.testing.assert_allclose(found[0], expected, atol=1e-12)
