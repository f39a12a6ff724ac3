"""The arg max among candidates that may not take part, against listing every outcome."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.leaders import Runner, leads

SUMS = st.lists(st.integers(0, 4), max_size=3, unique=True).map(sorted)


@st.composite
def runners(draw: st.DrawFn) -> list[Runner]:
    """One to four candidates in two worlds, with ties between them."""
    found = []
    for sums in draw(st.lists(SUMS, min_size=1, max_size=4)):
        shares = draw(st.lists(st.integers(0, 3), min_size=2 * len(sums), max_size=2 * len(sums)))
        at = np.array(shares, dtype=np.float64).reshape(len(sums), 2)
        total = at.sum(axis=0) + draw(st.integers(0, 2)) + (at.sum(axis=0) == 0)
        found.append(Runner(np.array(sums, dtype=np.float64), at / total, 1 - (at / total).sum(0)))
    return found


def listed(found: list[Runner], world: int) -> list[Array]:
    """Every combination of sums, None for who does not take part, ties shared."""
    won = [np.zeros(len(runner.sums)) for runner in found]
    states = [[None, *range(len(runner.sums))] for runner in found]
    for combination in product(*states):
        chance = 1.0
        for runner, state in zip(found, combination, strict=True):
            chance *= runner.out[world] if state is None else runner.at[state, world]
        shown = {a: found[a].sums[s] for a, s in enumerate(combination) if s is not None}
        best = [a for a, value in shown.items() if value == max(shown.values())]
        for a in best:
            won[a][combination[a]] += chance / len(best)
    return won


@given(runners())
def test_leads_are_the_mean_over_all_combinations(found: list[Runner]) -> None:
    got = leads(found)
    for world in range(2):
        for mine, expected in zip(got, listed(found, world), strict=True):
            np.testing.assert_allclose(mine[:, world], expected, rtol=0, atol=1e-12)


def test_who_never_takes_part_wins_nothing_and_hinders_nobody() -> None:
    silent = Runner(np.empty(0), np.empty((0, 1)), np.ones(1))
    sure = Runner(np.array([2.0]), np.ones((1, 1)), np.zeros(1))
    none, won = leads([silent, sure])
    assert none.shape == (0, 1)
    assert won.tolist() == [[1.0]]


@pytest.mark.parametrize("arms", range(1, 8))
def test_ties_are_shared_equally(arms: int) -> None:
    same = Runner(np.array([1.0]), np.ones((1, 1)), np.zeros(1))
    for won in leads([same] * arms):
        assert won.item() == pytest.approx(1 / arms, abs=1e-14)
