"""Numbers on a page."""

import math
from datetime import UTC, datetime

import pytest

from repairstudy.report import numbers as n


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.126, "0.13"), (-0.126, "−0.13"), (-0.001, "0.00"), (0.0, "0.00"), (None, "–"),
        (math.nan, "–"), (math.inf, "∞"), (-math.inf, "−∞"),
    ],
)  # fmt: skip
def test_decimals_have_two_places_and_no_negative_zero(value, text):
    assert n.decimal(value) == text


def test_an_interval_needs_both_ends():
    assert n.interval(-0.02, 0.1) == "−0.02 to 0.10"
    assert n.interval(None, 0.1) == "–"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0005, "<0.001"), (0.001, "0.001"), (0.0494, "0.049"), (None, "–")]
)
def test_small_p_values_are_bounds(value, text):
    assert n.probability(value) == text


def test_thousands_are_grouped():
    assert n.count(64226) == "64\u202f226"
    assert n.count(None) == "–"


def test_budgets_off_the_curve_say_on_which_side():
    assert n.budget(1.26, 9) == "1.3"
    assert n.budget(math.inf, 9) == "more than 9"
    assert n.budget(-math.inf, 9) == "less than random"


def test_times_are_utc():
    assert n.moment(datetime(2026, 11, 29, 12, 5, 6, tzinfo=UTC)) == "2026-11-29 12:05:06 UTC"
