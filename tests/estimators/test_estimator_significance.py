"""Exact one-sided tests of selection halves, against other implementations."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import estimator_twins as twins
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from repairstudy.estimators.arrays import UNITS, lattice
from repairstudy.estimators.significance import (
    Halves,
    fisher_table,
    halves,
    permutation_table,
    significant,
)

REWARDS = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), min_size=1, max_size=3)


def test_five_of_five_against_none() -> None:
    table = fisher_table(5, 5)
    assert table[5, 0] == pytest.approx(1 / 252)
    assert table[4, 0] == table[5, 1] == pytest.approx(6 / 252)
    assert table[0, 0] == table[5, 5] == 1.0


@pytest.mark.parametrize(("m", "m0"), [(5, 5), (3, 6), (1, 2)])
def test_fisher_as_scipy_has_it(m: int, m0: int) -> None:
    for x, x0 in np.ndindex(m + 1, m0 + 1):
        expected = fisher_exact([[x, m - x], [x0, m0 - x0]], alternative="greater").pvalue
        assert fisher_table(m, m0)[x, x0] == pytest.approx(expected, abs=1e-12)


@given(REWARDS, REWARDS)
def test_permutation_lists_every_relabelling(x: list[float], y: list[float]) -> None:
    expected = twins.permutation_p(*twins.exact_rows([x, y]))
    got = permutation_table(lattice(np.array([x])), lattice(np.array([y])))
    assert got.tolist() == [[float(expected)]]


@pytest.mark.parametrize(("m", "m0"), [(4, 4), (2, 5)])
def test_permutation_of_zeros_and_ones_is_fisher(m: int, m0: int) -> None:
    chosen, original = (lattice(np.tri(k + 1, k, -1)) for k in (m, m0))
    np.testing.assert_allclose(permutation_table(chosen, original), fisher_table(m, m0))


@pytest.mark.parametrize("row", [[1.0, 0.0, 1.0, 0.0], [0.5, 0.2, 0.5, 1.0]])
def test_halves_are_the_distinct_selections(row: list[float]) -> None:
    listed = Counter(tuple(sorted(chosen)) for chosen in combinations(row, 2))
    half = halves(np.array(row), 2)
    got = {tuple(np.sort(c / UNITS)): p for c, p in zip(half.chosen, half.pmf, strict=True)}
    assert got == pytest.approx({chosen: count / 6 for chosen, count in listed.items()})
    assert half.binary == (set(row) == {0.0, 1.0})


@pytest.mark.parametrize(("alpha", "expected"), [(6 / 252, 1.0), (6 / 252 - 1e-9, 0.0)])
def test_a_p_value_equal_to_alpha_is_significant(alpha: float, expected: float) -> None:
    for binary in (True, False):
        four, none = (
            Halves(lattice(np.array([row])), np.ones(1), binary)
            for row in ([1.0, 1, 1, 1, 0], [0.0] * 5)
        )
        assert significant([four], none, alpha)[0].tolist() == [[expected]]


def test_a_reward_that_beats_by_its_size_only_counts_by_its_rank_among_sums() -> None:
    assert twins.permutation_p([Fraction(1), Fraction(1, 2)], [Fraction(0)] * 2) == Fraction(1, 6)


def test_too_many_relabellings_are_refused() -> None:
    with pytest.raises(ValueError, match="round the rewards"):
        permutation_table(np.zeros((1, 12)), np.zeros((1, 12)))
    with pytest.raises(ValueError, match="too many"):
        halves(np.linspace(0, 1, 24), 12)
