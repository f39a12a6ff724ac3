"""What a task world must offer to be studied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Step:
    """What one action led to. `valid` is False when the action was not admissible (a no-op)."""

    observation: str
    done: bool
    valid: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The score of a state: `success` is the task solved, `reward` lies in [0, 1]."""

    success: bool
    reward: float


@runtime_checkable
class Environment(Protocol):
    """One task world; an instance holds one episode at a time.

    The step budget is the harness's to enforce, not the environment's. `version` changes
    whenever the same actions could lead to another state, text or score: it is part of every
    rollout key. `blocking`: a call may wait for another process, so the harness makes it in a
    thread; such an environment's heavy parts must be safe to use from several threads. It may
    have a method `knows(action)` that tells whether a step needs no waiting after all.
    """

    name: str
    version: str
    blocking: bool

    def tasks(self) -> Sequence[str]:
        """All task ids, in a fixed order."""
        ...

    def cluster(self, task_id: str) -> str:
        """What makes failures of two tasks dependent (layout, product, game)."""
        ...

    def reset(self, task_id: str, seed: int = 0) -> str:
        """Start an episode; the first observation."""
        ...

    def instruction(self) -> str:
        """The task in words, constant over the episode."""
        ...

    def admissible_actions(self) -> tuple[str, ...]:
        """What may be done now, in a fixed order; empty when the episode has ended.

        An action of free text is listed as a form, `search[<query>]` (`environments.forms`).
        """
        ...

    def step(self, action: str) -> Step:
        """Do it. An inadmissible action changes nothing and is not valid."""
        ...

    def outcome(self) -> Outcome:
        """The score of the present state; a function of it that changes nothing."""
        ...

    def signature(self) -> str:
        """A hash of the full state, hidden parts included."""
        ...

    def describe(self) -> str:
        """The state for a human or a judge who may see all of it (for example a drawn map)."""
        ...

    def snapshot(self) -> Any:
        """An immutable copy of the episode's state, for `restore` on any instance."""
        ...

    def restore(self, snapshot: Any) -> None:
        """Go back to a state that `snapshot` returned."""
        ...

    def plan(self) -> tuple[str, ...] | None:
        """A shortest (or good) sequence of actions to the goal from here; None: unreachable."""
        ...

    def solvable(self, budget: int) -> bool:
        """Whether the goal can still be reached within `budget` actions."""
        ...
