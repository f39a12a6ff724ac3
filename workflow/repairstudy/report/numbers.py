"""Numbers as a reader wants them. Only pages and captions round; tables keep every digit."""

from __future__ import annotations

import math
from datetime import datetime
from typing import SupportsInt

MISSING = "–"


def decimal(value: float | None, places: int = 2) -> str:
    """A number with a real minus sign; a dash if there is none; never a negative zero."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{round(value, places) + 0.0:.{places}f}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None, places: int = 2) -> str:
    """Both ends of an interval in words, or a dash."""
    if low is None or high is None:
        return MISSING
    return f"{decimal(low, places)} to {decimal(high, places)}"


def probability(value: float | None) -> str:
    """A p-value."""
    if value is None:
        return MISSING
    return "<0.001" if value < 0.001 else decimal(value, 3)


def count(value: SupportsInt | None) -> str:
    """A whole number with thin spaces between thousands."""
    return MISSING if value is None else f"{int(value):,}".replace(",", "\u202f")


def budget(value: float | None, largest: int) -> str:
    """An equivalent budget in own rollouts; infinities are the two ends of the curve."""
    if value is None:
        return MISSING
    if math.isinf(value):
        return f"more than {largest}" if value > 0 else "less than random"
    return decimal(value, 1)


def moment(value: datetime | None) -> str:
    """A time in UTC, to the second."""
    return MISSING if value is None else f"{value:%Y-%m-%d %H:%M:%S} UTC"


def percent(level: float) -> str:
    """A share such as a confidence level."""
    return f"{100 * level:g}%"
