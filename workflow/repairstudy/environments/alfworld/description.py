"""A game's state in words, for a person or a judge who may see all of it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repairstudy.environments.alfworld.game import Game, State

_CONDITIONS = {
    "ishot": "hot",
    "iscool": "cold",
    "isclean": "clean",
    "issliced": "sliced",
    "istoggled": "switched on",
}


def describe(game: Game, state: State) -> str:
    """Task, where the agent stands, what it holds, and what is where (one line a place)."""
    now = game.truth.now(state.changed)
    of: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for predicate, words in sorted(now | game.truth.fixed):
        of[predicate].append(words)

    def named(thing: str) -> str:
        marks = [text for name, text in _CONDITIONS.items() if (thing,) in of[name]]
        return game.names[thing].strip() + (f" ({', '.join(marks)})" if marks else "")

    def listed(things: list[str]) -> str:
        return ", ".join(sorted(map(named, things), key=_natural)) or "nothing"

    here = {place for _, place in of["atlocation"]}
    beside = [thing for thing, place in of["receptacleatlocation"] if place in here]

    def number_last(thing: str) -> tuple[str, int]:
        return _natural(game.names[thing])

    lines = [
        f"Task: {game.task}",
        f"Goal reached: {'yes' if state.won else 'no'}",
        f"Agent at: {listed(beside) if beside else 'the middle of the room'}",
        f"Holding: {listed([thing for _, thing in of['holds']])}",
    ]
    for place in sorted({thing for thing, _ in of["receptacleatlocation"]}, key=number_last):
        openable = (place,) in of["openable"]
        door = (" (open)" if (place,) in of["opened"] else " (closed)") if openable else ""
        inside = [thing for thing, holder in of["inreceptacle"] if holder == place]
        lines.append(f"{game.names[place].strip()}{door}: {listed(inside)}")
    return "\n".join(lines)


def _natural(name: str) -> tuple[str, int]:
    """ "drawer 10" after "drawer 9"."""
    kind, _, number = name.partition(" ")
    digits = number.split(" ")[0]
    return kind, int(digits) if digits.isdigit() else 0
