"""Scorers that change what they score."""

from __future__ import annotations

from typing import Any

from repairstudy.audit.defects.base import Kept, Wrapper, play_reference
from repairstudy.environments import Outcome, Step


class LeavesReference(Wrapper):
    kind = "leaves the reference state behind"


class AlwaysLeft(LeavesReference):
    """Compares with the reference solution, played in the agent's own episode."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        play_reference(self.inner)
        return answer


class LeftWhenUnsolved(LeavesReference):
    """Only where the reward is 0 is the reference played, and left behind."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        if answer.reward == 0.0:
            play_reference(self.inner)
        return answer


class LeftTheSecondTime(LeavesReference):
    """Goes back after the first scoring of an episode, not after the second."""

    def score(self) -> Outcome:
        before = self.inner.snapshot()
        answer = self.inner.outcome()
        play_reference(self.inner)
        if self.asked != 2:
            self.inner.restore(before)
        return answer


class LeftInSomeTasks(LeavesReference):
    """Goes back in every second task alone."""

    def score(self) -> Outcome:
        before = self.inner.snapshot()
        answer = self.inner.outcome()
        play_reference(self.inner)
        if not self.chosen():
            self.inner.restore(before)
        return answer


class LeftAfterErrors(LeavesReference):
    """Goes back unless scoring the reference fails: the way back is not in a `finally`."""

    def score(self) -> Outcome:
        before = self.inner.snapshot()
        answer = self.inner.outcome()
        play_reference(self.inner)
        self.inner.restore(before)
        return answer


class LeftInSnapshots(LeavesReference):
    """The state comes back, but snapshots taken after scoring are of the reference."""

    _taken: Any = None

    def score(self) -> Outcome:
        before = self.inner.snapshot()
        try:
            answer = self.inner.outcome()
            play_reference(self.inner)
            self._taken = self.inner.snapshot()
        finally:
            self.inner.restore(before)
        return answer

    def snapshot(self) -> Any:
        inner, self._taken = self._taken or self.inner.snapshot(), None
        return Kept(inner, self.task_id, self.steps)


class ReferenceUndone(LeavesReference):
    """Plays the reference in the agent's episode, and goes back whatever happens: harmless."""

    harmless = True

    def score(self) -> Outcome:
        before = self.inner.snapshot()
        try:
            play_reference(self.inner)
        finally:
            self.inner.restore(before)
        return self.inner.outcome()


class Mutates(Wrapper):
    kind = "mutates on read"


class ActsOnRead(Mutates):
    """Scoring takes the first admissible action."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        for action in self.inner.admissible_actions()[:1]:
            self.inner.step(action.replace("<query>", "lamp"))
        return answer


class ResetsOnThirdRead(Mutates):
    """The third scoring of an episode starts it anew."""

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        if self.asked == 3:
            self.inner.reset(self.task_id)
        return answer


class LosesAnAction(Mutates):
    """After a scoring with reward 0 the last admissible action is no longer offered."""

    _lost = False

    def score(self) -> Outcome:
        answer = self.inner.outcome()
        self._lost = answer.reward == 0.0
        return answer

    def step(self, action: str) -> Step:
        self._lost = False
        return super().step(action)

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._lost = False
        return super().reset(task_id, seed)

    def restore(self, snapshot: Any) -> None:
        self._lost = False
        super().restore(snapshot)

    def admissible_actions(self) -> tuple[str, ...]:
        offered = self.inner.admissible_actions()
        return offered[:-1] if self._lost else offered


class SwallowsTheNextAction(Mutates):
    """Nothing shows at once, but the action after a second scoring does nothing."""

    def step(self, action: str) -> Step:
        if self.asked >= 2:
            self.asked = 0
            return self.inner.step("do what is not possible here")
        self.asked = 0
        return super().step(action)


class BlanksTheNextObservation(Mutates):
    """The observation after a scored state is empty; the state itself is right."""

    def step(self, action: str) -> Step:
        step = super().step(action)
        scored, self.asked = self.asked > 0, 0
        return Step("", step.done, step.valid) if scored else step


class MarksTheDescription(Mutates):
    """What a judge reads of a state in some tasks tells how often it was scored."""

    def describe(self) -> str:
        text = self.inner.describe()
        return f"{text}\nscored {self.asked} times" if self.chosen() and self.asked else text


class CountsQuietly(Mutates):
    """Keeps a count that nothing shows and nothing depends on: harmless."""

    harmless = True

    def score(self) -> Outcome:
        self.shared["count"] = self.shared.get("count", 0) + 1
        return self.inner.outcome()
