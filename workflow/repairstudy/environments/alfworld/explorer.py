"""A scripted agent for ALFWorld that knows no more than the text shows it.

It searches, treats and delivers as a tidy person would. It is the teacher of the policy LMs and,
with noise, an executor of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from repairstudy.environments.alfworld.reading import (
    Reading,
    Task,
    number_of,
    parse_task,
    read,
    type_of,
)
from repairstudy.environments.view import View

PRIOR = Path(__file__).with_name("prior.json")
EXPERIENCES = ("likely", "none")
STATIONS = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}

Prior = dict[str, dict[str, float]]


@cache
def load_prior() -> Prior:
    """Share of the receptacles of a type that hold an object of a type: {object: {receptacle: p}}.

    Counted in the initial states of training games; pairs never seen are left out.
    """
    prior: Prior = json.loads(PRIOR.read_text(encoding="utf-8"))
    return prior


class Explorer:
    """Looks for the object where such things are kept, treats it, and brings it to the goal.

    Args:
        noise: probability that a step is an even draw among the admissible actions; in [0, 1].
        experience: "likely" searches the likeliest receptacles first; "none" knows of no
            likely places and searches in the order in which the room names them.

    Raises:
        ValueError: an argument that is not accepted.
    """

    version = "1"

    def __init__(self, noise: float = 0.0, experience: str = "likely") -> None:
        if not 0.0 <= noise <= 1.0:
            raise ValueError(f"noise: {noise!r} (accepted: 0 to 1)")
        if experience not in EXPERIENCES:
            raise ValueError(f"experience: {experience!r} (accepted: {', '.join(EXPERIENCES)})")
        self.noise = noise
        self._prior = load_prior() if experience == "likely" else {}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action, an admissible one; depends on the arguments alone."""
        if self.noise and rng.random() < self.noise:
            return view.admissible[int(rng.integers(len(view.admissible)))]
        return self.decide(parse_task(view.instruction), read(view), view.admissible)

    def decide(self, task: Task, reading: Reading, admissible: Sequence[str]) -> str:
        """What to do next for a task, given all that was read."""
        held = reading.held
        if held is None:
            options = self._find(task.object, reading, admissible)
        elif type_of(held) != task.object:
            options = self._put_down(held, reading, admissible)
        elif task.kind == "look":
            options = self._use(task.goal, reading, admissible)
        elif task.kind == "place" or task.kind in reading.treated.get(held, ()):
            options = self._deliver(held, task.goal, reading, admissible)
        else:
            options = _treat(held, task.kind, reading)
        offered = set(admissible)
        return next((action for action in options if action in offered), admissible[0])

    def _find(self, kind: str, reading: Reading, admissible: Sequence[str]) -> Iterable[str]:
        yield from (a for a in admissible if a.startswith(f"take {kind} "))
        yield from self._search(kind, reading, admissible)

    def _use(self, lamp: str, reading: Reading, admissible: Sequence[str]) -> Iterable[str]:
        yield from (a for a in admissible if a.startswith(f"use {lamp} "))
        yield from self._search(lamp, reading, admissible)

    def _search(self, kind: str, reading: Reading, admissible: Sequence[str]) -> Iterable[str]:
        here = reading.here(admissible)
        if known := reading.place_of(kind):
            yield from (f"open {known}", f"go to {known}")
        yield from (f"open {place}" for place in here if place not in reading.looked)
        yield from (
            f"go to {place}"
            for place in self._round(kind, reading)
            if place not in reading.looked and place not in here
        )
        yield from (f"go to {place}" for place in sorted(reading.looked, key=reading.looked.get))  # type: ignore[arg-type]

    def _round(self, kind: str, reading: Reading) -> list[str]:
        """The receptacles in the order of a round that goes on from where the agent is.

        A round that starts over at every step would need a longer memory than the prompts of the
        policy LMs have; where nothing of the kind is ever kept, it does start over.
        """
        likely = self._prior.get(kind, {})
        order = reading.receptacles
        if self._prior:
            order = sorted(
                order, key=lambda at: (-likely.get(type_of(at), 0), type_of(at), number_of(at))
            )
            if likely.get(type_of(reading.last or order[0]), 0) == 0:
                return order
        start = order.index(reading.last) + 1 if reading.last in order else 0
        return order[start:] + order[:start]

    def _put_down(self, held: str, reading: Reading, admissible: Sequence[str]) -> Iterable[str]:
        yield from (a for a in admissible if a.startswith(f"move {held} to "))
        yield from (f"open {place}" for place in reading.here(admissible))
        yield from (f"go to {place}" for place in reading.receptacles)

    def _deliver(
        self, held: str, goal: str, reading: Reading, admissible: Sequence[str]
    ) -> Iterable[str]:
        places = sorted((at for at in reading.receptacles if type_of(at) == goal), key=number_of)
        here = [place for place in reading.here(admissible) if place in places]
        yield from (f"move {held} to {place}" for place in places)
        yield from (f"open {place}" for place in here)
        yield from (f"go to {place}" for place in places)


def _treat(held: str, how: str, reading: Reading) -> Iterable[str]:
    stations = [at for at in reading.receptacles if type_of(at) == STATIONS[how]]
    yield from (f"{how} {held} with {station}" for station in stations)
    yield from (f"go to {station}" for station in stations)
