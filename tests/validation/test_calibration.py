"""The measurement runs, and its coarse figures are where they should be."""

from __future__ import annotations

from typing import Any

import pytest
from calibration import QUICK, measure

MC_SPREADS = 4  # how many Monte Carlo standard errors are no surprise


@pytest.fixture(scope="module")
def figures() -> list[dict[str, Any]]:
    return list(measure(QUICK, seed=1))


def of(figures: list[dict[str, Any]], check: str) -> list[dict[str, Any]]:
    found = [figure for figure in figures if figure["check"] == check]
    assert found
    return found


def test_crossfit_values_are_centred_and_naive_ones_are_not(figures: list[dict[str, Any]]) -> None:
    z = {(f["estimator"], f["m"]): f["z"] for f in of(figures, "bias")}
    assert z.pop(("naive", 5)) > 10
    assert all(abs(value) < MC_SPREADS for value in z.values()), z


def test_intervals_cover(figures: list[dict[str, Any]]) -> None:
    for figure in of(figures, "coverage"):
        if figure["unit"] == "task":
            slack = MC_SPREADS * figure["mc_error"] + 0.03  # fifteen tasks are few
            assert figure["two_sided"] > 0.95 - slack, figure
            assert figure["lower"] > 0.95 - slack, figure


def test_tests_hold_their_level(figures: list[dict[str, Any]]) -> None:
    for figure in of(figures, "type_1"):
        slack = MC_SPREADS * figure["mc_error"] + 0.02
        for rate in ("error", "holm_all_null", "holm_half_null"):
            assert figure[rate] < 0.05 + slack, figure
        assert figure["power_half_null"] > 0.1, figure
