"""The arg max of independent arms: by hand, by listing, and its invariances."""

from __future__ import annotations

from importlib import import_module
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators import Law, binomial_law, tournament
from repairstudy.estimators.tournament import gauss_legendre, leave_one_out

POINTS = st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True)


@st.composite
def laws(draw: st.DrawFn) -> Law:
    support = sorted(draw(POINTS))
    pmf = np.array([draw(st.integers(1, 5)) for _ in support], dtype=float)
    heldout = np.array([draw(st.sampled_from([0.0, 0.25, 1.0])) for _ in support])
    return Law(np.array(support, dtype=float), pmf / pmf.sum(), heldout)


def listed(arms: list[Law]) -> tuple[float, np.ndarray]:
    value, weights = 0.0, np.zeros(len(arms))
    for joint in product(*(range(len(law.support)) for law in arms)):
        chance = np.prod([law.pmf[i] for law, i in zip(arms, joint, strict=True)])
        shown = np.array([law.support[i] for law, i in zip(arms, joint, strict=True)])
        credit = np.array([law.heldout[i] for law, i in zip(arms, joint, strict=True)])
        share = (shown == shown.max()) / (shown == shown.max()).sum()
        weights += chance * share
        value += float(chance * share @ credit)
    return value, weights


def test_a_coin_against_certain_half() -> None:
    # The coin wins when it shows 1, ties never: the other arm always shows 0.5.
    coin = Law(np.array([0.0, 1.0]), np.array([0.5, 0.5]), np.array([0.2, 0.8]))
    half = Law(np.array([0.5]), np.ones(1), np.array([0.4]))
    selected = tournament([coin, half])
    assert selected.weights.tolist() == pytest.approx([0.5, 0.5])
    assert selected.value == pytest.approx(0.5 * 0.8 + 0.5 * 0.4)


@pytest.mark.parametrize("arms", [1, 2, 3, 10, 30])
def test_ties_are_shared_equally(arms: int) -> None:
    same = Law(np.array([2.0]), np.ones(1), np.array([0.5]))
    assert tournament([same] * arms).weights.tolist() == pytest.approx([1 / arms] * arms, abs=1e-14)


@given(st.lists(laws(), min_size=1, max_size=4))
def test_every_joint_outcome_is_weighed(arms: list[Law]) -> None:
    value, weights = listed(arms)
    selected = tournament(arms)
    assert selected.value == pytest.approx(value, abs=1e-13)
    np.testing.assert_allclose(selected.weights, weights, rtol=0, atol=1e-13)


@given(st.lists(laws(), min_size=2, max_size=6), st.randoms())
def test_order_of_arms_does_not_matter(arms: list[Law], random: object) -> None:
    order = list(range(len(arms)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one, other = tournament(arms), tournament([arms[i] for i in order])
    assert other.value == pytest.approx(one.value, abs=1e-13)
    np.testing.assert_allclose(other.weights, one.weights[order], rtol=0, atol=1e-13)


@given(st.lists(laws(), min_size=1, max_size=6))
def test_weights_are_probabilities_and_the_value_lies_between_credits(arms: list[Law]) -> None:
    selected = tournament(arms)
    assert selected.weights.sum() == pytest.approx(1.0, abs=1e-13)
    assert (selected.weights >= 0).all()
    credits = np.concatenate([law.heldout for law in arms])
    assert credits.min() - 1e-12 <= selected.value <= credits.max() + 1e-12


def test_blocks_of_points_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = [binomial_law(p, 9) for p in (0.2, 0.5, 0.6)]
    whole = tournament(arms)
    monkeypatch.setattr(import_module("repairstudy.estimators.tournament"), "BLOCK", 1)
    piecewise = tournament(arms)
    assert piecewise.value == pytest.approx(whole.value, abs=1e-14)
    np.testing.assert_allclose(piecewise.weights, whole.weights, atol=1e-14)


@pytest.mark.parametrize("arms", [1, 2, 5, 12, 40])
def test_nodes_integrate_the_share_of_every_possible_tie(arms: int) -> None:
    nodes, weights = gauss_legendre(arms)
    assert len(nodes) == (arms + 1) // 2
    for others in range(arms):
        assert weights @ nodes**others == pytest.approx(1 / (others + 1), abs=1e-13)


def test_leaving_one_out_needs_no_division() -> None:
    assert leave_one_out(np.array([0.0, 2.0, 3.0])).tolist() == [6.0, 0.0, 0.0]
    assert leave_one_out(np.array([0.0, 2.0, 0.0])).tolist() == [0.0, 0.0, 0.0]


def test_no_arm_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one arm"):
        tournament([])
