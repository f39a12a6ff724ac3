"""Labels on a line that must not overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as possible to the wanted ones, at least `gap` apart, within [low, high].

    Least squares under the order of the wanted places (pool adjacent violators). If they do not
    fit, the gap shrinks until they do.

    Args:
        wanted: in any order.
        gap, low, high: in the same unit.

    Returns:
        In the order of `wanted`.
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    # With the gaps taken out, "at least gap apart" is "not decreasing".
    flat = _not_decreasing(np.asarray(wanted, dtype=float)[order] - steps)
    placed = np.clip(flat, low, high - steps[-1]) + steps
    result = np.empty(len(wanted))
    result[order] = placed
    return [float(place) for place in result]


def _not_decreasing(values: np.ndarray) -> np.ndarray:
    """The nearest non-decreasing sequence in least squares."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        mean, size = float(value), 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean = (before * count + mean * size) / (count + size)
            size += count
        blocks.append((mean, size))
    return np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
