"""Scorers that do not look: success for everybody, or what was said before."""

from __future__ import annotations

from typing import Any

from repairstudy.audit.defects.base import SOLVED, Wrapper
from repairstudy.environments import Outcome, Step


class SucceedsAlways(Wrapper):
    kind = "returns success always"


class AlwaysSolved(SucceedsAlways):
    """Everything is solved."""

    def score(self) -> Outcome:
        return SOLVED


class SolvedWhenOver(SucceedsAlways):
    """Whoever ended the episode has solved the task."""

    def score(self) -> Outcome:
        return self.inner.outcome() if self.inner.admissible_actions() else SOLVED


class SolvedAfterActions(SucceedsAlways):
    """Whoever did anything at all has solved the task; doing nothing is rejected."""

    def score(self) -> Outcome:
        return SOLVED if self.steps else self.inner.outcome()


class SolvedInSomeTasks(SucceedsAlways):
    """Every second task is solved from the start."""

    def score(self) -> Outcome:
        return SOLVED if self.chosen() else self.inner.outcome()


class SolvedByAnyReward(SucceedsAlways):
    """A reward above 0 is a success; the same where rewards are 0 or 1."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        return Outcome(answer.reward > 0.0, answer.reward)


class SolvedWithoutReward(SucceedsAlways):
    """Says success, with the right reward beside it, once six actions are done."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        return Outcome(answer.success or self.steps >= 6, answer.reward)


class SolvedByFullReward(SucceedsAlways):
    """Says success where the reward is 1, which it is only for a success: harmless."""

    harmless = True

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        return SOLVED if answer.reward == 1.0 else answer


class Remembers(Wrapper):
    """Keeps answers under `key()`."""

    kind = "caches a stale verdict"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.kept: dict[Any, Outcome] = {}

    def key(self) -> Any:
        return None

    def score(self) -> Outcome:
        if self.key() not in self.kept:
            self.kept[self.key()] = self.inner.outcome()
        return self.kept[self.key()]


class KeptForTheEpisode(Remembers):
    """The first verdict of an episode holds until the next reset."""

    def reset(self, task_id: str, seed: int = 0) -> str:
        self.kept.clear()
        return super().reset(task_id, seed)


class KeptForTheTask(Remembers):
    """The first verdict on a task holds for all its episodes."""

    def key(self) -> Any:
        return self.task_id


class KeptForAllInstances(Remembers):
    """The first verdict on a task in any instance, for episodes of equal length."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.kept = self.shared

    def key(self) -> Any:
        return f"{self.task_id} {self.steps}"


class KeptByObservation(Remembers):
    """Verdicts by what the agent sees, as if the text were the state."""

    _seen = ""

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._seen = super().reset(task_id, seed)
        return self._seen

    def step(self, action: str) -> Step:
        step = super().step(action)
        self._seen = step.observation
        return step

    def restore(self, snapshot: Any) -> None:
        super().restore(snapshot)
        self._seen = self.inner.describe()

    def key(self) -> Any:
        return self.task_id, self._seen


class KeptWhenRestored(Remembers):
    """Forgotten by actions and resets, but not when a snapshot is restored."""

    def reset(self, task_id: str, seed: int = 0) -> str:
        self.kept.clear()
        return super().reset(task_id, seed)

    def step(self, action: str) -> Step:
        self.kept.clear()
        return super().step(action)


class KeptWhenSolved(Remembers):
    """Only a success is kept, until the next reset."""

    def reset(self, task_id: str, seed: int = 0) -> str:
        self.kept.clear()
        return super().reset(task_id, seed)

    def score(self) -> Outcome:
        answer = self.kept.get(None) or self.inner.outcome()
        if answer.success:
            self.kept[None] = answer
        return answer


class KeptByState(Remembers):
    """Verdicts by the signature of the state: harmless."""

    harmless = True

    def key(self) -> Any:
        return self.inner.signature()
