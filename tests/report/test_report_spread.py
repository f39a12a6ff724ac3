"""Labels on a line: apart, in order, within bounds, and no further off than need be."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.report.figures.spread import spread

places = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=25)


@given(places)
def test_labels_keep_their_gap_their_order_and_the_bounds(wanted):
    found = spread(wanted, 0.04, 0.0, 1.0)
    ordered = sorted(found)
    gap = min(0.04, 1.0 / max(len(wanted) - 1, 1))
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(ordered))
    assert ordered[0] >= -1e-9
    assert ordered[-1] <= 1 + 1e-9
    by_place = np.argsort(wanted, kind="stable")
    assert [found[i] for i in by_place] == ordered


def test_labels_that_are_apart_stay_where_they_are():
    assert spread([0.8, 0.1, 0.5], 0.1, 0.0, 1.0) == pytest.approx([0.8, 0.1, 0.5])


def test_equal_places_are_spread_around_their_common_place():
    assert spread([0.5, 0.5, 0.5], 0.1, 0.0, 1.0) == pytest.approx([0.4, 0.5, 0.6])


def test_nothing_to_place():
    assert spread([], 0.1, 0.0, 1.0) == []
