"""Scorers whose answer depends on what was asked before, or that look at another episode."""

from __future__ import annotations

import threading
from typing import Any

from repairstudy.audit.defects.base import FAILED, SOLVED, Kept, Wrapper
from repairstudy.environments import Outcome, Step


class DependsOnOrder(Wrapper):
    kind = "depends on call order"


class SuccessSticks(DependsOnOrder):
    """An instance that said success once says it for ever."""

    _solved = False

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        self._solved = self._solved or answer.success
        return SOLVED if self._solved else answer


class EverySecondFails(DependsOnOrder):
    """Every second scoring of an instance is a failure."""

    def score(self) -> Outcome:
        return FAILED if self.asked_ever % 2 == 0 else self.inner.outcome()


class OneSuccessATask(DependsOnOrder):
    """Only the first instance that solves a task gets the credit."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        first = self.shared.setdefault(self.task_id, self) is self if answer.success else True
        return answer if first else FAILED


class BestSoFar(DependsOnOrder):
    """The best reward of all episodes of the task in this instance."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._best: dict[str, Outcome] = {}

    def score(self) -> Outcome:
        answers = [self.inner.outcome(), self._best.get(self.task_id, FAILED)]
        self._best[self.task_id] = max(answers, key=lambda answer: answer.reward)
        return self._best[self.task_id]


class TiredAfterTen(DependsOnOrder):
    """An episode that was scored ten times has failed."""

    def score(self) -> Outcome:
        return FAILED if self.asked > 10 else self.inner.outcome()


class FailsAfterAFailure(DependsOnOrder):
    """A scoring right after an episode that failed fails too, in any instance."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        last, self.shared["last"] = self.shared.get("last"), (self.task_id, answer.success)
        return FAILED if last and last[0] != self.task_id and not last[1] else answer


class AlternatesTwoEqualWays(DependsOnOrder):
    """Scores in one of two ways in turn that always agree: harmless."""

    harmless = True

    def score(self) -> Outcome:
        if self.asked_ever % 2:
            return self.inner.outcome()
        answer = self.inner.outcome()
        return Outcome(answer.success, answer.reward)


class ScoresAnother(Wrapper):
    """Scores `standing()`, a snapshot, in a spare instance."""

    kind = "scores another episode's state"

    def standing(self) -> Any:
        return self.inner.snapshot()

    def score(self) -> Outcome:
        here = self.inner.snapshot()
        self.inner.restore(self.standing())
        try:
            return self.inner.outcome()
        finally:
            self.inner.restore(here)


class OneActionLate(ScoresAnother):
    """Scores the state before the last action."""

    _before: Any = None

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._before = None
        return super().reset(task_id, seed)

    def step(self, action: str) -> Step:
        self._before = self.inner.snapshot()
        return super().step(action)

    def standing(self) -> Any:
        return self._before or self.inner.snapshot()


class TheEpisodeBefore(ScoresAnother):
    """The first scoring after a reset sees where the episode before it ended."""

    _ended: Any = None

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._ended = self.inner.snapshot() if self.task_id else None
        return super().reset(task_id, seed)

    def standing(self) -> Any:
        return self._ended if self._ended and self.asked == 1 else self.inner.snapshot()


class WhoActedLast(ScoresAnother):
    """One pointer for all instances: the state of whichever acted last is scored."""

    def reset(self, task_id: str, seed: int = 0) -> str:
        observation = super().reset(task_id, seed)
        self.shared["here"] = self.inner.snapshot()
        return observation

    def step(self, action: str) -> Step:
        step = super().step(action)
        self.shared["here"] = self.inner.snapshot()
        return step

    def restore(self, snapshot: Any) -> None:
        super().restore(snapshot)
        self.shared["here"] = self.inner.snapshot()

    def standing(self) -> Any:
        return self.shared["here"]


class WhoActedLastInThisThread(WhoActedLast):
    """The same pointer, one for each thread."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.shared = self.shared.setdefault("threads", _OfThread())


class TheOneFirstSeen(ScoresAnother):
    """A state restored from a snapshot is not scored before the next action: the last one is."""

    _last: Any = None

    def reset(self, task_id: str, seed: int = 0) -> str:
        observation = super().reset(task_id, seed)
        self._last = self.inner.snapshot()
        return observation

    def step(self, action: str) -> Step:
        step = super().step(action)
        self._last = self.inner.snapshot()
        return step

    def standing(self) -> Any:
        return self._last or self.inner.snapshot()


class TheNextTask(ScoresAnother):
    """Some tasks are scored by the start of the next task, once something was done."""

    def standing(self) -> Any:
        here = self.inner.snapshot()
        if not (self.chosen() and self.steps):
            return here
        tasks = list(self.inner.tasks())
        self.inner.reset(tasks[(tasks.index(self.task_id) + 1) % len(tasks)])
        other = self.inner.snapshot()
        self.inner.restore(here)
        return other


class ACopyOfThisOne(ScoresAnother):
    """Scores a copy of the agent's own state: harmless."""

    harmless = True

    def standing(self) -> Any:
        return Kept(self.inner.snapshot(), self.task_id, self.steps).inner


class _OfThread(dict[str, Any]):
    """A dictionary with other contents in each thread."""

    def __init__(self) -> None:
        super().__init__()
        self._local = threading.local()

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self._local, key, value)

    def __getitem__(self, key: str) -> Any:
        return getattr(self._local, key)
