"""Sizes of studies: the table of the statistics section, and noise against repeated rollouts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import failures_needed
from repairstudy.estimators.batch import crossfit_many
from repairstudy.estimators.sizing import Costs, Spread, design, loss_noise, spread_of

MATCHED = 5


@pytest.mark.parametrize(("sd", "tests", "failures"), [
    (0.2, 1, 69), (0.3, 1, 155), (0.2, 8, 124), (0.3, 8, 279),
])  # fmt: skip
def test_sizes_of_the_statistics_section(sd, tests, failures):
    """Section 7: failures for a loss of .06 with power .8."""
    found = design(Spread(sd**2, {10: 0.0}), 0.06, 10, tests, Costs(7))
    assert found.failures_holm == failures
    assert found.failures == failures_needed(0.06, sd)
    assert found.detectable <= 0.06
    assert found.total == failures * 7 * 10


def test_costs_of_the_statistics_section():
    """Section 7: 60 failures, 6 candidates and the original, 10 rollouts: 4,200 episodes."""
    assert Costs(7).total(60, 10) == 4200
    assert Costs(7, evaluating=120.0).total(60, 10) == 4200 + 7200
    assert Costs(7, collecting=2.0).total(60, 10) == 4200 + 120


def test_only_noise_falls_with_rollouts():
    spread = Spread(0.01, {10: 0.03})
    assert spread.sd(10) == pytest.approx(0.2)
    assert spread.sd(20) == pytest.approx((0.01 + 0.015) ** 0.5)
    assert spread.sd(5) == pytest.approx((0.01 + 0.06) ** 0.5)
    known = Spread(0.01, {10: 0.03, 20: 0.02})
    assert known.sd(20) == pytest.approx(0.03**0.5)
    assert known.sd(40) == pytest.approx(0.02**0.5)


@given(st.floats(0, 0.1), st.floats(0.001, 0.1), st.integers(6, 30), st.integers(1, 12))
def test_more_rollouts_never_need_more_failures(between, noise, n, tests):
    spread, costs = Spread(between, {10: noise}), Costs(7)
    few, many = (design(spread, 0.06, r, tests, costs) for r in (n, n + 5))
    assert many.failures_holm <= few.failures_holm
    assert few.failures <= few.failures_holm


def test_parts_of_a_spread_add_up():
    losses, clusters = [0.0, 0.2, 0.1, 0.5], ["a", "b", "c", "d"]
    found = spread_of(losses, clusters, {10: 0.01}, 10)
    assert found.sd(10) ** 2 == pytest.approx(np.var(losses, ddof=1))
    assert spread_of(losses, clusters, {10: 9.0}, 10).between == 0.0
    twins = spread_of([0.0, 0.0, 0.4, 0.4], ["a", "a", "b", "b"], {10: 0.0}, 10)
    assert twins.between == pytest.approx(4 * (0.4 / 2) ** 2)


def test_impossible_designs_are_refused():
    with pytest.raises(ValueError, match="0 tests"):
        design(Spread(0.04, {10: 0.0}), 0.06, 10, 0, Costs(7))
    with pytest.raises(ValueError, match="one cluster"):
        spread_of([0.1, 0.2], ["a", "a"], {10: 0.0}, 10)


def population(failures, rng, candidates=6):
    """Chances of candidates, a third of the failures hopeless; what an evaluator chooses."""
    level = rng.normal(-0.8, 1.0, (failures, 1))
    logits = level + rng.normal(0.0, 1.0, (failures, candidates))
    chances = 1 / (1 + np.exp(-logits))
    chances[rng.random(failures) < 0.35] = 0.0
    scores = 0.5 * (logits - level) + 0.87 * rng.normal(0.0, 1.0, logits.shape)
    return chances, np.eye(candidates)[scores.argmax(axis=1)]


def rolled(chances, n, rng):
    return (rng.random((*chances.shape, n)) < chances[..., None]).astype(float)


def measured_noise(chances, choices, n, rng, repeats=20):
    """The mean variance of a failure's loss over real repetitions of its rollouts."""
    tables = [rolled(chances, n, rng) for _ in range(repeats)]
    best = [[s.value for s in crossfit_many(table, MATCHED)] for table in tables]
    other = [(choices * table.mean(axis=2)).sum(axis=1) for table in tables]
    return (np.array(best) - np.array(other)).var(axis=0, ddof=1).mean()


@pytest.mark.parametrize("n", [7, 10, 20])
def test_noise_from_one_pilot_is_that_of_repeated_rollouts(n):
    """From 10 rollouts a candidate: within a fifth of the truth, at any number of rollouts."""
    rng = np.random.default_rng(n)
    chances, choices = population(200, rng)
    truth = measured_noise(chances, choices, n, rng)
    pilot = list(rolled(chances, 10, rng))
    assert loss_noise(pilot, list(choices), MATCHED, n, rng, 20) == pytest.approx(truth, rel=0.2)


def test_outcomes_that_cannot_vary_have_no_noise():
    sure = [np.array([[1.0] * 10, [0.0] * 10])] * 3
    rng = np.random.default_rng(0)
    assert loss_noise(sure, [np.array([0.0, 1.0])] * 3, MATCHED, 10, rng) == 0.0
    assert loss_noise(sure, MATCHED, MATCHED, 10, rng) == 0.0


def test_the_planned_study_has_the_power_that_was_asked_for():
    """Studies of the size planned from one pilot detect the population's loss as often as said."""
    rng = np.random.default_rng(5)
    chances, choices = population(3000, rng)
    losses = _losses(chances, choices, 10, rng)
    pilot = rng.choice(3000, 150, replace=False)
    tables = list(rolled(chances[pilot], 10, rng))
    noise = {10: loss_noise(tables, list(choices[pilot]), MATCHED, 10, rng, 20)}
    spread = spread_of(losses[pilot], pilot, noise, 10)
    planned = design(spread, float(losses.mean()), 10, 1, Costs(7)).failures
    drawn = losses[rng.integers(0, 3000, (4000, planned))]
    t = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * planned**0.5
    assert (t > 1.645).mean() == pytest.approx(0.8, abs=0.1)


def _losses(chances, choices, n, rng):
    table = rolled(chances, n, rng)
    best = np.array([s.value for s in crossfit_many(table, MATCHED)])
    return best - (choices * table.mean(axis=2)).sum(axis=1)
