"""Agreement of raters and rankings, against two other implementations."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from repairstudy.estimators import cohen_kappa, exact_agreement, kendall_tau

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20)


def test_kappa_by_hand() -> None:
    # They agree on 3 of 4; by chance on .5 * .75 + .5 * .25 = .5
    assert cohen_kappa(["x", "x", "y", "y"], ["x", "x", "x", "y"]) == pytest.approx(0.5)
    assert exact_agreement(["x", "x", "y", "y"], ["x", "x", "x", "y"]) == 0.75


@given(LABELS)
def test_kappa_as_statsmodels_has_it(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    if len(set(a) | set(b)) == 1:
        assert isnan(cohen_kappa(a, b))
        return
    table, _ = to_table(np.array(pairs))
    with np.errstate(invalid="ignore", divide="ignore"):  # its z-value of a constant rater
        expected = cohens_kappa(table).kappa
    assert cohen_kappa(a, b) == pytest.approx(expected, abs=1e-12)


@given(LABELS)
def test_tau_as_scipy_has_it(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs).T
    expected = kendalltau(a, b).statistic
    assert kendall_tau(a, b) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_rankings_that_agree_or_disagree_completely() -> None:
    assert kendall_tau([1, 2, 3], [0.1, 0.2, 0.9]) == 1.0
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == -1.0


@pytest.mark.parametrize(("a", "b"), [([], []), ([1], [1, 2]), ([[1]], [[1]])])
def test_rows_that_do_not_pair_are_refused(a: list[object], b: list[object]) -> None:
    with pytest.raises(ValueError, match="equal rows"):
        exact_agreement(a, b)
