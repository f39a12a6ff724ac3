"""Going to a state and looking at it, without scoring it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from repairstudy.environments import Environment, Step


class Moment(NamedTuple):
    """All that a state shows. Equal moments are one state to agents, judges and replays."""

    signature: str
    admissible: tuple[str, ...]
    instruction: str
    description: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A state, by a way to it from the start of its task."""

    task_id: str
    actions: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.task_id} after {list(self.actions)}"


@dataclass(frozen=True, slots=True)
class Track:
    """An episode that nobody scored.

    Attributes:
        first: the first observation.
        steps: what each action led to.
        moments: one more than steps.
    """

    task_id: str
    actions: tuple[str, ...]
    first: str
    steps: tuple[Step, ...]
    moments: tuple[Moment, ...]

    def spot(self, place: int) -> Spot:
        return Spot(self.task_id, self.actions[:place])

    @property
    def over(self) -> bool:
        return bool(self.steps) and self.steps[-1].done


def look(environment: Environment) -> Moment:
    return Moment(
        environment.signature(),
        tuple(environment.admissible_actions()),
        environment.instruction(),
        environment.describe(),
    )


def planned(environment: Environment) -> tuple[str, ...] | None:
    """The environment's plan from where it stands; None: none, or it cannot plan."""
    if not can_plan(environment):
        return None
    try:
        plan = environment.plan()
    except NotImplementedError:
        return None
    return None if plan is None else tuple(plan)


def can_plan(environment: Environment) -> bool:
    """Whether it has a method `plan`; one that is not implemented finds no plan."""
    return hasattr(getattr(environment, "innermost", environment), "plan")


def go(environment: Environment, spot: Spot) -> None:
    """Start the task anew and do the actions."""
    environment.reset(spot.task_id)
    for action in spot.actions:
        environment.step(action)


def track(environment: Environment, task_id: str, actions: Sequence[str]) -> Track:
    """Play an episode without scoring; it ends before the actions do if the environment says so."""
    first = environment.reset(task_id)
    steps: list[Step] = []
    moments = [look(environment)]
    for action in actions:
        if steps and steps[-1].done:
            break
        steps.append(environment.step(action))
        moments.append(look(environment))
    return Track(task_id, tuple(actions[: len(steps)]), first, tuple(steps), tuple(moments))


def difference(now: Moment, before: Moment) -> str | None:
    """What differs between two moments, in words; None: nothing."""
    for name in Moment._fields:
        one, other = getattr(now, name), getattr(before, name)
        if one != other:
            return f"{name} is {one!r:.200}, was {other!r:.200}"
    return None
