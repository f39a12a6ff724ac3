"""Agreement of two raters on labels and of two rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def exact_agreement(a: ArrayLike, b: ArrayLike) -> float:
    """The share of items with the same label.

    Args:
        a: (N,) labels of one rater, of any type that compares.
        b: (N,) labels of the other.
    """
    first, second = _pair(a, b)
    return float((first == second).mean())


def cohen_kappa(a: ArrayLike, b: ArrayLike) -> float:
    """Cohen's kappa: agreement beyond what independent raters of the same margins would reach.

    (p_o - p_e) / (1 - p_e). NaN where both raters give one and the same label to everything, since
    chance alone would agree.
    """
    first, second = _pair(a, b)
    labels = np.unique(np.concatenate([first, second]))
    chance = float(sum((first == x).mean() * (second == x).mean() for x in labels))
    if len(labels) == 1:
        return float("nan")
    return (exact_agreement(first, second) - chance) / (1.0 - chance)


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's tau-b of two score vectors (N,), corrected for ties; NaN if one is constant."""
    first, second = _pair(a, b)
    upper = np.triu_indices(len(first), 1)
    x = np.sign(first[:, None] - first[None, :])[upper]
    y = np.sign(second[:, None] - second[None, :])[upper]
    untied = np.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    return float((x * y).sum() / untied) if untied else float("nan")


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape or first.size == 0:
        raise ValueError(f"two equal rows of items are needed, not {first.shape}, {second.shape}.")
    return first, second
