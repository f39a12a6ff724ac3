"""What the shop leaves to chance: prices within a range, price limits, the order of goals."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar

from repairstudy.records import digest, generator

Item = TypeVar("Item")
ORDER_SEED = 233  # of the original's shuffle of goals


class Draws(Protocol):
    """The random choices of one catalogue."""

    def price(self, asin: str, lowest: float, highest: float) -> float:
        """The one true price of a product that shows a range."""
        ...

    def limits(self, asin: str, amounts: Sequence[float]) -> float:
        """The price limit of a product's goals: the larger of two of the amounts."""
        ...

    def order(self, goal_ids: Sequence[str]) -> list[int]:
        """The order of the goals: positions in `goal_ids`."""
        ...


class OriginalDraws:
    """As the published code draws: one stream of numbers for all prices, then all limits.

    The code leaves that stream unseeded; here it always has a seed. Python's own generator is
    needed to reproduce published goals, but never the global one.
    """

    def __init__(self, seed: int) -> None:
        self._stream = Random(seed)

    def price(self, asin: str, lowest: float, highest: float) -> float:
        return self._stream.uniform(lowest, highest)

    def limits(self, asin: str, amounts: Sequence[float]) -> float:
        return max(self._stream.sample(list(amounts), 2))

    def order(self, goal_ids: Sequence[str]) -> list[int]:
        positions = list(range(len(goal_ids)))
        Random(ORDER_SEED).shuffle(positions)
        return positions


class KeyedDraws:
    """Corrected: every draw depends on the seed and the product alone.

    A product keeps its price and its limit, and two goals their order, however many other
    products are loaded.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def price(self, asin: str, lowest: float, highest: float) -> float:
        return float(generator("webshop-price", self._seed, asin).uniform(lowest, highest))

    def limits(self, asin: str, amounts: Sequence[float]) -> float:
        drawn = generator("webshop-limit", self._seed, asin).choice(amounts, 2, replace=False)
        return float(max(drawn))

    def order(self, goal_ids: Sequence[str]) -> list[int]:
        keys = [digest(["webshop-order", goal_id]) for goal_id in goal_ids]
        return sorted(range(len(keys)), key=keys.__getitem__)


def make_draws(rule: str, seed: int) -> Draws:
    """The draws of a rule: "original" or "corrected"."""
    return OriginalDraws(seed) if rule == "original" else KeyedDraws(seed)
