"""What can be detected: the table of the statistics specification."""

from __future__ import annotations

import pytest

from repairstudy.estimators import failures_needed, minimal_detectable_effect

COUNTS = (30, 34, 60, 120, 200)


@pytest.mark.parametrize(
    ("sd", "alpha", "effects"),
    [
        (0.20, 0.05, (0.091, 0.085, 0.064, 0.045, 0.035)),
        (0.20, 0.05 / 8, (0.122, 0.115, 0.086, 0.061, 0.047)),
        (0.30, 0.05, (0.136, 0.128, 0.096, 0.068, 0.053)),
        (0.30, 0.05 / 8, (0.183, 0.172, 0.129, 0.091, 0.071)),
    ],
)
def test_published_table(sd: float, alpha: float, effects: tuple[float, ...]) -> None:
    got = [minimal_detectable_effect(sd, n, alpha, 0.8) for n in COUNTS]
    assert got == pytest.approx(effects, abs=6e-4)


@pytest.mark.parametrize(
    ("sd", "alpha", "count"),
    [(0.2, 0.05, 69), (0.3, 0.05, 155), (0.2, 0.05 / 8, 124), (0.3, 0.05 / 8, 279)],
)
def test_failures_for_a_loss_of_six_hundredths(sd: float, alpha: float, count: int) -> None:
    assert failures_needed(0.06, sd, alpha) == count
    assert minimal_detectable_effect(sd, count, alpha) <= 0.06
    assert minimal_detectable_effect(sd, count - 1, alpha) > 0.06


@pytest.mark.parametrize(
    "arguments", [(-0.1, 60, 0.05, 0.8), (0.2, 0, 0.05, 0.8), (0.2, 60, 0.0, 0.8), (0.2, 6, 0.1, 1)]
)
def test_impossible_designs_are_refused(arguments: tuple[float, int, float, float]) -> None:
    with pytest.raises(ValueError, match=r"detect nothing|must be"):
        minimal_detectable_effect(*arguments)


def test_no_effect_cannot_be_detected() -> None:
    with pytest.raises(ValueError, match="direction"):
        failures_needed(0.0, 0.2)
