"""Which goals of a catalogue a study uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Literal

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.reachability import judged
from repairstudy.environments.webshop.reward import ORIGINAL
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.store import GOALS, Rows, open_goals
from repairstudy.records import digest

Split = Literal["all", "train", "dev", "test"]
Splitting = Literal["products", "original"]
TEST_SHARE, DEV_SHARE = 0.2, 0.1  # of the products
TEST_GOALS, DEV_GOALS = 500, 1000  # the first so many, then the next so many, in the original


class Goals:
    """The goals of a catalogue in their order, by position.

    Args:
        goals: in memory, or read from disk as they are asked for.
        catalogue: the products that the goals were written for.
        rules: goals that cannot be met under them are marked so.
    """

    def __init__(
        self, goals: Sequence[Goal], catalogue: Catalogue, rules: Rules = ORIGINAL
    ) -> None:
        self._goals = goals
        self._catalogue = catalogue
        self._rules = rules

    @classmethod
    def open(cls, folder: Path, catalogue: Catalogue, rules: Rules = ORIGINAL) -> Goals:
        """The goals in a folder that `prepare` filled.

        Raises:
            DataError: the file is missing or broken.
        """
        return cls(open_goals(folder / GOALS), catalogue, rules)

    def __len__(self) -> int:
        return len(self._goals)

    def __getitem__(self, position: int) -> Goal:
        goal = self._goals[position]
        if self._rules == ORIGINAL:  # judged in preparation
            return goal
        wanted = self._catalogue.product(self._catalogue.position(goal.asin))
        return judged(goal, wanted, self._rules)

    def __iter__(self) -> Iterator[Goal]:
        return (self[position] for position in range(len(self)))

    def selected(
        self,
        split: Split = "all",
        splitting: Splitting = "products",
        max_per_product: int | None = None,
        unreachable: bool = False,
    ) -> list[int]:
        """Positions of goals, in order.

        Args:
            split: the part to take. Goals of one product are in one part by default.
            splitting: "original" splits by the place in the original's order of goals instead,
                as published for its full set: 500 goals for tests, 1,000 for development.
            max_per_product: the first so many goals of each product (that remain otherwise).
            unreachable: whether goals that cannot be met are kept.
        """
        taken: Counter[str] = Counter()
        positions = []
        kept = repeat(True) if unreachable else self._reachable()
        for position, (asin, keep) in enumerate(zip(self._texts("asin"), kept, strict=False)):
            if not keep or (max_per_product is not None and taken[asin] >= max_per_product):
                continue
            if split != "all":
                original = splitting == "original"
                if split != (part_of_index(position) if original else part_of_product(asin)):
                    continue
            taken[asin] += 1
            positions.append(position)
        return positions

    def ids(self, positions: Iterable[int]) -> list[str]:
        """The ids of the goals at some positions."""
        ids = self._texts("goal_id")
        return [ids[position] for position in positions]

    def _texts(self, name: str) -> list[str]:
        """A column of text of all goals."""
        rows = self._goals
        return rows.column(name) if isinstance(rows, Rows) else [getattr(g, name) for g in rows]

    def _reachable(self) -> list[bool]:
        if isinstance(self._goals, Rows) and self._rules == ORIGINAL:
            return self._goals.column("reachable")
        return [goal.reachable for goal in self]


@lru_cache(1 << 16)
def part_of_product(asin: str) -> Split:
    """The part of a split by products: a function of the asin alone, so it holds everywhere."""
    place = int(digest(["webshop-split", asin], length=12), 16) / 16**12
    if place < TEST_SHARE:
        return "test"
    return "dev" if place < TEST_SHARE + DEV_SHARE else "train"


def part_of_index(index: int) -> Split:
    """The part of the published split: by the place in the original's order of goals."""
    if index < TEST_GOALS:
        return "test"
    return "dev" if index < TEST_GOALS + DEV_GOALS else "train"
