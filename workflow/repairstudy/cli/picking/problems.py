"""A failed run as arms to be rolled out, every step restored by replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repairstudy.candidates.merge import candidate_id
from repairstudy.candidates.propose import random_proposals
from repairstudy.candidates.situation import Situation
from repairstudy.cli.picking.failures import Candidate, named
from repairstudy.environments import Environment
from repairstudy.environments.forms import admits, closed
from repairstudy.environments.replay import replay_steps
from repairstudy.errors import ConfigError, ReplayMismatch
from repairstudy.evaluators.work import Arm
from repairstudy.imported import Line, Run


@dataclass(frozen=True, slots=True)
class Problem:
    """The arms of one failure: the original action of each step, then the candidates."""

    failure_id: str
    task_id: str
    arms: tuple[Arm, ...]

    @property
    def candidates(self) -> list[int]:
        """The arms that may be chosen, in the order in which they were named."""
        return [place for place, arm in enumerate(self.arms) if not arm.is_original]

    @property
    def original_of(self) -> Mapping[int, int]:
        """For each candidate the arm of the original action at its step."""
        at = {arm.situation.t: place for place, arm in enumerate(self.arms) if arm.is_original}
        return {place: at[self.arms[place].situation.t] for place in self.candidates}


def problem_of(environment: Environment, line: Line, budget: int, most: int, seed: int) -> Problem:
    """The arms of a failed run.

    Without named candidates they are the admissible actions at its step, or `most` random ones.

    Args:
        budget: actions of an episode.
        seed: of the draw of admissible actions.

    Raises:
        ConfigError: names the line and the field: an unknown task, a step that the run does not
            reach, a candidate that is not admissible or no other action than the original.
    """
    where, run = line.where, line.run
    given = named(run)
    steps = sorted({run.t or 0} if given is None else {one.t for one in given})
    here = {t: _situation(environment, where, run, t, budget) for t in steps}
    if given is None:
        given = _admissible(here[steps[0]], most, seed)
    candidates = []
    for t, action in given:
        if not admits(here[t].admissible, action):
            listed = ", ".join(here[t].admissible)
            raise ConfigError(
                f"{where}: candidates: '{action}' is not admissible at step {t} ({listed:.300})"
            )
        if action != here[t].original:
            candidates.append(Candidate(t, action))
    if not candidates:
        raise ConfigError(f"{where}: candidates: none is another action than the original")
    originals = [
        Candidate(t, here[t].original) for t in steps if any(one.t == t for one in candidates)
    ]
    arms = [
        Arm(here[t], candidate_id(run.failure_id, t, action), action, place < len(originals))
        for place, (t, action) in enumerate([*originals, *candidates])
    ]
    return Problem(run.failure_id, run.task_id, tuple(arms))


def _admissible(situation: Situation, most: int, seed: int) -> list[Candidate]:
    others = [one for one in closed(situation.admissible) if one != situation.original]
    if len(others) > most:
        others = random_proposals(situation, most, seed)["action"].to_list()
    return [Candidate(situation.t, action) for action in others]


def _situation(environment: Environment, where: str, run: Run, t: int, budget: int) -> Situation:
    if t >= budget:
        raise ConfigError(f"{where}: t: step {t} is beyond the study's budget of {budget} actions")
    prefix = tuple(run.actions[:t])
    seen = run.observations[t] if run.observations else None
    try:
        replayed = replay_steps(
            environment, run.task_id, prefix, expected_observation=seen, label=f"step {t}"
        )
    except ReplayMismatch as error:
        raise ConfigError(f"{where}: actions: {error}") from error
    admissible = environment.admissible_actions()
    if not admissible:
        raise ConfigError(f"{where}: actions: the episode is over before step {t}")
    return Situation(
        failure_id=run.failure_id,
        t=t,
        slack=budget - t,
        task_id=run.task_id,
        prefix=prefix,
        original=run.actions[t],
        instruction=environment.instruction(),
        observations=replayed.observations,
        drawing=environment.describe(),
        signature=environment.signature(),
        admissible=admissible,
    )


def problems_of(
    environment: Environment, lines: list[Line], budget: int, most: int, seed: int
) -> list[Problem]:
    """As `problem_of`, for all lines."""
    tasks = frozenset(environment.tasks())
    for line in lines:
        task = line.run.task_id
        if task not in tasks:
            raise ConfigError(
                f"{line.where}: task_id: environment {environment.name} has no task '{task}' "
                f"(it has {len(tasks):,}, such as '{next(iter(environment.tasks()), '')}')"
            )
    return [problem_of(environment, line, budget, most, seed) for line in lines]
