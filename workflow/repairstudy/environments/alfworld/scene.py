"""What a game file says of its room, hidden facts included: for teachers, never for agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FACT = re.compile(r"\((\w+)((?: [\w?]+)+)\)")
_DECLARED = re.compile(r"(\w+)Type - [or]type")


@dataclass(frozen=True, slots=True)
class Scene:
    """The start of a game; types are words as the text has them ("sinkbasin").

    Attributes:
        object_types: type of each object, by its internal name.
        receptacle_types: type of each receptacle, by its internal name.
        inside: pairs of an object and the receptacle that holds it.
        able: types of objects with each property ("pickupable", "cleanable", "heatable",
            "coolable", "toggleable").
        fits: pairs of a type of receptacle and a type of object that may be put there.
        words: every type that the game's language has a word for.
    """

    object_types: dict[str, str]
    receptacle_types: dict[str, str]
    inside: tuple[tuple[str, str], ...]
    able: dict[str, frozenset[str]]
    fits: frozenset[tuple[str, str]]
    words: frozenset[str]

    def one_of_each_type(self) -> Iterator[tuple[str, str]]:
        """`inside` with one object of a type in each receptacle."""
        found = {(self.object_types[thing], place): thing for thing, place in self.inside}
        return ((thing, place) for (_, place), thing in found.items())

    def starts_with(self, thing: str, place: str) -> bool:
        """Whether an object of a type is in a receptacle of a type when the game begins."""
        return any(
            self.object_types[inner] == thing and self.receptacle_types[outer] == place
            for inner, outer in self.inside
        )


def read_scene(game: Path) -> Scene:
    """The room of a game file."""
    problem = json.loads(game.read_text(encoding="utf-8"))["pddl_problem"]
    start = problem[problem.index("(:init") : problem.index("(:goal")]
    facts: dict[str, list[tuple[str, ...]]] = {}
    for name, arguments in _FACT.findall(start):
        facts.setdefault(name, []).append(tuple(arguments.split()))
    objects = {thing: _word(kind) for thing, kind in facts["objectType"]}
    receptacles = {place: _word(kind) for place, kind in facts["receptacleType"]}
    properties = ("pickupable", "cleanable", "heatable", "coolable", "toggleable")
    return Scene(
        object_types=objects,
        receptacle_types=receptacles,
        inside=tuple(
            (thing, place)
            for thing, place in facts.get("inReceptacle", ())
            if thing in objects and place in receptacles
        ),
        able={
            name: frozenset(objects[thing] for (thing,) in facts.get(name, ()) if thing in objects)
            for name in properties
        },
        fits=frozenset((_word(place), _word(thing)) for place, thing in facts["canContain"]),
        words=frozenset(_word(name) for name in _DECLARED.findall(problem)),
    )


def _word(kind: str) -> str:
    return kind.removesuffix("Type").lower()
