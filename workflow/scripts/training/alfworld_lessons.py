"""Write what a scripted explorer does in ALFWorld games, as prompts and answers, one state a line.

    python workflow/scripts/training/alfworld_lessons.py \
        --games ../shared/data/alfworld --split train --experience likely \
        --protocol window-3/1 --prompt resources/prompts/alfworld/policy.txt \
        --episodes 9 --seed 11 --out FILE

The first line says how they were made, and lists words that the tokenizer must know. Every other
line is a state: `before`, the prompt up to the task, and `tasks`, pairs of the rest of the prompt
and the explorer's action. A hundred games give few tasks, so a state is labelled for several: the
game's own, those about things within reach (they teach which words match), and random ones that the
room allows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from repairstudy.environments.alfworld import Alfworld
from repairstudy.environments.alfworld.explorer import STATIONS, Explorer
from repairstudy.environments.alfworld.reading import Reading, Task, parse_task, read, type_of
from repairstudy.environments.alfworld.scene import Scene, read_scene
from repairstudy.executors.protocols import AgentView, make_protocol
from repairstudy.records import generator

LABELS, REACHABLE = 8, 4  # tasks a state; of them at most so many about things within reach
STEPS = 30  # of an episode
SENTENCES = {
    "place": ("put a {} in {}.", "put some {} on {}."),
    "look": ("look at {} under the {}.", "examine the {} with the {}."),
    "clean": ("put a clean {} in {}.", "clean some {} and put it in {}."),
    "heat": ("put a hot {} in {}.", "heat some {} and put it in {}."),
    "cool": ("put a cool {} in {}.", "cool some {} and put it in {}."),
}
ABLE = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}
NUMBERS = 60  # of things of one type that the tokenizer can tell apart


@dataclass(frozen=True, slots=True)
class Lesson:
    """A state that an episode came to, and (instruction, action) for every task asked there."""

    view: AgentView
    labels: tuple[tuple[str, str], ...]


def possible_tasks(scene: Scene) -> list[Task]:
    """All tasks of the five types that a room allows and that are not done from the start."""
    places = set(scene.receptacle_types.values())
    fits = [(place, thing) for place, thing in sorted(scene.fits) if place in places]
    things = scene.able["pickupable"]
    lamps = sorted(scene.able["toggleable"] & {"desklamp", "floorlamp"})
    tasks = [Task("look", thing, lamp) for lamp in lamps for thing in sorted(things - set(lamps))]
    for place, thing in fits:
        if thing in things and not scene.starts_with(thing, place):
            tasks.append(Task("place", thing, place))
        tasks += [
            Task(kind, thing, place)
            for kind, able in ABLE.items()
            if thing in scene.able[able] & things and STATIONS[kind] in places - {place}
        ]
    return tasks


class Pupil:
    """One game with the tasks that its room allows."""

    def __init__(self, environment: Alfworld, task_id: str, experience: str) -> None:
        self.environment, self.task_id = environment, task_id
        self.explorer = Explorer(experience=experience)
        self.scene = read_scene(environment.game(task_id).path)
        self.tasks = possible_tasks(self.scene)

    def episode(self, rng: np.random.Generator, own_task: bool) -> Iterator[Lesson]:
        """States of one episode; some begin with random actions, most have a few later on."""
        first = self.environment.reset(self.task_id)
        own = self.environment.instruction()
        followed = own if own_task else self._sentence(self._any_task(rng), rng)
        lost = int(rng.integers(1, 11)) if rng.random() < 0.5 else 0
        noise = 0.15 if rng.random() < 0.75 else 0.0
        view = AgentView(own, (first,), (), self.environment.admissible_actions())
        for number in range(lost + STEPS):
            reading = read(view)
            if not view.admissible or _done(parse_task(followed), reading):
                return
            action = self.explorer.decide(parse_task(followed), reading, view.admissible)
            if number >= lost:
                yield Lesson(view, tuple(self._labels(followed, view, reading, rng)))
            if number < lost or rng.random() < noise:
                action = view.admissible[int(rng.integers(len(view.admissible)))]
            step = self.environment.step(action)
            view = AgentView(
                own,
                (*view.observations, step.observation),
                (*view.actions, action),
                self.environment.admissible_actions(),
            )
            if action.startswith("use "):
                return

    def _labels(
        self, followed: str, view: AgentView, reading: Reading, rng: np.random.Generator
    ) -> Iterator[tuple[str, str]]:
        reachable = self._within_reach(view, reading)
        tasks = [reachable[at] for at in rng.permutation(len(reachable))[:REACHABLE]]
        tasks += [self._any_task(rng, reading.held) for _ in range(LABELS - 1 - len(tasks))]
        sentences = [followed, *(self._sentence(task, rng) for task in tasks)]
        for sentence in sentences:
            if not _done(parse_task(sentence), reading):
                task = parse_task(sentence)
                yield sentence, self.explorer.decide(task, reading, view.admissible)

    def _within_reach(self, view: AgentView, reading: Reading) -> list[Task]:
        """Tasks whose next step takes or puts down something here, one for each object or goal."""
        words = [action.split() for action in view.admissible]
        if reading.held is None:
            kinds = {word[1] for word in words if word[0] == "take"}
            found = {task.object: task for task in self.tasks if task.object in kinds}
            return [found[name] for name in sorted(found)]
        goals = {word[-2] for word in words if word[0] == "move"}
        held = type_of(reading.held)
        found = {task.goal: task for task in self.tasks if task.object == held}
        return [replace(found[name], kind="place") for name in sorted(goals & found.keys())]

    def _any_task(self, rng: np.random.Generator, held: str | None = None) -> Task:
        """A random task, of an evenly drawn type; mostly about the object in the hand, if any."""
        tasks = self.tasks
        if held and rng.random() < 0.75:
            tasks = [task for task in tasks if task.object == type_of(held)] or tasks
        kinds = sorted({task.kind for task in tasks})
        kind = kinds[int(rng.integers(len(kinds)))]
        of_kind = [task for task in tasks if task.kind == kind]
        return of_kind[int(rng.integers(len(of_kind)))]

    def _sentence(self, task: Task, rng: np.random.Generator) -> str:
        return SENTENCES[task.kind][int(rng.integers(2))].format(task.object, task.goal)


def _done(task: Task, reading: Reading) -> bool:
    """Whether an object is seen to be where and how the task wants it."""
    return task.kind != "look" and any(
        type_of(thing) == task.object
        and (task.kind == "place" or task.kind in reading.treated.get(thing, ()))
        for place, things in reading.contents.items()
        if type_of(place) == task.goal
        for thing in things
    )


def as_prompts(lesson: Lesson, protocol: str, template: str) -> dict[str, Any]:
    """The prompts that the protocol makes of a lesson: `before` is common to all of them."""
    make_prompt = make_protocol(protocol).prompt
    before = make_prompt(template.partition("{instruction}")[0], lesson.view)
    tasks = []
    for instruction, action in lesson.labels:
        prompt = make_prompt(template, replace(lesson.view, instruction=instruction))
        tasks.append([prompt.removeprefix(before), f" {action}"])
    return {"before": before, "tasks": tasks}


def write_lessons(
    games: str, split: str, limit: int | None, experience: str, protocol: str, prompt: Path,
    episodes: int, seed: int, out: Path,
) -> None:  # fmt: skip
    """Play `episodes` of each game, every other one for the game's own task."""
    template = prompt.read_text(encoding="utf-8")
    environment = Alfworld(games=games, splits=[split], limit=limit, workers=1)
    words: set[str] = set()
    lines: list[str] = []
    for task_id in environment.tasks():
        pupil = Pupil(environment, task_id, experience)
        words |= pupil.scene.words
        for number in range(episodes):
            rng = generator("alfworld lessons", seed, task_id, number)
            for lesson in pupil.episode(rng, own_task=number % 2 == 0):
                lines.append(json.dumps(as_prompts(lesson, protocol, template)))
    numbers = [str(number) for number in range(1, NUMBERS + 1)]
    made = {"experience": experience, "prompt": template, "protocol": protocol, "seed": seed}
    first = json.dumps(made | {"words": [*sorted(words), *numbers]})
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join([first, *lines]) + "\n", encoding="utf-8")
    print(f"alfworld_lessons: {len(lines)} states in {out}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", required=True, help="folder of the game files")
    parser.add_argument("--split", default="train", help="never one that a study plays")
    parser.add_argument("--limit", type=int, help="number of games, spread over types and scenes")
    parser.add_argument("--experience", choices=("likely", "none"), required=True)
    parser.add_argument("--protocol", required=True, help="such as window-3/1")
    parser.add_argument("--prompt", type=Path, required=True, help="template; the task comes last")
    parser.add_argument("--episodes", type=int, required=True, help="of each game")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    write_lessons(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
