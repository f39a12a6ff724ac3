"""A generated task as a PDDL problem of ALFWorld's domain.

Identifiers look like ALFWorld's, since names are made from them: "Mug_bar_0002" becomes a mug,
and a basin is what has "Basin" in its identifier. The demangler numbers things of a type from the
last identifier to the first, so identifiers count down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from repairstudy.environments.alfworld import houses
from repairstudy.environments.alfworld.houses import Room, Thing

_LAST = 9000
# The domain names these types, so every problem must declare them.
_RECEPTACLE_TYPES = ("Fridge", "Microwave", "SinkBasin")
_OBJECT_TYPES = ("ButterKnife", "Knife")
_START = "loc_bar_0"
_TREATMENTS = {
    "clean": ("cleanable", "isClean"),
    "cool": ("coolable", "isCool"),
    "heat": ("heatable", "isHot"),
}


class Written(Protocol):
    """What of a task the problem is made from."""

    @property
    def task_type(self) -> str: ...
    @property
    def room(self) -> Room: ...
    @property
    def lying(self) -> dict[Thing, Thing]: ...
    @property
    def wanted(self) -> Thing: ...
    @property
    def goal(self) -> str | None: ...


def pddl(task: Written, name: str) -> str:
    """The problem's text."""
    return "\n".join(
        [
            f"(define (problem {name})",
            "(:domain alfred)",
            "(:objects",
            *_indented(_objects(task)),
            ")",
            "(:init",
            *_indented(_facts(task)),
            ")",
            "(:goal",
            *_indented(_goal(task)),
            ")",
            ")",
        ]
    )


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _id(thing: Thing) -> str:
    if thing.kind == "SinkBasin":
        return f"Sink_bar_{_LAST - thing.number}_bar_SinkBasin"
    return f"{thing.kind}_bar_{_LAST - thing.number}"


def _place(number: int) -> str:
    return f"loc_bar_{number}"


def _objects(task: Written) -> list[str]:
    receptacle_types = {piece.kind for piece in task.room.furniture} | {*_RECEPTACLE_TYPES}
    object_types = {thing.kind for thing in task.lying} | {*_OBJECT_TYPES}
    return [
        "agent1 - agent",
        *(f"{kind}Type - rtype" for kind in sorted(receptacle_types)),
        *(f"{kind}Type - otype" for kind in sorted(object_types)),
        *(f"{_id(piece)} - receptacle" for piece in task.room.furniture),
        *(f"{_id(thing)} - object" for thing in task.lying),
        *(f"{_place(number)} - location" for number in sorted({0, *task.room.places})),
    ]


def _facts(task: Written) -> list[str]:
    room, lines = task.room, [f"(atLocation agent1 {_START})", "(= (total-cost) 0)"]
    for piece in room.furniture:
        lines.append(f"(receptacleType {_id(piece)} {piece.kind}Type)")
        lines.append(f"(receptacleAtLocation {_id(piece)} {_place(room.place(piece))})")
        if piece.kind in houses.OPENABLE:
            lines.append(f"(openable {_id(piece)})")
    kinds = sorted({thing.kind for thing in task.lying})
    for furniture in sorted({piece.kind for piece in room.furniture}):
        lines += [
            f"(canContain {furniture}Type {kind}Type)"
            for kind in kinds
            if kind in houses.HOLDS[furniture]
        ]
    for thing, piece in task.lying.items():
        lines.append(f"(objectType {_id(thing)} {thing.kind}Type)")
        lines.append(f"(inReceptacle {_id(thing)} {_id(piece)})")
        lines.append(f"(objectAtLocation {_id(thing)} {_place(room.place(piece))})")
        lines += [f"({trait} {_id(thing)})" for trait in _traits(thing)]
    return lines


def _traits(thing: Thing) -> list[str]:
    if thing.kind == houses.LAMP:
        return ["toggleable"]
    traits = {
        "cleanable": houses.CLEANABLE,
        "heatable": houses.HEATABLE,
        "coolable": houses.COOLABLE,
    }
    return ["pickupable", *(trait for trait, kinds in traits.items() if thing.kind in kinds)]


def _goal(task: Written) -> list[str]:
    wanted = f"(objectType ?o {task.wanted.kind}Type)"
    if task.goal is None:
        return [
            "(and",
            "    (exists (?ot - object ?r - receptacle ?a - agent ?l - location)",
            f"        (and (objectType ?ot {houses.LAMP}Type) (toggleable ?ot) (isToggled ?ot)",
            "             (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)))",
            "    (exists (?o - object ?a - agent)",
            f"        (and {wanted} (holds ?a ?o))))",
        ]
    lines = [wanted, f"(receptacleType ?r {task.goal}Type)", "(inReceptacle ?o ?r)"]
    for verb, (able, done) in _TREATMENTS.items():
        if f"_{verb}_" in task.task_type:
            lines += [f"({able} ?o)", f"({done} ?o)"]
    return [
        "(and",
        "    (exists (?r - receptacle)",
        "        (exists (?o - object)",
        f"            (and {' '.join(lines)}))))",
    ]
