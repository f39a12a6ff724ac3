"""Small made-up rooms for generated games: what stands in them and what lies where.

A part of ALFWorld's world: the same types of furniture and things, but few of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from repairstudy.records import generator

OPENABLE = {"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"}
CLEANABLE = {"Bowl", "Cloth", "Cup", "Fork", "Mug", "Plate", "Potato", "SoapBar", "Spoon", "Apple"}
HEATABLE = {"Apple", "Bread", "Cup", "Mug", "Plate", "Potato"}
COOLABLE = {"Apple", "Bowl", "Bread", "Cup", "Mug", "Plate", "Potato"}
LAMP = "DeskLamp"

_FOOD = {"Apple", "Bread", "Potato"}
_DISHES = {"Bowl", "Cup", "Mug", "Plate"}
_SMALL = {"Fork", "Spoon"}
_DESK_THINGS = {"AlarmClock", "Book", "CD", "CellPhone", "CreditCard", "KeyChain", "Pen"}
_BATH_THINGS = {"Cloth", "SoapBar", "SoapBottle", "SprayBottle", "ToiletPaper", "Candle"}

# What may lie on or in each type of furniture.
HOLDS: dict[str, set[str]] = {
    "Cabinet": _DISHES | _BATH_THINGS | {"CD", "Book"},
    "CounterTop": _FOOD | _DISHES | _SMALL | _BATH_THINGS,
    "DiningTable": _FOOD | _DISHES | _SMALL,
    "Drawer": _SMALL | {"CD", "CellPhone", "CreditCard", "KeyChain", "Pen", "Cloth", "SoapBar"},
    "Fridge": _FOOD | _DISHES,
    "GarbageCan": _FOOD | {"CD", "Pen", "SoapBar", "ToiletPaper", "Cloth"},
    "Microwave": _FOOD | _DISHES,
    "SinkBasin": _DISHES | _SMALL | {"Apple", "Potato", "Cloth", "SoapBar"},
    "Bed": {"Book", "CellPhone"},
    "Desk": _DESK_THINGS | {"Mug", "Bowl"},
    "Dresser": _DESK_THINGS,
    "Safe": {"CD", "CellPhone", "CreditCard", "KeyChain"},
    "Shelf": _DESK_THINGS | _DISHES | _BATH_THINGS,
    "SideTable": _DESK_THINGS | _BATH_THINGS | {"Mug"},
    "Toilet": {"SoapBottle", "ToiletPaper", "Candle"},
}
# (always there, sometimes there, things that may be about)
ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...], set[str]]] = {
    "kitchen": (
        ("Fridge", "Microwave", "SinkBasin", "CounterTop", "Cabinet", "Cabinet"),
        ("CounterTop", "DiningTable", "Drawer", "Drawer", "Cabinet", "GarbageCan", "Shelf"),
        _FOOD | _DISHES | _SMALL,
    ),
    "bedroom": (
        ("Bed", "Desk", "Drawer", "Drawer", "Shelf"),
        ("SideTable", "Dresser", "Safe", "Drawer", "Shelf", "GarbageCan", "Desk"),
        _DESK_THINGS | {"Mug", "Bowl"},
    ),
    "bathroom": (
        ("SinkBasin", "CounterTop", "Cabinet", "Cabinet", "Toilet"),
        ("Shelf", "Drawer", "Cabinet", "GarbageCan", "SideTable"),
        _BATH_THINGS,
    ),
}


@dataclass(frozen=True, slots=True)
class Thing:
    """A piece of furniture or an object: the `number`-th of its type, counting from 1."""

    kind: str
    number: int

    @property
    def name(self) -> str:
        """As the game calls it, for example "countertop 2"."""
        return f"{self.kind.lower()} {self.number}"


@dataclass(frozen=True, slots=True)
class Room:
    """A room: its kind, its furniture, and the place where each piece stands.

    Pieces may share a place: there, one cannot "go to" the other.
    """

    kind: str
    furniture: tuple[Thing, ...]
    places: tuple[int, ...]

    def place(self, piece: Thing) -> int:
        return self.places[self.furniture.index(piece)]

    def of_kind(self, kind: str) -> tuple[Thing, ...]:
        return tuple(piece for piece in self.furniture if piece.kind == kind)


def make_room(kind: str, seed: int, scene: int) -> Room:
    """The room of a scene: all that always stands there and two to four pieces more."""
    random = generator("alfworld room", seed, scene)
    always, sometimes, _ = ROOMS[kind]
    more = _some(sometimes, int(random.integers(2, 5)), random)
    kinds = [*always, *more]
    places = list(range(1, len(kinds) + 1))
    # ASSUME one pair of neighbours a room, as in most official rooms
    first = int(random.integers(len(kinds) - 1))
    places[first + 1] = places[first]
    return Room(kind, numbered(kinds), tuple(places))


def numbered(kinds: Sequence[str]) -> tuple[Thing, ...]:
    """A thing of each kind, numbered within its kind in the order given."""
    seen: Counter[str] = Counter()
    things = []
    for kind in kinds:
        seen[kind] += 1
        things.append(Thing(kind, seen[kind]))
    return tuple(things)


def _some(kinds: Sequence[str], count: int, random: np.random.Generator) -> list[str]:
    chosen = random.choice(len(kinds), size=min(count, len(kinds)), replace=False)
    return [kinds[index] for index in sorted(chosen)]
