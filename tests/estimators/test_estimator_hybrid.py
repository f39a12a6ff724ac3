"""Hybrid evaluators: exact values, no leak from a position into its own prior, planted scores."""

from __future__ import annotations

from fractions import Fraction

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from repairstudy.estimators.crossfit import crossfit
from repairstudy.estimators.hybrid import CandidatePrior, blended, candidate_priors, concentration
from repairstudy.estimators.hybrid_batch import blended_values
from repairstudy.estimators.hybrid_calibration import design, fit_line, fit_logistic, logistic

Array = NDArray[np.float64]
BUDGETS = (0, 1, 2, 3, 5)


# The value of a choice by prior and own rollouts


@st.composite
def blends(draw: st.DrawFn) -> tuple[Array, int, Array, float]:
    """Small tables of outcomes with priors and weights in eighths, so that ties occur."""
    arms, n = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    values = st.sampled_from([0.0, 1.0] if draw(st.booleans()) else [0.0, 0.25, 0.5, 1.0])
    rows = st.lists(st.lists(values, min_size=n, max_size=n), min_size=arms, max_size=arms)
    eighths = st.integers(0, 8).map(lambda k: k / 8)
    prior = draw(st.lists(eighths, min_size=arms, max_size=arms))
    r = draw(st.integers(0, n - 1))
    return np.array(draw(rows)), r, np.array(prior), draw(eighths) if r else 0.0


@settings(max_examples=40)
@given(blends())
def test_the_value_is_the_mean_over_all_products_of_splits(
    case: tuple[Array, int, Array, float],
) -> None:
    table, r, prior, weight = case
    rows = twins.exact(table)
    own, beliefs = Fraction(weight), [Fraction(p) for p in prior]
    value, weights = twins.average(
        [(len(row), r) for row in rows],
        lambda joint: twins.largest(
            [
                own * twins.mean(row, chosen) + (1 - own) * belief
                for row, belief, (chosen, _) in zip(rows, beliefs, joint, strict=True)
            ]
        ),
        lambda a, joint: twins.mean(rows[a], joint[a][1]),
    )
    selected = blended(table, r, prior, weight)
    assert selected.value == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(selected.weights, weights, atol=1e-9)


@given(blends(), st.randoms(use_true_random=False))
def test_relabelled_candidates_have_the_same_value(
    case: tuple[Array, int, Array, float], shuffle: object
) -> None:
    table, r, prior, weight = case
    order = sorted(range(len(table)), key=lambda _: shuffle.random())  # type: ignore[attr-defined]
    first, turned = (
        blended(t, r, p, weight) for t, p in ((table, prior), (table[order], prior[order]))
    )
    assert turned.value == pytest.approx(first.value)
    np.testing.assert_allclose(turned.weights, first.weights[order], atol=1e-12)


@pytest.mark.parametrize("r", [1, 2, 3, 5])
def test_a_prior_that_prefers_nobody_is_matched_selection(r: int) -> None:
    table = (np.random.default_rng(2).random((4, 10)) < 0.4).astype(float)
    selected = blended(table, r, np.full(4, 0.3), 0.6)
    assert selected.value == pytest.approx(crossfit(table, r).value)


@given(blends())
def test_equal_candidates_bring_no_gain(case: tuple[Array, int, Array, float]) -> None:
    table, r, prior, weight = case
    same = np.full(table.shape, table[0, 0])
    assert blended(same, r, prior, weight).value == pytest.approx(table[0, 0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0.0, 1.0]], 2, [0.5], 0.5), "cannot select"),
        (([[0.0, 1.0]], 1, [0.5, 0.5], 0.5), "priors"),
        (([[0.0, 1.0]], 1, [0.5], 1.5), "weight"),
    ],
)
def test_bad_input_is_named(arguments: tuple[list[list[float]], int, list[float], float],
                            words: str) -> None:  # fmt: skip
    with pytest.raises(ValueError, match=words):
        blended(*arguments)


@given(st.lists(blends(), min_size=1, max_size=5), st.integers(0, 1))
def test_many_positions_at_once_have_the_values_of_each(
    cases: list[tuple[Array, int, Array, float]], r: int
) -> None:
    tables, priors = [case[0] for case in cases], [case[2] for case in cases]
    weights = [case[3] if r else 0.0 for case in cases]
    one_by_one = [
        blended(table, r, prior, weight).value
        for table, prior, weight in zip(tables, priors, weights, strict=True)
    ]
    np.testing.assert_allclose(blended_values(tables, r, priors, weights), one_by_one, atol=1e-12)


@pytest.mark.parametrize("r", [1, 3, 5])
def test_many_positions_of_realistic_size(r: int) -> None:
    rng = np.random.default_rng(9)
    tables = [(rng.random((k, 10)) < rng.random((k, 1))).astype(float) for k in (4, 11, 4, 7)]
    priors = [np.round(rng.random(len(table)), 1) for table in tables]
    weights = rng.random(4)
    expected = [blended(*case).value for case in zip(tables, [r] * 4, priors, weights, strict=True)]
    np.testing.assert_allclose(blended_values(tables, r, priors, weights), expected, atol=1e-12)


# Priors


def test_scores_are_centred_at_their_position_and_missing_ones_say_nothing() -> None:
    found = design([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]])
    np.testing.assert_allclose(found[:, 0], [-1.0, 1.0, 0.0])
    np.testing.assert_allclose(found[:, 2], [2.0, 2.0, 2.0])
    assert not found[:, [1, 3]].any()


def test_the_logistic_fit_solves_its_own_equations() -> None:
    rng = np.random.default_rng(4)
    x, n = rng.normal(size=(2000, 2)), np.full(2000, 10.0)
    y = rng.binomial(10, logistic(-0.5 + x @ [1.0, -0.4])) / 10
    beta = fit_logistic(x, y, n, 0.7)
    residual = n * (logistic(beta[0] + x @ beta[1:]) - y)
    np.testing.assert_allclose(residual.sum(), 0.0, atol=1e-4)
    np.testing.assert_allclose(x.T @ residual + 0.7 * beta[1:], 0.0, atol=1e-4)
    np.testing.assert_allclose(beta, [-0.5, 1.0, -0.4], atol=0.06)


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_outcomes_that_are_all_alike_have_a_fit(outcome: float) -> None:
    x = np.random.default_rng(4).normal(size=(12, 2))
    y, n = np.full(12, outcome), np.full(12, 10.0)
    beta = fit_logistic(x, y, n, 1.0)
    assert np.isfinite(beta).all()
    np.testing.assert_allclose(logistic(beta[0] + x @ beta[1:]), outcome, atol=0.01)
    np.testing.assert_allclose(fit_line(x, y, n, 1.0), [outcome, 0, 0], atol=1e-9)


@pytest.mark.parametrize("truth", [2.0, 20.0])
def test_the_concentration_is_found_again(truth: float) -> None:
    rng = np.random.default_rng(5)
    mu = rng.uniform(0.2, 0.8, 3000)
    sums = rng.binomial(10, rng.beta(truth * mu, truth * (1 - mu)))
    assert concentration(mu, sums, np.full(3000, 10)) == pytest.approx(truth, rel=0.25)


def test_weights_of_own_rollouts_by_hand() -> None:
    prior = CandidatePrior(np.array([0.5]), 3.0, np.array([0.5]), noise=0.2, misfit=0.1)
    assert [prior.bayes_weight(r) for r in (0, 1, 3)] == pytest.approx([0.0, 0.25, 0.5])
    assert [prior.control_weight(r) for r in (0, 1, 2)] == pytest.approx([0.0, 1 / 3, 1 / 2])
    assert prior._replace(noise=0.0, misfit=0.0).control_weight(2) == 1.0


class Population:
    """Positions whose candidates have known rates, ten rollouts each, and a planted score."""

    def __init__(self, quality: float, positions: int = 80, seed: int = 11) -> None:
        rng = np.random.default_rng(seed)
        self.p = rng.beta(0.5, 0.9, (positions, 6))
        self.outcomes = (rng.random((positions, 6, 10)) < self.p[..., None]).astype(float)
        noise = rng.beta(0.5, 0.9, (positions, 6))
        self.scores = list((quality * self.p + (1.0 - quality) * noise)[..., None])
        self.folds = np.arange(positions) % 8
        self.priors = candidate_priors(self.scores, list(self.outcomes), self.folds)

    def values(self, r: int, kind: str) -> float:
        """By the true rates, so that only the choice is noisy."""
        found = []
        for prior, table, p in zip(self.priors, self.outcomes, self.p, strict=True):
            line = kind == "control"
            belief = prior.line if line else prior.rates
            weight = prior.control_weight(r) if line else prior.bayes_weight(r)
            found.append(float(blended(table, r, belief, weight).weights @ p))
        return float(np.mean(found))

    def own(self, r: int) -> float:
        chosen = [crossfit(table, r).weights for table in self.outcomes]
        return float(np.mean([w @ p for w, p in zip(chosen, self.p, strict=True)]))


@pytest.mark.parametrize("kind", ["bayes", "control"])
def test_a_perfect_score_needs_no_rollouts(kind: str) -> None:
    world = Population(quality=1.0)
    best = world.p.max(axis=1).mean()
    for r in BUDGETS:
        assert world.values(r, kind) > best - 0.03
    assert world.own(1) < best - 0.1


@pytest.mark.parametrize("kind", ["bayes", "control"])
def test_a_useless_score_does_little_harm(kind: str) -> None:
    world = Population(quality=0.0)
    assert world.values(0, kind) == pytest.approx(world.p.mean(), abs=0.06)
    for r in BUDGETS[1:]:
        assert world.values(r, kind) > world.own(r) - 0.03


@pytest.mark.parametrize("kind", ["bayes", "control"])
def test_a_middling_score_adds_to_own_rollouts(kind: str) -> None:
    world = Population(quality=0.5)
    for r in (1, 2, 3):
        assert world.values(r, kind) > max(world.own(r), world.values(0, kind)) - 0.005
    assert world.values(1, kind) > world.own(1) + 0.05


def test_no_position_takes_part_in_its_own_prior() -> None:
    world = Population(quality=0.5, positions=24)
    changed = world.outcomes.copy()
    changed[3] = 1.0 - changed[3]
    again = candidate_priors(world.scores, list(changed), world.folds)
    np.testing.assert_array_equal(again[3].rates, world.priors[3].rates)
    np.testing.assert_array_equal(again[11].line, world.priors[11].line)  # of the same fold
    assert again[3].concentration == world.priors[3].concentration
    assert again[3].misfit == world.priors[3].misfit
    assert not np.array_equal(again[4].rates, world.priors[4].rates)


def test_held_out_values_are_unbiased_given_the_prior() -> None:
    """Over fresh rollouts of the held position the mean estimate is the exact value."""
    rng = np.random.default_rng(3)
    p, prior, weight, r = np.array([0.2, 0.5, 0.6]), np.array([0.5, 0.4, 0.3]), 0.4, 2
    tables = (rng.random((4000, 3, 6)) < p[:, None]).astype(float)
    found = [blended(table, r, prior, weight) for table in tables]
    estimates = np.array([one.value for one in found])
    truth = np.array([one.weights @ p for one in found])
    error = (estimates - truth).std() / np.sqrt(len(tables))
    assert abs(estimates.mean() - truth.mean()) < 4 * error


def test_shapes_that_do_not_fit_are_named() -> None:
    table = np.zeros((2, 4))
    with pytest.raises(ValueError, match="same positions"):
        candidate_priors([[[1.0], [2.0]]], [table] * 3, [1, 2, 3])
    with pytest.raises(ValueError, match="at least three"):
        candidate_priors([[[1.0], [2.0]]] * 2, [table] * 2, [1, 2])
    with pytest.raises(ValueError, match="one row a candidate"):
        candidate_priors([[[1.0], [2.0]]] * 2 + [[[1.0]]], [table] * 3, [1, 2, 3])
