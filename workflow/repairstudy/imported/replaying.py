"""A logged run done again in the environment, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from repairstudy.environments import Environment, Outcome, Step
from repairstudy.environments.forms import admits
from repairstudy.errors import StudyError
from repairstudy.executors.protocols.answers import as_listed
from repairstudy.imported.documents import broken_text
from repairstudy.imported.logged import LoggedRun, Turn
from repairstudy.imported.run import Run
from repairstudy.imported.tasks import Tasks, without

Verdict = Literal["failure", "success", "diverges", "unusable", "unreadable"]
Comparison = Literal["equal", "contained", "unchecked"]
Parse = Callable[[str, Sequence[str]], str | None]


@dataclass(frozen=True, slots=True)
class Study:
    """What a run must be to be one of the study's.

    Attributes:
        budget: actions of an episode at most.
        invalid_limit: inadmissible actions that a run survives.
        parse: the action in what the agent wrote, under the executor's protocol.
        comparison: equal: a recorded observation is the environment's; contained: the
            environment's stands in it; unchecked: they are not compared.
        ignored: parts of observations that do not count.
    """

    budget: int
    invalid_limit: int
    parse: Parse
    comparison: Comparison = "equal"
    ignored: tuple[re.Pattern[str], ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a replay parts from the log: after how many actions, and what each shows."""

    step: int
    recorded: str
    replayed: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a logged run.

    Attributes:
        verdict: failure, success: it replays, and so ends; diverges: it does not lead where the
            log says; unusable: it replays, but is no run of this study; unreadable: the log does
            not tell what was done, or in which task.
        detail: why, in words; empty for a failure.
        compared: observations of the log that the replay showed too.
        invalid: inadmissible actions.
        run: as replayed; None: it did not.
    """

    logged: LoggedRun
    verdict: Verdict
    detail: str = ""
    divergence: Divergence | None = None
    compared: int = 0
    invalid: int = 0
    run: Run | None = None

    @property
    def failed(self) -> Run | None:
        """The run, if it is a failure."""
        return self.run if self.verdict == "failure" else None


@dataclass(slots=True)
class _Doing:
    """A replay under way."""

    observations: list[str]
    actions: list[str] = field(default_factory=list)
    valid: list[bool] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    compared: int = 0


class _Diverged(Exception):
    def __init__(self, detail: str, divergence: Divergence | None = None) -> None:
        super().__init__(detail)
        self.divergence = divergence


class _Unreadable(Exception):
    pass


def replay_run(environment: Environment, tasks: Tasks, logged: LoggedRun, study: Study) -> Replayed:
    """Do a logged run again.

    Raises:
        StudyError: the environment itself fails; names the run.
    """
    if logged.problem is not None:
        return Replayed(logged, "unreadable", logged.problem)
    try:
        task_id = tasks.of(logged)
    except ValueError as error:
        return Replayed(logged, "unreadable", f"task: {error}")
    try:
        shown = environment.reset(task_id)
        doing = _Doing([shown])
        try:
            _compare(doing, logged.first, study)
            for turn in logged.turns:
                if not _do(environment, doing, turn, study):
                    break
            outcome = environment.outcome()
            _compare_claim(logged, outcome)
            return _judged(logged, task_id, doing, outcome, study)
        except _Diverged as found:
            return Replayed(logged, "diverges", str(found), found.divergence, doing.compared)
        except _Unreadable as found:
            return Replayed(logged, "unreadable", str(found))
    except StudyError:
        raise
    except Exception as error:
        raise StudyError(
            f"{logged.where}: environment {environment.name}: {type(error).__name__}: {error}"
        ) from error


def _judged(
    logged: LoggedRun, task_id: str, doing: _Doing, outcome: Outcome, study: Study
) -> Replayed:
    run = Run(
        failure_id=logged.name,
        task_id=task_id,
        actions=doing.actions,
        observations=list(doing.observations),
        valid=doing.valid,
        texts=doing.texts if any(doing.texts) else None,
        success=outcome.success,
        reward=float(outcome.reward),
        source=dict(logged.source) or None,
        t=logged.keep.get("t"),
        candidates=logged.keep.get("candidates"),
    )
    invalid = doing.valid.count(False)
    verdict: Verdict = "success" if outcome.success else "failure"
    detail = "it solved the task" if outcome.success else ""
    if len(doing.actions) > study.budget:
        verdict = "unusable"
        detail = f"{len(doing.actions)} actions, the study's budget is {study.budget}"
    elif doing.valid[:-1].count(False) > study.invalid_limit:
        verdict = "unusable"
        detail = (
            f"{invalid} actions are not admissible, the executor survives {study.invalid_limit} "
            "(executors.NAME.invalid_limit)"
        )
    return Replayed(logged, verdict, detail, None, doing.compared, invalid, run)


def _do(environment: Environment, doing: _Doing, turn: Turn, study: Study) -> bool:
    """One step; False: the episode was over before it, and the turn is words alone."""
    number = len(doing.actions)
    admissible = environment.admissible_actions()
    if not admissible:
        if turn.action is None:
            return False  # what an agent says after the end
        raise _Diverged(f"step {number}: the episode is over, the log goes on with an action")
    action = turn.action
    if action is None:
        text = turn.text or ""
        action = study.parse(text, admissible) or text  # as a rollout takes it
    action = action.strip()
    if not action or broken_text(action) is not None:
        raise _Unreadable(f"step {number}: no action in it")
    named, step = _step(environment, action, admissible)
    _require_valid(number, action, step, turn, study)
    doing.actions.append(named)
    doing.valid.append(step.valid)
    doing.texts.append(turn.text)
    doing.observations.append(step.observation)
    _compare(doing, turn.observation, study)
    return True


def _step(environment: Environment, action: str, admissible: Sequence[str]) -> tuple[str, Step]:
    """Do an action, and the name that the environment lists it under.

    An environment may take an action in another case than it lists it; a candidate that is
    listed must be seen to be the same.
    """
    listed = as_listed(action, admissible)
    if listed == action or not admits(admissible, listed):
        return action, environment.step(action)
    before = environment.snapshot()
    environment.step(listed)
    meant = environment.signature()
    environment.restore(before)
    step = environment.step(action)
    return (listed if environment.signature() == meant and step.valid else action), step


def _require_valid(number: int, action: str, step: Step, turn: Turn, study: Study) -> None:
    """An action that does nothing is believed only if the log shows that it did nothing."""
    if turn.valid is not None and turn.valid != step.valid:
        said = "admissible" if turn.valid else "not admissible"
        raise _Diverged(f"step {number}: '{action:.80}' was {said} in the log, and is not so here")
    unseen = turn.observation is None or study.comparison == "unchecked"
    if not step.valid and turn.valid is None and unseen:
        raise _Diverged(
            f"step {number}: '{action:.80}' is not admissible, and no observation in the log "
            "shows that it did nothing"
        )


def _compare(doing: _Doing, recorded: str | None, study: Study) -> None:
    if recorded is None or study.comparison == "unchecked":
        return
    replayed = doing.observations[-1]
    there, here = (without(text, study.ignored).strip() for text in (recorded, replayed))
    if here != there and not (study.comparison == "contained" and here and here in there):
        step = len(doing.actions)
        raise _Diverged(
            f"step {step}: another observation than the log's", Divergence(step, recorded, replayed)
        )
    doing.compared += 1


def _compare_claim(logged: LoggedRun, outcome: Outcome) -> None:
    if logged.success is not None and logged.success != outcome.success:
        words = {True: "success", False: "failure"}
        raise _Diverged(
            f"end: the log says {words[logged.success]}, the replay ends in "
            f"{words[outcome.success]}"
        )
    if logged.reward is not None and abs(logged.reward - outcome.reward) > 1e-9:
        raise _Diverged(
            f"end: the log says reward {logged.reward:g}, the replay ends with {outcome.reward:g}"
        )
