"""Small games of our own in ALFWorld's format, so that much can be tried without its data.

The rules of the world are ALFWorld's: the domain and the grammar come from the installed package
when a game is made. Rooms, tasks and walkthroughs are ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from repairstudy.environments.alfworld import houses, problem
from repairstudy.environments.alfworld.games import GAME_FILE, TASK_TYPES, Game, read_game
from repairstudy.environments.alfworld.houses import Room, Thing, make_room, numbered
from repairstudy.environments.alfworld.versions import INSTALL
from repairstudy.errors import ConfigError, DataError
from repairstudy.records import generator

PLACEHOLDER = "UNKNOWN GOAL."
FIRST_SCENE = 1001  # above every official scene
OBJECTS_BESIDES = (4, 8)  # fewest and most objects that the task does not need
_LOOK, _PLACE, _CLEAN, _COOL, _HEAT = TASK_TYPES
ROOMS_OF_TYPE = {
    _LOOK: ("bedroom",),
    _PLACE: ("kitchen", "bedroom", "bathroom"),
    _CLEAN: ("kitchen", "bathroom"),
    _COOL: ("kitchen",),
    _HEAT: ("kitchen",),
}
SENTENCES = {
    _LOOK: ("examine the {thing} with the desklamp.", "look at {thing} under the desklamp."),
    _PLACE: ("put a {thing} in {goal}.", "put some {thing} on {goal}."),
    _CLEAN: ("clean some {thing} and put it in {goal}.", "put a clean {thing} in {goal}."),
    _COOL: ("cool some {thing} and put it in {goal}.", "put a cool {thing} in {goal}."),
    _HEAT: ("heat some {thing} and put it in {goal}.", "put a hot {thing} in {goal}."),
}
APPLIANCES = {
    _CLEAN: ("clean", "SinkBasin", houses.CLEANABLE),
    _COOL: ("cool", "Fridge", houses.COOLABLE),
    _HEAT: ("heat", "Microwave", houses.HEATABLE),
}


@dataclass(frozen=True, slots=True)
class Task:
    """A game before it is written.

    Attributes:
        lying: each object and the furniture it lies on or in.
        wanted: the one object of the type that the task names.
        goal: the type of furniture it must end up on or in; None when it is to be looked at.
    """

    task_type: str
    scene: int
    room: Room
    lying: dict[Thing, Thing]
    wanted: Thing
    goal: str | None
    sentence: str

    @property
    def folder(self) -> str:
        """As official folders are called."""
        receptacle = self.goal or houses.LAMP
        return f"{self.task_type}-{self.wanted.kind}-None-{receptacle}-{self.scene}"


def generate(folder: Path, split: str, games: int, scenes: int, seed: int) -> tuple[Path, ...]:
    """Write `games` games into `folder`/`split`, types and then scenes in turn.

    Scenes and games are functions of the seed and the split; two splits share no scene if their
    names' scene numbers do not overlap, see `scene_numbers`.

    Raises:
        ConfigError: no game, or fewer than 3 scenes (one a kind of room).
        DataError: the alfworld package is not installed.
    """
    if games < 1 or scenes < len(houses.ROOMS):
        raise ConfigError(
            f"generated games: {games} in {scenes} scenes; accepted: at least 1 game and "
            f"{len(houses.ROOMS)} scenes"
        )
    domain, grammar = logic()
    written = []
    for number in range(games):
        task = make_task(seed, split, scenes, number)
        path = folder / split / task.folder / f"trial_{number:04d}" / GAME_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "pddl_domain": domain,
            "grammar": grammar.replace(PLACEHOLDER, task.sentence),
            "pddl_problem": problem.pddl(task, f"{split}_{number:04d}"),
            "solvable": True,
            "walkthrough": walkthrough(task),
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        written.append(path)
    return tuple(written)


def logic() -> tuple[str, str]:
    """ALFWorld's domain and grammar.

    Raises:
        DataError: the package is not installed, or its grammar has no place for the task.
    """
    found = find_spec("alfworld")  # not imported: that would make a folder in the user's home
    if found is None or not found.submodule_search_locations:
        raise DataError("alfworld", "is not installed.", f"Run: {INSTALL}")
    data = Path(found.submodule_search_locations[0]) / "data"
    domain = (data / "alfred.pddl").read_text(encoding="utf-8")
    grammar = (data / "alfred.twl2").read_text(encoding="utf-8")
    if PLACEHOLDER not in grammar:
        raise DataError("alfworld/data/alfred.twl2", f"has no '{PLACEHOLDER}' to replace.")
    return domain, grammar


def make_task(seed: int, split: str, scenes: int, number: int) -> Task:
    """The `number`-th task of a split."""
    task_type = TASK_TYPES[number % len(TASK_TYPES)]
    kinds = tuple(houses.ROOMS)
    fitting = [i for i in range(scenes) if kinds[i % len(kinds)] in ROOMS_OF_TYPE[task_type]]
    index = fitting[number // len(TASK_TYPES) % len(fitting)]
    scene = scene_numbers(split, scenes)[index]
    room = make_room(kinds[index % len(kinds)], seed, scene)
    return _task_in(room, task_type, scene, generator("alfworld game", seed, split, number))


def scene_numbers(split: str, scenes: int) -> tuple[int, ...]:
    """The scenes of a split: "train" has the first thousand, any other split the second."""
    first = FIRST_SCENE if split == "train" else FIRST_SCENE + 1000
    return tuple(range(first, first + scenes))


def _task_in(room: Room, task_type: str, scene: int, random: np.random.Generator) -> Task:
    things = houses.ROOMS[room.kind][2]
    if task_type in APPLIANCES:
        things = things & APPLIANCES[task_type][2]
    possible = [
        (kind, goal)
        for kind in sorted(things)
        for goal in (_goals(room, kind, task_type) if task_type != _LOOK else [None])
        if _starts(room, kind, goal)
    ]
    kind, goal = possible[random.integers(len(possible))]
    start = _pick(_starts(room, kind, goal), random)
    others = _others(room, kind, random)
    objects = numbered([kind, *others, *([houses.LAMP] if task_type == _LOOK else [])])
    lying = {objects[0]: start}
    for thing in objects[1:]:
        at = ("Desk",) if thing.kind == houses.LAMP else _holders(room, thing.kind)
        lying[thing] = _pick([piece for piece in room.furniture if piece.kind in at], random)
    sentence = _pick(SENTENCES[task_type], random).format(
        thing=kind.lower(), goal=(goal or "").lower()
    )
    return Task(task_type, scene, room, lying, objects[0], goal, sentence)


def _others(room: Room, wanted: str, random: np.random.Generator) -> list[str]:
    """Objects that are only there; none of the wanted type, or the task might be done at once."""
    kinds = sorted(houses.ROOMS[room.kind][2] - {wanted})
    kinds = [kind for kind in kinds if _holders(room, kind)]
    low, high = OBJECTS_BESIDES
    return [_pick(kinds, random) for _ in range(int(random.integers(low, high + 1)))]


def _holders(room: Room, kind: str) -> tuple[str, ...]:
    """Types of furniture in the room that may hold an object of the kind."""
    there = {piece.kind for piece in room.furniture}
    return tuple(sorted(name for name in there if kind in houses.HOLDS[name]))


def _goals(room: Room, kind: str, task_type: str) -> list[str]:
    """Types of furniture to bring it to: not the appliance where it is washed, cooled or heated."""
    appliance = APPLIANCES[task_type][1] if task_type in APPLIANCES else None
    return [name for name in _holders(room, kind) if name != appliance]


def _starts(room: Room, kind: str, goal: str | None) -> list[Thing]:
    """Furniture where the wanted object may lie at first."""
    holders = [name for name in _holders(room, kind) if name != goal]
    return [piece for piece in room.furniture if piece.kind in holders]


def _pick(items: Sequence[Any], random: np.random.Generator) -> Any:
    return items[int(random.integers(len(items)))]


def walkthrough(task: Task) -> list[str]:
    """Actions that win the game."""
    room, wanted = task.room, task.wanted.name
    start = task.lying[task.wanted]
    actions: list[str] = []
    place = _approach(actions, room, 0, start)
    if start.kind in houses.OPENABLE:
        actions.append(f"open {start.name}")
    actions.append(f"take {wanted} from {start.name}")
    if task.goal is None:
        (lamp,) = (thing for thing in task.lying if thing.kind == houses.LAMP)
        _approach(actions, room, place, task.lying[lamp])
        return [*actions, f"use {lamp.name}"]
    if task.task_type in APPLIANCES:
        verb, kind, _ = APPLIANCES[task.task_type]
        appliance = room.of_kind(kind)[0]
        place = _approach(actions, room, place, appliance)
        actions.append(f"{verb} {wanted} with {appliance.name}")
    goal = room.of_kind(task.goal)[0]
    _approach(actions, room, place, goal)
    if goal.kind in houses.OPENABLE:
        actions.append(f"open {goal.name}")
    return [*actions, f"move {wanted} to {goal.name}"]


def _approach(actions: list[str], room: Room, place: int, piece: Thing) -> int:
    """Go there unless one stands there already; the new place."""
    there = room.place(piece)
    if there != place:
        actions.append(f"go to {piece.name}")
    return there


def check_walkthroughs(games: Iterable[Game], engine: Any) -> None:
    """Play each game's walkthrough.

    Raises:
        DataError: an action is refused, or the game is not won exactly at the end.
    """
    for game in games:
        position = engine.open(game.path)
        for action in read_game(game.path)["walkthrough"]:
            if position.won:
                raise DataError(game.path, f"is won before '{action}' of its walkthrough.")
            position = engine.step(action)
            if not position.valid:
                raise DataError(game.path, f"refuses '{action}' of its walkthrough.")
        if not position.won:
            raise DataError(game.path, "is not won by its walkthrough.")
