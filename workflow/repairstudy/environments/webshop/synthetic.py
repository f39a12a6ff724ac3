"""An invented catalogue of any size, in the shop's own file format.

Many products share a search, so that a shopper must tell them apart by attributes, options and
price, and their texts mention most, not all, of what purchases are scored by. Every asin begins
with "SYN", and whatever is prepared from such a catalogue is called synthetic.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from repairstudy.environments.webshop.invention import (
    SEARCHES,
    Dice,
    Invention,
    invent,
    invent_brand,
    nouns_of,
)
from repairstudy.environments.webshop.sources import SYNTHETIC_ASIN, Source

VERSION = 1  # raised whenever the same seed gives other products
NOUN_MODEL = f"synthetic-vocabulary-{VERSION}"
PER_SEARCH = 8  # products that share a search, as long as there are searches left to add
PER_BRAND = 20
FEWEST_BRANDS = 8


def write_synthetic(folder: Path, products: int, seed: int, human_goals: bool = False) -> Source:
    """Write a synthetic catalogue's files and say where they are.

    Args:
        products: how many. A catalogue of another size has other products.
        seed: of everything in it.
        human_goals: whether goals come from the instructions in the manner of a person, or from
            those with combined options. The files have both.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = Source(
        items=folder / "items_shuffle.json",
        attributes=folder / "items_ins_v2.json",
        nouns=folder / "name_nouns.json",
        human=folder / "items_human_ins.json",
        human_goals=human_goals,
    )
    nouns = {}
    with ExitStack() as closing:
        items = _Writer(closing, folder / "items_shuffle.json", "[]")
        known = _Writer(closing, folder / "items_ins_v2.json", "{}")
        wishes = _Writer(closing, folder / "items_human_ins.json", "{}")
        for invention in inventions(products, seed):
            asin = invention.item["asin"]
            nouns[asin] = nouns_of(invention.item["name"])
            items.add(json.dumps(invention.item))
            known.add(f'"{asin}": {json.dumps(invention.known)}')
            if invention.wishes:
                wishes.add(f'"{asin}": {json.dumps(invention.wishes)}')
    source.nouns.write_text(json.dumps({NOUN_MODEL: nouns}), encoding="utf-8")
    return source


def inventions(products: int, seed: int) -> Iterator[Invention]:
    """The products of a catalogue, one at a time."""
    dice = Dice("webshop-synthetic", VERSION, seed, products)
    searches = dice.some(SEARCHES, max(1, products // PER_SEARCH))
    brands = [invent_brand(dice) for _ in range(max(FEWEST_BRANDS, products // PER_BRAND))]
    for number in range(products):
        asin = f"{SYNTHETIC_ASIN}{number:07d}"
        yield invent(dice, asin, dice.one(searches), dice.one(brands))


class _Writer:
    """A JSON array or object, written an element at a time."""

    def __init__(self, closing: ExitStack, path: Path, brackets: str) -> None:
        self._file: TextIO = closing.enter_context(path.open("w", encoding="utf-8"))
        self._file.write(brackets[0])
        self._before = "\n"
        closing.callback(self._file.write, f"\n{brackets[1]}\n")

    def add(self, text: str) -> None:
        self._file.write(self._before + text)
        self._before = ",\n"
