"""The gridworld as an environment whose executors have exact values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from repairstudy.environments.base import Outcome, Step
from repairstudy.environments.exact import StateView
from repairstudy.environments.gridworld import text
from repairstudy.environments.gridworld.dynamics import (
    ACTIONS,
    Layout,
    State,
    is_goal,
    is_over,
    move,
    slips,
    successors,
)
from repairstudy.environments.gridworld.layouts import make_layouts
from repairstudy.environments.gridworld.options import parse_options
from repairstudy.environments.gridworld.search import distances, shortest_plan
from repairstudy.environments.option_checks import PREFIX
from repairstudy.errors import ConfigError, DataError
from repairstudy.records import digest, generator

RULES = "1"  # raise it whenever rules, texts or scores change


@dataclass(frozen=True, slots=True)
class Place:
    """A state of one of the tasks."""

    task_id: str
    state: State


@dataclass(frozen=True, slots=True)
class Episode:
    """Everything an episode depends on from here; seed and moves matter only if moves slip."""

    place: Place
    seed: int
    moves: int = 0


class Gridworld:
    """A small grid with walls, pits and collapsing tiles; an `Environment` and `Enumerable`.

    Keyword options with their defaults and meaning: `Options`. With `slip` above 0 the slips of
    an episode follow from the seed given to `reset`, which must not be 0, and the number of the
    move. So a prefix can be replayed only under the seed it was recorded with, and a harness that
    resets without a seed is refused: all its runs would share their slips. Plans ignore slips.

    Raises:
        ConfigError: an option that is unknown or impossible; the message names it and the range.
    """

    name = "gridworld"
    blocking = False

    def __init__(self, **options: Any) -> None:
        self.options = parse_options(options)
        layouts = make_layouts(self.options)
        self._layouts = {f"layout-{number:03d}": layout for number, layout in enumerate(layouts)}
        self._digests = {task: _digest(layout) for task, layout in self._layouts.items()}
        parts = [self.options.as_dict(), self._digests]
        self.version = f"{RULES}-{digest(parts, length=12)}"
        self._episode: Episode | None = None

    def tasks(self) -> Sequence[str]:
        return tuple(self._layouts)

    def cluster(self, task_id: str) -> str:
        """The layout itself: its failures share pits and traps."""
        return task_id

    def layout(self, task_id: str) -> Layout:
        """The layout of a task.

        Raises:
            DataError: there is no such task.
        """
        if task_id not in self._layouts:
            raise DataError(
                "gridworld",
                f"no task '{task_id}'",
                f"Tasks are layout-000 to layout-{len(self._layouts) - 1:03d}.",
            )
        return self._layouts[task_id]

    def reset(self, task_id: str, seed: int = 0) -> str:
        """Start an episode.

        Raises:
            DataError: there is no such task.
            ConfigError: moves slip and no seed is given.
        """
        if self.options.slip > 0.0 and seed == 0:
            raise ConfigError(
                f"{PREFIX}.slip: {self.options.slip} needs a seed of its own for every run, which "
                f"rollouts of a study do not give; accepted there: 0"
            )
        self._episode = Episode(Place(task_id, self.layout(task_id).initial()), seed)
        return self._view().observation

    def instruction(self) -> str:
        return text.INSTRUCTION

    def admissible_actions(self) -> tuple[str, ...]:
        return self._view().admissible

    def step(self, action: str) -> Step:
        episode = self._current()
        if action not in self.admissible_actions():
            view = self._view()
            return Step(view.observation, not view.admissible, False)
        actual = self._slipped(action, episode)
        place = episode.place
        after = move(self.layout(place.task_id), place.state, actual)
        self._episode = replace(episode, place=Place(place.task_id, after), moves=episode.moves + 1)
        view = self._view()
        return Step(view.observation, not view.admissible, True)

    def outcome(self) -> Outcome:
        return self._view().outcome

    def signature(self) -> str:
        place = self._current().place
        state = place.state
        return digest([self._digests[place.task_id], list(state.position), state.collapsed])

    def describe(self) -> str:
        place = self._current().place
        return text.draw(self.layout(place.task_id), place.state)

    def snapshot(self) -> Episode:
        return self._current()

    def restore(self, snapshot: Any) -> None:
        self.layout(snapshot.place.task_id)
        self._episode = snapshot

    def plan(self) -> tuple[str, ...] | None:
        """The shortest plan, found by search; ties in the order up, down, left, right."""
        place = self._current().place
        return shortest_plan(self.layout(place.task_id), place.state)

    def solvable(self, budget: int) -> bool:
        place = self._current().place
        left = distances(self.layout(place.task_id), place.state)
        return place.state in left and left[place.state] <= budget

    def state(self) -> Place:
        """The present state, as `transitions` and `view` take it."""
        return self._current().place

    def initial(self, task_id: str) -> Place:
        return Place(task_id, self.layout(task_id).initial())

    def view(self, state: Place) -> StateView:
        layout = self.layout(state.task_id)
        success = is_goal(layout, state.state)
        return StateView(
            observation=text.observe(layout, state.state),
            admissible=() if is_over(layout, state.state) else ACTIONS,
            outcome=Outcome(success, float(success)),
        )

    def transitions(self, state: Place, action: str) -> tuple[tuple[float, Place], ...]:
        layout = self.layout(state.task_id)
        return tuple(
            (probability, Place(state.task_id, after))
            for probability, after in successors(layout, state.state, action, self.options.slip)
        )

    def _current(self) -> Episode:
        if self._episode is None:
            raise RuntimeError("reset or restore the environment before using it")
        return self._episode

    def _view(self) -> StateView:
        return self.view(self._current().place)

    def _slipped(self, action: str, episode: Episode) -> str:
        """What the move becomes; the draw belongs to the episode's seed and move number."""
        if self.options.slip == 0.0:
            return action
        drawn = generator("gridworld slip", episode.seed, episode.moves).random()
        for probability, actual in slips(action, self.options.slip):
            if drawn < probability:
                return actual
            drawn -= probability
        return action


@lru_cache(maxsize=4096)
def _digest(layout: Layout) -> str:
    """The layout's identity; kept, because each episode in flight has an instance of its own."""
    return digest(_plain(layout))


def _plain(layout: Layout) -> dict[str, Any]:
    """The layout as JSON."""
    return {
        "size": [layout.height, layout.width],
        "start": list(layout.start),
        "goal": list(layout.goal),
        "walls": sorted(map(list, layout.walls)),
        "pits": sorted(map(list, layout.pits)),
        "collapsing": sorted(map(list, layout.collapsing)),
    }
