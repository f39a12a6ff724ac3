"""Choosing one repair: who is rolled out, what the choice gains, and what a naive choice claims."""

from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.analysis.picking import (
    METHODS,
    PRIOR,
    REJECTS,
    STOPPING,
    UNIFORM,
    Campaign,
    Gain,
    decide,
    naive,
    net_gain,
    preferred,
)
from repairstudy.estimators.allocation import rejection_levels
from repairstudy.estimators.allocation_posterior import Counts, opportunity_cost

EVER = -1.0  # an opportunity cost that is never reached


def campaign(method, rates, budget=10, cost=EVER, seed=1):
    """Rounds until nothing is asked for: pulls, sums, and what each round asked."""
    rng = np.random.default_rng(seed)
    pulls, sums, rounds = np.zeros(len(rates)), np.zeros(len(rates)), []
    while asked := Campaign(method, budget, cost).asked(pulls, sums, rng):
        rounds.append(asked)
        for arm in asked:
            pulls[arm] += 1
            sums[arm] += rng.random() < rates[arm]
    return pulls, sums, rounds


@given(
    st.sampled_from(METHODS),
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    st.integers(1, 6),
    st.integers(0, 99),
)
def test_every_arm_is_rolled_out_first_and_the_budget_is_never_exceeded(
    method, rates, budget, seed
):
    pulls, _, rounds = campaign(method, rates, budget, seed=seed)
    assert rounds[0] == list(range(len(rates)))
    assert len(rates) <= pulls.sum() <= budget * len(rates)
    if method != REJECTS:  # whose phases may leave a few
        assert pulls.sum() == budget * len(rates)


def test_uniform_asks_for_all_that_is_left_at_once():
    pulls, _, rounds = campaign(UNIFORM, [0.2, 0.5, 0.9], budget=4)
    assert pulls.tolist() == [4, 4, 4]
    assert [len(asked) for asked in rounds] == [3, 9]


def test_successive_rejects_goes_phase_by_phase():
    levels = rejection_levels(4, 40, None)
    pulls, _, rounds = campaign(REJECTS, [0.0, 0.0, 0.0, 1.0], budget=10)
    assert sorted(pulls) == sorted([*levels, levels[-1]])  # the last two reach the same level
    assert pulls[3] == levels[-1]  # one that always succeeds is never rejected
    assert len(rounds) == 1 + len(np.unique(levels))
    assert campaign(REJECTS, [0.0, 1.0, 1.0, 1.0], budget=10)[0][0] == levels[0]


@pytest.mark.parametrize("method", STOPPING)
def test_rules_that_stop_do_so_where_choosing_now_forgoes_little(method):
    pulls, sums, _ = campaign(method, [0.05, 0.1, 0.95], budget=50, cost=0.02)
    assert pulls.sum() < 75
    assert opportunity_cost(Counts(pulls[None], sums[None]), PRIOR)[0] <= 0.02
    assert campaign(method, [0.5] * 4, cost=1.0)[0].tolist() == [1, 1, 1, 1]


def test_a_single_candidate_and_its_original_are_a_campaign():
    for method in METHODS:
        assert campaign(method, [0.0, 1.0], budget=3)[0].min() >= 1


@pytest.mark.parametrize(("method", "budget"), [("greedy", 5), (UNIFORM, 0)])
def test_an_impossible_campaign_is_refused(method, budget):
    with pytest.raises(ValueError, match=r"greedy|below 1"):
        Campaign(method, budget, 0.03)


def test_of_tied_candidates_the_first_named_is_preferred():
    pulls, sums = np.array([4.0, 2.0, 4.0, 2.0]), np.array([4.0, 1.0, 2.0, 1.0])
    # Posterior means (.5 + s) / (1.4 + n): .833, .441, .463, .441; arm 0 is the original.
    assert preferred(pulls, sums, [1, 2, 3]) == 2
    assert preferred(pulls, sums, [1, 3]) == 1
    assert preferred(pulls, sums, [3, 1]) == 3


def test_a_naive_choice_claims_the_best_mean_over_the_original_of_its_step():
    pulls, sums = np.array([2.0, 4.0, 1.0, 4.0]), np.array([1.0, 1.0, 1.0, 3.0])
    assert naive(pulls, sums, [2, 3], {2: 0, 3: 1}) == (2, 0.5)  # 1 of 1 beats 3 of 4
    assert naive(pulls, sums, [3], {3: 1}) == (3, 0.5)


def test_the_naive_claim_of_worthless_repairs_by_enumeration():
    """Two candidates and the original, all at 1/2, two rollouts each: E[claim] = 3/16 exactly."""
    claims = []
    for outcomes in product([0.0, 1.0], repeat=6):
        sums = np.array(outcomes).reshape(3, 2).sum(axis=1)
        claims.append(naive(np.full(3, 2.0), sums, [1, 2], {1: 0, 2: 0})[1])
    # E[max of two means of 2] = (0 * 1 + 1/2 * 8 + 1 * 7) / 16 = 11/16, minus 1/2.
    assert np.mean(claims) == pytest.approx(11 / 16 - 1 / 2, abs=1e-12)


def wilson(x, n, z=1.959963984540054):
    centre, half = x + z * z / 2, z * sqrt(x * (n - x) / n + z * z / 4)
    return (centre - half) / (n + z * z), (centre + half) / (n + z * z)


@pytest.mark.parametrize(("x", "y"), [(0, 0), (10, 0), (4, 0), (7, 3), (2, 9), (10, 10)])
def test_successes_have_newcombe_s_interval_by_its_formula(x, y):
    (low_x, high_x), (low_y, high_y), n = wilson(x, 10), wilson(y, 10), 10
    gain = net_gain(counted(x), counted(y), "success")
    difference = (x - y) / n
    assert gain.estimate == pytest.approx(difference, abs=1e-12)
    low = difference - sqrt((x / n - low_x) ** 2 + (high_y - y / n) ** 2)
    high = difference + sqrt((high_x - x / n) ** 2 + (y / n - low_y) ** 2)
    assert (gain.low, gain.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-9)


def counted(x, n=10):
    return np.repeat([1.0, 0.0], [x, n - x])


def law(p, n):
    return np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])


RATES = np.linspace(0.0, 1.0, 11)


@pytest.mark.parametrize(("metric", "least"), [("success", 0.91), ("reward", 0.93)])
def test_both_intervals_cover_by_enumeration(metric, least):
    """All outcomes of 10 and 10 rollouts, for all pairs of rates on a grid: exact coverage."""
    gains = [[net_gain(counted(x), counted(y), metric) for y in range(11)] for x in range(11)]
    low, high = (np.array([[getattr(g, end) for g in row] for row in gains])
                 for end in ("low", "high"))  # fmt: skip
    coverage = np.empty((len(RATES), len(RATES)))
    for i, p in enumerate(RATES):
        for j, q in enumerate(RATES):
            inside = (low <= p - q + 1e-9) & (high >= p - q - 1e-9)
            coverage[i, j] = law(p, 10) @ inside @ law(q, 10)
    assert coverage.mean() >= 0.95
    assert coverage.min() >= least


def test_a_worthless_repair_is_recommended_in_few_of_a_hundred_failures():
    """Whatever selection did: P(replace) at no net gain, by enumeration."""
    replaced = np.array([
        [decide(net_gain(counted(x), counted(y), "success")) == "replace" for y in range(11)]
        for x in range(11)
    ])  # fmt: skip
    wrong = [law(p, 10) @ replaced @ law(p, 10) for p in RATES]
    assert max(wrong) <= 0.025
    assert np.mean(wrong) <= 0.015


def test_rewards_have_welch_s_interval_with_a_0_and_a_1_in_both_arms():
    gain = net_gain(np.array([0.5, 0.5]), np.array([0.25, 0.25]), "reward")
    assert gain.estimate == 0.25  # the estimate itself has nothing added
    # 0.5, 0.5, 0, 1: mean .5, variance 1/6. 0.25, 0.25, 0, 1: mean .375, variance 0.1875.
    a, b = (1 / 6) / 4, 0.1875 / 4
    freedom = (a + b) ** 2 / (a**2 / 3 + b**2 / 3)
    assert (gain.low + gain.high) / 2 == pytest.approx(0.125, abs=1e-12)
    t = 2.4486  # of 5.98 degrees of freedom, from tables: 2.4469 at 6, 2.5706 at 5
    assert freedom == pytest.approx(5.98, abs=0.02)
    assert (gain.high - gain.low) / 2 == pytest.approx(t * sqrt(a + b), abs=2e-3)


def test_equal_rewards_still_leave_an_interval_of_some_width():
    gain = net_gain(np.zeros(10), np.zeros(10), "reward")
    assert gain.estimate == 0.0
    assert gain.low < -0.1
    assert gain.high > 0.1


@pytest.mark.parametrize(
    ("low", "high", "margin", "decision"),
    [
        (0.1, 0.6, 0.0, "replace"),
        (-0.1, 0.6, 0.0, "not_enough_evidence"),
        (0.0, 0.6, 0.0, "not_enough_evidence"),
        (-0.6, -0.1, 0.0, "keep_original"),
        (-0.6, 0.05, 0.0, "not_enough_evidence"),
        (-0.6, 0.05, 0.1, "keep_original"),
        (0.01, 0.05, 0.1, "keep_original"),  # surely better, and surely by too little
        (0.05, 0.6, 0.1, "replace"),
    ],
)
def test_decisions(low, high, margin, decision):
    assert decide(Gain((low + high) / 2, low, high), margin) == decision
