"""A sound environment with something between it and whoever asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from repairstudy.audit.observing import planned
from repairstudy.environments import Environment, Outcome, Step


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot: the sound environment's, and where the episode stands."""

    inner: Any
    task_id: str
    steps: int


class Wrapper:
    """Passes everything on. What is planted overrides `score`, and rarely another method.

    Attributes:
        shared: what all instances of one environment have in common, empty at first.
        task_id, steps: the task, and how many valid actions led here.
        asked: how often this episode was scored so far, the present time included.
        asked_ever: the same for the instance's whole life.
        some: the tasks in which a defect shows that shows in some tasks only.
    """

    kind: ClassVar[str] = ""
    harmless: ClassVar[bool] = False

    def __init__(
        self, inner: Environment, shared: dict[str, Any], some: frozenset[str] = frozenset()
    ) -> None:
        self.inner, self.shared, self.some = inner, shared, some
        self.name, self.version, self.blocking = inner.name, inner.version, inner.blocking
        self.task_id, self.steps, self.asked, self.asked_ever = "", 0, 0, 0

    def score(self) -> Outcome:
        """What `outcome` answers."""
        return self.inner.outcome()

    def outcome(self) -> Outcome:
        self.asked += 1
        self.asked_ever += 1
        return self.score()

    def chosen(self) -> bool:
        """Whether the task is one of `some`."""
        return self.task_id in self.some

    def reset(self, task_id: str, seed: int = 0) -> str:
        observation = self.inner.reset(task_id, seed)
        self.task_id, self.steps, self.asked = task_id, 0, 0
        return observation

    def step(self, action: str) -> Step:
        step = self.inner.step(action)
        self.steps += step.valid
        return step

    def snapshot(self) -> Any:
        return Kept(self.inner.snapshot(), self.task_id, self.steps)

    def restore(self, snapshot: Any) -> None:
        self.inner.restore(snapshot.inner)
        self.task_id, self.steps, self.asked = snapshot.task_id, snapshot.steps, 0

    def tasks(self) -> Sequence[str]:
        return self.inner.tasks()

    def cluster(self, task_id: str) -> str:
        return self.inner.cluster(task_id)

    def instruction(self) -> str:
        return self.inner.instruction()

    def admissible_actions(self) -> tuple[str, ...]:
        return self.inner.admissible_actions()

    def signature(self) -> str:
        return self.inner.signature()

    def describe(self) -> str:
        return self.inner.describe()

    @property
    def innermost(self) -> Environment:
        """The sound environment, whose methods say what there is."""
        return self.inner

    def plan(self) -> tuple[str, ...] | None:
        return self.inner.plan()

    def solvable(self, budget: int) -> bool:
        return self.inner.solvable(budget)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


FAILED = Outcome(False, 0.0)
SOLVED = Outcome(True, 1.0)


def play_reference(environment: Environment) -> Outcome:
    """Do what the planner would do and score that; the environment stays there."""
    for action in planned(environment) or ():
        environment.step(action)
    return environment.outcome()
