"""What the text of an ALFWorld episode says: the task, and what has been seen and done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from repairstudy.environments.view import View
from repairstudy.errors import StudyError

Kind = Literal["place", "look", "clean", "heat", "cool"]

_SENTENCES: tuple[tuple[str, Kind | None], ...] = (
    (r"put an? (?P<how>clean|hot|cool) (?P<object>\w+) in (?P<goal>\w+)", None),
    (r"(?P<how>clean|heat|cool) some (?P<object>\w+) and put it in (?P<goal>\w+)", None),
    (r"put an? (?P<object>\w+) in (?P<goal>\w+)", "place"),
    (r"put some (?P<object>\w+) on (?P<goal>\w+)", "place"),
    (r"look at (?P<object>\w+) under the (?P<goal>\w+)", "look"),
    (r"examine the (?P<object>\w+) with the (?P<goal>\w+)", "look"),
)
_HOW: dict[str, Kind] = {"clean": "clean", "hot": "heat", "heat": "heat", "cool": "cool"}

_THING = r"(\w+ \d+)"
_ROOM = re.compile(r"Looking quickly around you, you see ([^\n]*)")
_ARRIVED = re.compile(rf"You arrive at {_THING}\.")
_CONTENTS = re.compile(rf"(?:On the|The) {_THING}(?: is open\. In it)?, you see ([^.]*)\.")
_PICKED = re.compile(rf"You pick up the {_THING}")
_PUT = re.compile(rf"You (?:move|put) the {_THING} (?:to|in) the {_THING}\.")
_TREATED = re.compile(rf"You (clean|heat|cool) the {_THING} using")
_LISTED = re.compile(rf"\ban? {_THING}")


@dataclass(frozen=True, slots=True)
class Task:
    """What is wanted: an object of a kind, treated or not, at a goal (for "look" the lamp)."""

    kind: Kind
    object: str
    goal: str


def parse_task(instruction: str) -> Task:
    """The task that a sentence sets.

    Raises:
        StudyError: it follows none of the ten templates of the five task types.
    """
    for pattern, kind in _SENTENCES:
        found = re.search(rf"\b{pattern}\b", instruction)
        if found:
            how = kind or _HOW[found["how"]]
            return Task(how, found["object"], found["goal"])
    raise StudyError(
        f"ALFWorld task {instruction!r}: of none of the five types that take one object"
    )


def type_of(thing: str) -> str:
    """'drawer 3' -> 'drawer'."""
    return thing.rpartition(" ")[0]


def number_of(thing: str) -> int:
    """'drawer 3' -> 3."""
    return int(thing.rpartition(" ")[2])


@dataclass(slots=True)
class Reading:
    """All that an episode's text tells.

    Attributes:
        receptacles: of the room, in the order in which the text names them.
        contents: what was last seen in each receptacle; closed ones never looked into lack.
        looked: when each receptacle was last looked into (number of the observation).
        last: the receptacle that was last gone to or looked into.
        held: the object in the agent's hand.
        treated: objects cleaned, heated or cooled, with the treatments that still hold.
    """

    receptacles: list[str] = field(default_factory=list)
    contents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)
    last: str | None = None
    held: str | None = None
    treated: dict[str, set[str]] = field(default_factory=dict)

    def here(self, admissible: Sequence[str]) -> list[str]:
        """Receptacles within reach: exactly those that one cannot go to."""
        elsewhere = {action.removeprefix("go to ") for action in admissible}
        return [name for name in self.receptacles if name not in elsewhere]

    def place_of(self, kind: str) -> str | None:
        """The receptacle where an object of a kind was seen most recently."""
        places = [place for place, things in self.contents.items() if kind in map(type_of, things)]
        return max(places, key=lambda place: self.looked[place], default=None)


def read(view: View) -> Reading:
    """Everything that the episode has shown so far."""
    reading = Reading()
    for number, observation in enumerate(view.observations):
        _notice(reading, number, observation)
    gone_to = (a.removeprefix("go to ") for a in view.admissible if a.startswith("go to "))
    reading.receptacles += [name for name in gone_to if name not in reading.receptacles]
    return reading


def _notice(reading: Reading, number: int, observation: str) -> None:
    if (room := _ROOM.search(observation)) and not reading.receptacles:
        reading.receptacles = _LISTED.findall(room[1])
    if arrived := _ARRIVED.search(observation):
        reading.last = arrived[1]
    for place, things in _CONTENTS.findall(observation):
        if place in reading.receptacles or not reading.receptacles:
            reading.contents[place] = tuple(_LISTED.findall(things))
            reading.looked[place] = number
            reading.last = place
    if picked := _PICKED.search(observation):
        reading.held = picked[1]
        for place, seen in reading.contents.items():
            reading.contents[place] = tuple(thing for thing in seen if thing != picked[1])
    if put := _PUT.search(observation):
        reading.held = None
        if put[2] in reading.receptacles:
            reading.contents[put[2]] = (*reading.contents.get(put[2], ()), put[1])
            reading.looked.setdefault(put[2], number)
    if treatment := _TREATED.search(observation):
        how, thing = treatment.groups()
        holds = reading.treated.setdefault(thing, set())
        holds -= {"heat", "cool"} if how != "clean" else set()  # each undoes the other
        holds.add(how)
