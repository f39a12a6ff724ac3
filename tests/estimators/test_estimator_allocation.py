"""Rules of allocation: posteriors by hand, what each rule asks for, and honest replays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from repairstudy.estimators.allocation import (
    PerfectInformation,
    Rule,
    SuccessiveRejects,
    TopTwo,
    Uniform,
    next_arms,
    recommended,
)
from repairstudy.estimators.allocation_bounds import KlLucb, divergence, upper_bounds
from repairstudy.estimators.allocation_posterior import (
    Counts,
    Prior,
    expected_best,
    opportunity_cost,
    perfect_information,
)
from repairstudy.estimators.allocation_replay import (
    Stop,
    replay_known,
    replay_stored,
    shuffled,
)
from repairstudy.estimators.crossfit import crossfit
from repairstudy.estimators.exact import exact_value

Array = NDArray[np.float64]
RULES = (Uniform(), TopTwo(), PerfectInformation(), KlLucb(), SuccessiveRejects(12))


def counts(pulls: list[int], sums: list[float]) -> Counts:
    return Counts(np.array([pulls], dtype=float), np.array([sums], dtype=float))


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@st.composite
def some_counts(draw: st.DrawFn) -> Counts:
    pulls = draw(st.lists(st.integers(0, 6), min_size=2, max_size=5))
    return counts(pulls, [float(draw(st.integers(0, n))) for n in pulls])


# Posteriors


def test_the_best_of_two_flat_arms_by_hand() -> None:
    # E[max of two uniforms] = 2/3; one alone is 1/2; told one, the other stays at 1/2:
    # E[(u - 1/2)^+] = 1/8.
    nothing = counts([0, 0], [0, 0])
    flat = Prior(1.0, 1.0)
    assert expected_best(nothing, flat) == pytest.approx(2 / 3)
    assert opportunity_cost(nothing, flat) == pytest.approx(1 / 6)
    np.testing.assert_allclose(perfect_information(nothing, flat), [[1 / 8, 1 / 8]])


@settings(max_examples=15)
@given(some_counts())
def test_posterior_quantities_are_those_of_many_draws(seen: Counts) -> None:
    a, b = Prior().shapes(seen)
    draws = rng().beta(a, b, (20_000, a.shape[1]))
    best = draws.max(axis=1)
    assert expected_best(seen, Prior())[0] == pytest.approx(best.mean(), abs=0.012)
    means = (a / (a + b))[0]
    gains = perfect_information(seen, Prior())[0]
    for arm in range(len(means)):
        others = np.delete(means, arm).max()
        told = np.maximum(draws[:, arm], others).mean() - means.max()
        assert gains[arm] == pytest.approx(told, abs=0.012)


def test_eleven_skewed_arms_are_integrated_to_a_millionth() -> None:
    seen = counts([0] * 11, [0.0] * 11)
    x = np.linspace(0.0, 1.0, 2_000_001)
    fine = np.trapezoid(1.0 - stats.beta(0.5, 0.9).cdf(x) ** 11, x)
    assert expected_best(seen, Prior())[0] == pytest.approx(fine, abs=1e-6)


def test_silence_makes_a_position_hopeless_and_one_success_does_not() -> None:
    prior = Prior(1.0, 1.0, hopeless=0.5)
    # One failure on each of two flat arms has the likelihood 1/4 if there is hope.
    assert prior.hope(counts([1, 1], [0, 0])) == pytest.approx(0.25 / 1.25)
    assert prior.hope(counts([1, 1], [0, 1])) == pytest.approx(1.0)
    assert expected_best(counts([0, 0], [0, 0]), prior) == pytest.approx(0.5 * 2 / 3)


def test_a_reward_counts_as_a_part_of_a_success() -> None:
    np.testing.assert_allclose(
        Prior(1.0, 1.0).means(counts([2, 4], [0.5, 3.0])), [[1.5 / 4, 4 / 6]]
    )


def test_at_the_cap_only_the_other_arms_can_regain_anything() -> None:
    prior = Prior(1.0, 1.0)
    seen = counts([5, 5], [5, 0])
    assert opportunity_cost(seen, prior)[0] > 0.0
    assert opportunity_cost(seen, prior, cap=5) == pytest.approx(0.0)


# Rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_a_full_batch_respects_the_cap_and_spreads(rule: Rule) -> None:
    asked = next_arms(rule, Counts.none(200, 4), rng(), batch=8, cap=3)
    assert asked.min() >= 0
    for row in asked:
        assert np.bincount(row, minlength=4).max() <= 3


@pytest.mark.parametrize("rule", RULES[:4], ids=lambda rule: type(rule).__name__)
def test_nothing_is_left_when_every_arm_is_at_the_cap(rule: Rule) -> None:
    asked = next_arms(rule, counts([2, 1], [1, 1]), rng(), batch=3, cap=2)
    assert asked.tolist() == [[1, -1, -1]]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_equal_arms_are_asked_for_equally_often(rule: Rule) -> None:
    asked = next_arms(rule, Counts.none(6000, 3), rng())[:, 0]
    shares = np.bincount(asked, minlength=3) / 6000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)


@pytest.mark.parametrize("rule", [Uniform(), PerfectInformation()])
@given(some_counts(), st.randoms(use_true_random=False))
def test_relabelled_arms_get_relabelled_scores(rule: Rule, seen: Counts, shuffle: object) -> None:
    order = np.array(sorted(range(seen.pulls.shape[1]), key=lambda _: shuffle.random()))  # type: ignore[attr-defined]
    scores = rule.scores(seen, Prior(), rng())[0]
    turned = Counts(seen.pulls[:, order], seen.sums[:, order])
    np.testing.assert_allclose(rule.scores(turned, Prior(), rng())[0], scores[order], atol=1e-12)


def test_a_sure_leader_is_not_pulled_while_a_rival_is_unknown() -> None:
    seen = counts([20, 0, 20], [18, 0, 0])
    for rule in (PerfectInformation(), KlLucb()):
        assert next_arms(rule, seen, rng()).tolist() == [[1]]


def test_top_two_pulls_the_leader_half_of_the_time_and_the_hopeless_arm_hardly_ever() -> None:
    seen = Counts(np.full((4000, 3), 30.0), np.tile([24.0, 21.0, 1.0], (4000, 1)))
    shares = np.bincount(next_arms(TopTwo(), seen, rng())[:, 0], minlength=3) / 4000
    assert 0.4 < shares[0] < 0.6
    assert shares[2] < 0.01


def test_the_phases_of_successive_rejects_are_those_of_the_paper() -> None:
    # K = 4, n = 24: log(4) = 1/2 + 1/2 + 1/3 + 1/4, n_k = ceil(20 / (19/12 (5 - k))).
    rule = SuccessiveRejects(24)
    seen = Counts.none(1, 4)
    pulls, sums = seen
    outcomes = np.array([1.0, 0.5, 0.25, 0.0])
    order = []
    while (arm := int(next_arms(rule, Counts(pulls, sums), rng())[0, 0])) >= 0:
        order.append(arm)
        pulls[0, arm] += 1
        sums[0, arm] += outcomes[arm]
    assert pulls.tolist() == [[7, 7, 5, 4]]
    assert len(order) == 23 <= 24
    assert set(order[16:]) == {0, 1, 2}


@given(st.integers(1, 7), st.integers(0, 30), st.integers(1, 6))
def test_successive_rejects_never_exceeds_its_budget(arms: int, more: int, cap: int) -> None:
    budget = arms + more
    trace = replay_known(
        SuccessiveRejects(budget, cap), rng().random((3, arms)), Stop(200), rng(), cap=cap
    )
    spent = trace.at(Stop())[0]
    assert (spent <= budget).all()
    assert (spent >= arms).all()


@given(st.floats(0, 1), st.integers(1, 20), st.floats(0.1, 4))
def test_upper_bounds_are_where_the_divergence_meets_the_level(
    mean: float, n: int, level: float
) -> None:
    one = np.array([[mean]])
    pulls, levels = np.array([[float(n)]]), np.array([[level]])
    bound = upper_bounds(one, pulls, levels)
    assert mean - 1e-12 <= bound[0, 0] <= 1.0
    if bound[0, 0] < 1.0 - 1e-6:
        assert n * divergence(one, bound)[0, 0] == pytest.approx(level, abs=1e-3)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: next_arms(Uniform(), counts([1], [2.0]), rng()), "between 0 and the pulls"),
        (lambda: next_arms(Uniform(), counts([1], [1.0]), rng(), batch=0), "at least 1"),
        (lambda: SuccessiveRejects(1).scores(counts([0, 0], [0, 0]), Prior(), rng()), "budget"),
        (lambda: replay_stored(Uniform(), [[[0.0, 2.0]]], Stop(), rng()), "in \\[0, 1\\]"),
        (lambda: replay_stored(Uniform(), [[[0.0, 1.0]]], Stop(), rng(), cap=2), "leave a rest"),
        (lambda: replay_known(Uniform(), [[0.5]], Stop(), rng()), "never end"),
    ],
)
def test_bad_input_is_named(asked: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        asked()


# Replays


def value_by_listing(
    rule: Rule, chance: Callable[[int, int, int], float],
    worth: Callable[[int, int, int], float], arms: int, cap: int, budget: int,
) -> float:  # fmt: skip
    """The value of a rule by listing every history; for rules whose scores are not random.

    Args:
        chance: of arm, pulls, sum: that its next rollout succeeds.
        worth: of the same: the value of the arm, if it is chosen then.
    """

    def after(pulls: tuple[int, ...], sums: tuple[int, ...]) -> float:
        seen = counts(list(pulls), list(map(float, sums)))
        if sum(pulls) < budget:
            scores = rule.scores(seen, Prior(), rng())[0].copy()
            scores[np.array(pulls) >= cap] = -np.inf
            if np.isfinite(scores.max()):
                leaders = np.flatnonzero(scores == scores.max())
                return float(np.mean([pulled(pulls, sums, int(arm)) for arm in leaders]))
        weights = recommended(seen, Prior())[0]
        return sum(w * worth(a, pulls[a], sums[a]) for a, w in enumerate(weights) if w)

    def pulled(pulls: tuple[int, ...], sums: tuple[int, ...], arm: int) -> float:
        p = chance(arm, pulls[arm], sums[arm])
        more = tuple(n + (a == arm) for a, n in enumerate(pulls))
        won = tuple(s + (a == arm) for a, s in enumerate(sums))
        return (p * after(more, won) if p else 0.0) + (
            (1 - p) * after(more, sums) if p < 1 else 0.0
        )

    return after((0,) * arms, (0,) * arms)


def urn_value(rule: Rule, totals: tuple[int, ...], n: int, cap: int, budget: int) -> float:
    """The expected replay of stored rollouts over all orders, valued by what was not drawn."""
    return value_by_listing(
        rule,
        lambda a, pulls, won: (totals[a] - won) / (n - pulls),
        lambda a, pulls, won: (totals[a] - won) / (n - pulls),
        len(totals), cap, budget,
    )  # fmt: skip


@pytest.mark.parametrize("rule", [Uniform(), PerfectInformation()])
@pytest.mark.parametrize(("n", "cap"), [(4, 2), (3, 2)])
def test_replays_of_stored_rollouts_are_unbiased(rule: Rule, n: int, cap: int) -> None:
    """Over every table that two arms can show, the replay's mean is the value at known p."""
    p, budget = (0.3, 0.6), 3
    known = value_by_listing(rule, lambda a, m, s: p[a], lambda a, m, s: p[a], 2, cap, budget)
    expected = sum(
        urn_value(rule, totals, n, cap, budget)
        * np.prod([comb(n, s) * q**s * (1 - q) ** (n - s) for s, q in zip(totals, p, strict=True)])
        for totals in product(range(n + 1), repeat=2)
    )
    assert expected == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("rule", [Uniform(), PerfectInformation()])
def test_replays_agree_with_listing_every_history(rule: Rule) -> None:
    totals, n, cap, budget = (1, 3, 2), 4, 2, 5
    table = np.array([[1.0] * s + [0.0] * (n - s) for s in totals])
    source = rng()
    trace = replay_stored(rule, shuffled(table, 20_000, source), Stop(budget), source, cap=cap)
    spent, values = trace.at(Stop())
    error = values.std() / np.sqrt(len(values))
    expected = urn_value(rule, totals, n, cap, budget)
    assert abs(values.mean() - expected) < 4 * error
    assert (spent == budget).all()


def test_the_chosen_of_ten_equal_arms_is_worth_what_all_are() -> None:
    """Its own drawn rollouts would say .6 and more: they chose it."""
    source = rng()
    tables = (source.random((4000, 10, 10)) < 0.3).astype(float)
    trace = replay_stored(PerfectInformation(), tables, Stop(30), source, cap=5)
    assert trace.at(Stop())[1].mean() == pytest.approx(0.3, abs=0.015)


def test_uniform_replays_are_matched_selection() -> None:
    table = np.array([[1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 0, 1], [0, 1, 0, 0, 0, 1.0]])
    source = rng()
    trace = replay_stored(Uniform(), shuffled(table, 20_000, source), Stop(9), source)
    _, values = trace.at(Stop())
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - crossfit(table, 3).value) < 4 * error
    p = np.tile([0.2, 0.5, 0.6], (20_000, 1))
    _, values = replay_known(Uniform(), p, Stop(9), source).at(Stop())
    assert values.mean() == pytest.approx(exact_value(p[0], 3).value, abs=0.005)


def test_equal_arms_bring_no_gain() -> None:
    source = rng()
    p = np.full((300, 4), 0.4)
    for rule in RULES:
        trace = replay_known(rule, p, Stop(12), source)
        np.testing.assert_allclose(trace.values, 0.4)


def test_every_rule_beats_random_choice_and_adaptive_ones_beat_uniform() -> None:
    source = rng()
    p = source.beta(0.5, 0.9, (3000, 6))
    values = {}
    for rule in (*RULES[:4], SuccessiveRejects(18)):
        values[type(rule).__name__] = replay_known(rule, p, Stop(18), source).at(Stop())[1].mean()
    assert min(values.values()) > p.mean() + 0.2
    for name in ("TopTwo", "PerfectInformation", "KlLucb", "SuccessiveRejects"):
        assert values[name] > values["Uniform"]


def test_a_batch_of_many_costs_little_value() -> None:
    source = rng()
    p = source.beta(0.5, 0.9, (3000, 6))
    one, many = (
        replay_known(PerfectInformation(), p, Stop(18), source, batch=batch).at(Stop())
        for batch in (1, 5)
    )
    assert (many[0] == 18).all()  # the last batch is cut
    uniform = replay_known(Uniform(), p, Stop(18), source).at(Stop())[1].mean()
    assert many[1].mean() > (one[1].mean() + uniform) / 2


def test_stops_are_read_off_one_trace() -> None:
    source = rng()
    p = source.beta(0.5, 0.9, (400, 4))
    p[:200] = 0.0
    prior = Prior(hopeless=0.5)
    trace = replay_known(
        PerfectInformation(), p, Stop(24, cost=0.005, futility=0.005), source, prior=prior
    )
    spent = [trace.at(Stop(cost=cost))[0] for cost in (0.1, 0.03, 0.005)]
    assert (np.diff(spent, axis=0) >= 0).all()
    assert (trace.at(Stop(10))[0] <= 10).all()
    hopeless = trace.at(Stop(futility=0.05))[0]
    assert hopeless[:200].mean() < 10 < hopeless[200:].mean()


def test_replays_repeat_with_the_same_seed() -> None:
    p = rng().random((20, 3))
    for rule in RULES:
        first, again = (replay_known(rule, p, Stop(12), np.random.default_rng(3)) for _ in "ab")
        np.testing.assert_array_equal(first.values, again.values)


@pytest.mark.parametrize(("arms", "share"), [(11, 0.5), (6, 0.6)])
def test_the_value_of_uniform_ten_takes_half_of_the_rollouts(arms: int, share: float) -> None:
    """On the Beta(.5, .9) population, by a rule that wrongly fears hopeless positions."""
    source = rng()
    p = source.beta(0.5, 0.9, (3000, arms))
    uniform = replay_known(Uniform(), p, Stop(10 * arms), source).at(Stop())[1]
    stop, prior = Stop(10 * arms, cost=0.025), Prior(hopeless=0.1)
    spent, values = replay_known(PerfectInformation(), p, stop, source, prior=prior).at(Stop())
    error = (values - uniform).std() / np.sqrt(len(p))
    assert values.mean() > uniform.mean() - 2 * error
    assert spent.mean() < share * 10 * arms


def test_the_example_of_the_documentation_runs_and_finds_the_best_arm() -> None:
    page = (Path(__file__).parents[2] / "docs/adaptive.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(compile(example, "docs/adaptive.md", "exec"), names)
    assert names["chosen"] == 1
    assert 4 < np.sum(names["pulls"]) < 60  # type: ignore[call-overload]
