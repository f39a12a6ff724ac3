"""What a one-sided test of a mean loss can detect (docs/statistics.md, section 7)."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist


def minimal_detectable_effect(sd: float, n: int, alpha: float = 0.05, power: float = 0.8) -> float:
    """The mean that a one-sided test rejects zero for with the given power.

    (z_{1-alpha} + z_power) sd / sqrt(n), in the normal approximation.

    Args:
        sd: standard deviation of the loss between failures (or clusters).
        n: number of failures (or clusters).
        alpha: level of the test, after any correction for multiplicity.
        power: probability of rejection.

    Raises:
        ValueError: sd negative, n below 1, or a probability outside (0, 1).
    """
    if n < 1:
        raise ValueError(f"n = {n} failures detect nothing.")
    return _quantiles(sd, alpha, power) * sd / sqrt(n)


def failures_needed(effect: float, sd: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """The failures that a one-sided test needs to detect a mean loss of `effect`, as above.

    Raises:
        ValueError: as above, or an effect that is not positive.
    """
    if effect <= 0.0:
        raise ValueError(f"an effect of {effect} has no direction to detect.")
    return max(1, ceil((_quantiles(sd, alpha, power) * sd / effect) ** 2))


def _quantiles(sd: float, alpha: float, power: float) -> float:
    if sd < 0.0 or not 0.0 < alpha < 1.0 or not 0.0 < power < 1.0:
        raise ValueError(f"sd {sd} must be 0 or more, alpha {alpha} and power {power} in (0, 1).")
    normal = NormalDist()
    return normal.inv_cdf(1.0 - alpha) + normal.inv_cdf(power)
