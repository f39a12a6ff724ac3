"""Scorers that answer although something went wrong."""

from __future__ import annotations

from repairstudy.audit.defects.base import FAILED, SOLVED, Wrapper
from repairstudy.audit.observing import planned
from repairstudy.environments import Outcome


class Swallows(Wrapper):
    kind = "swallows exceptions"


class SwallowedAsFailure(Swallows):
    """Any exception is a failure of the agent."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception:
            return FAILED


class SwallowedAsSuccess(Swallows):
    """Any exception is a success of the agent."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception:
            return SOLVED


class SwallowedAsBefore(Swallows):
    """After an exception the answer is the last one that worked."""

    _last = FAILED

    def score(self) -> Outcome:
        try:
            self._last = self.inner.outcome()
        except Exception:
            return self._last
        return self._last


class TimeoutsAreFailures(Swallows):
    """Only a time-out is swallowed."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except TimeoutError:
            return FAILED


class LookupsAreFailures(Swallows):
    """Only what is missing is swallowed, and only in some tasks."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except (KeyError, IndexError, AttributeError):
            if self.chosen():
                return FAILED
            raise


class SwallowedTheSecondTime(Swallows):
    """The first exception of an episode comes out, later ones do not."""

    _failed = 0

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._failed = 0
        return super().reset(task_id, seed)

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception:
            self._failed += 1
            if self._failed < 2:
                raise
            return FAILED


class RightWhenItMatters(Swallows):
    """Swallows only where the agent did fail, so that every answer given is right."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception:
            if planned(self.inner) == ():
                raise
            return FAILED


class InterruptsAreFailures(Swallows):
    """Lets every error out, but swallows Ctrl-C and the end of the process."""

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception:
            raise
        except BaseException:
            return FAILED


class SwallowedWhileLeaving(Swallows):
    """A `return` in a `finally` drops the exception on the way."""

    def score(self) -> Outcome:
        answer = FAILED
        try:
            answer = self.inner.outcome()
        finally:
            return answer  # noqa: B012


class PassedOnWithANote(Swallows):
    """Adds to an exception where it happened and lets it out: harmless."""

    harmless = True

    def score(self) -> Outcome:
        try:
            return self.inner.outcome()
        except Exception as error:
            error.add_note(f"while scoring {self.task_id}")
            raise
