"""Invented products: what one looks like, and the dice that decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from repairstudy.environments.webshop.phrases import (
    AUDIENCES,
    BULLETS,
    ENDINGS,
    GROUP_NAMES,
    MOODS,
    NOT_NOUNS,
    OPTIONS,
    SENTENCES,
    SYLLABLES,
    WISHES,
)
from repairstudy.environments.webshop.sources import option_value
from repairstudy.environments.webshop.vocabulary import DEPARTMENTS, Kind
from repairstudy.records import generator

# Shares of products, near those of the real catalogue.
UNPRICED, RANGED = 0.08, 0.10
WITH_OPTIONS, WITH_INSTRUCTION, WITH_WISH = 0.45, 0.4, 0.1
MENTIONED = 0.8  # chance that the texts may speak of an attribute that the product has
FEWEST_VALUES, MOST_VALUES = 2, 4  # of a group of options
CHEAPEST, DEAREST = 0.45, 2.2  # times the typical price
Item = TypeVar("Item")


class Dice:
    """Quick random choices: uniform numbers in blocks from a generator with the given key."""

    def __init__(self, *key: Any) -> None:
        self._rng = generator(*key)
        self._numbers: list[float] = []

    def uniform(self) -> float:
        if not self._numbers:
            self._numbers = self._rng.random(4096).tolist()
        return self._numbers.pop()

    def chance(self, probability: float) -> bool:
        return self.uniform() < probability

    def whole(self, lowest: int, highest: int) -> int:
        return lowest + int(self.uniform() * (highest - lowest + 1))

    def one(self, items: Sequence[Item]) -> Item:
        return items[int(self.uniform() * len(items))]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """Distinct items in a random order; all of them where there are no more."""
        left = list(items)
        return [left.pop(int(self.uniform() * len(left))) for _ in range(min(count, len(left)))]


@dataclass(frozen=True, slots=True)
class Search:
    """What a group of products is found by: "travel rain jackets" in the fashion department."""

    department: str
    style: str
    kind: Kind

    @property
    def query(self) -> str:
        return f"{self.style} {self.kind.many}"


@dataclass(frozen=True, slots=True)
class Invention:
    """One product as it stands in each of the shop's files."""

    item: dict[str, Any]
    known: dict[str, Any]
    wishes: list[dict[str, Any]]


SEARCHES = tuple(
    Search(name, style, kind)
    for name, department in DEPARTMENTS.items()
    for style in department.styles
    for kind in department.kinds
)


def invent(dice: Dice, asin: str, search: Search, brand: str) -> Invention:
    """One product that the search should find."""
    department, kind = DEPARTMENTS[search.department], search.kind
    attributes = dice.some(department.attributes, dice.whole(2, 5))
    told = [name for name in attributes if dice.chance(MENTIONED)] or attributes[:1]
    extra = dice.one(department.extras)
    words = _Words(dice, search, brand, told, extra)
    options = _options(dice, kind)
    item = {
        "asin": asin,
        "name": _name(dice, search, brand, told, extra),
        "full_description": " ".join(map(words.fill, dice.some(SENTENCES, dice.whole(3, 6)))),
        "pricing": _pricing(dice, kind.price),
        "small_description": list(map(words.fill, dice.some(BULLETS, dice.whole(3, 5)))),
        "images": [f"{asin}.jpg"],
        "product_category": " › ".join((department.top, *kind.path)),
        "category": search.department,
        "query": search.query,
        "page": dice.whole(1, 9),
        "average_rating": "",
        "customization_options": options,
    }
    known: dict[str, Any] = {"attributes": attributes}
    if dice.chance(WITH_INSTRUCTION):
        wanted = dice.some(attributes, dice.whole(1, 3))
        known["instruction"] = f"Show me {search.query} with {', '.join(wanted)}"
        known["instruction_attributes"] = wanted
    wishes = [_wish(dice, asin, words, attributes, options)] if dice.chance(WITH_WISH) else []
    return Invention(item, known, wishes)


def invent_brand(dice: Dice) -> str:
    return (dice.one(SYLLABLES) + dice.one(SYLLABLES) + dice.one(ENDINGS)).capitalize()


def nouns_of(name: str) -> list[str]:
    """The nouns of an invented name: its words but those known to be of another kind."""
    words = name.replace(",", " ").lower().split()
    return [word for word in words if word.isalpha() and word not in NOT_NOUNS]


class _Words:
    """Fills the blanks of a sentence about one product."""

    def __init__(
        self, dice: Dice, search: Search, brand: str, told: Sequence[str], extra: str
    ) -> None:
        self._dice = dice
        self._told = told
        self._fixed = {
            "thing": f"{search.style} {search.kind.one}",
            "things": search.query,
            "one": search.kind.one,
            "many": search.kind.many,
            "style": search.style,
            "brand": brand,
            "extra": extra,
        }

    def fill(self, sentence: str, told: Sequence[str] = ()) -> str:
        one, *others = self._dice.some(told or self._told, 2)
        other = others[0] if others else self._dice.one(MOODS)
        blanks = {"a": one, "b": other, "A": one.capitalize()}
        drawn = {"audience": self._dice.one(AUDIENCES), "mood": self._dice.one(MOODS)}
        text = sentence.format(**self._fixed, **blanks, **drawn)
        return text[0].upper() + text[1:]


def _name(dice: Dice, search: Search, brand: str, told: Sequence[str], extra: str) -> str:
    name = f"{brand} {told[0]} {search.style} {search.kind.one} with {extra}"
    if len(told) > 1:
        name += f", {dice.one(MOODS)} {told[1]}"
    return f"{name} for {dice.one(AUDIENCES)}".title()


def _pricing(dice: Dice, typical: float) -> str:
    """As the files have it: "" for none, "$1,024.5" for one price, "$9.5$12.0" for a range."""
    if dice.chance(UNPRICED):
        return ""
    low = typical * CHEAPEST * (DEAREST / CHEAPEST) ** dice.uniform()
    if dice.chance(RANGED):
        return f"${low:,.2f}${low * (1.2 + dice.uniform()):,.2f}"
    return f"${low:,.2f}"


def _options(dice: Dice, kind: Kind) -> dict[str, list[dict[str, Any]] | None] | str:
    if not dice.chance(WITH_OPTIONS):
        return ""
    groups: dict[str, list[dict[str, Any]] | None] = {}
    for group in dice.some(kind.groups, dice.whole(1, len(kind.groups))):
        values = dice.some(OPTIONS[group], dice.whole(FEWEST_VALUES, MOST_VALUES))
        groups[GROUP_NAMES[group]] = [{"value": value} for value in values]
    if dice.chance(UNPRICED):
        groups["Style"] = None  # the real files have such empty groups
    return groups


def _wish(
    dice: Dice,
    asin: str,
    words: _Words,
    attributes: Sequence[str],
    options: dict[str, list[dict[str, Any]] | None] | str,
) -> dict[str, Any]:
    """An instruction in the manner of a person, for one product."""
    wanted = dice.one(attributes)
    offered = options if isinstance(options, dict) else {}
    chosen = {
        group.lower(): option_value(dice.one(values)["value"])
        for group, values in offered.items()
        if values
    }
    text = words.fill(dice.one(WISHES), [wanted]).lower()
    text += "".join(f", {group} {value}" for group, value in chosen.items())
    return {
        "asin": asin,
        "instruction": text
        + "".join(f", {group} {value}" for group, value in chosen.items())
        + ".",
        "attributes": list(attributes),
        "options": [f"{group}: {value}" for group, value in chosen.items()],
        "instruction_attributes": [wanted],
        "instruction_options": list(chosen.values()),
    }
