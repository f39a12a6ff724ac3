"""How long a study's prompts are: its own templates, filled along a few random episodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from repairstudy.candidates.situation import Situation
from repairstudy.cli.predicted.assumptions import Assumptions
from repairstudy.config import StudyConfig
from repairstudy.config.build import environment_of, template_of
from repairstudy.environments import Environment
from repairstudy.environments.exact import Enumerable, distinct_situations
from repairstudy.environments.forms import closed, is_form
from repairstudy.executors import make_protocol
from repairstudy.records import generator
from repairstudy.records.text import fill

EPISODES = 12
_BLANK = re.compile(r"<[a-z ]+>")


@dataclass(frozen=True)
class Sizes:
    """Means over random episodes of some tasks; prompts of mode "choice" with one draw each.

    Attributes:
        admissible: actions that can be listed at a step.
        situations: distinct prompts of a memoryless executor; 0 where they cannot be listed.
        early, late: tokens of an executor's prompt by name, over all steps and over those that
            follow a typical position.
        proposer: tokens of a proposer's prompt by source.
        judge: tokens of the judge's prompt; 0 without a judge.
    """

    admissible: float
    situations: int
    early: dict[str, float]
    late: dict[str, float]
    proposer: dict[str, float]
    judge: float


def given(study: StudyConfig, tokens: float) -> Sizes:
    """The sizes if every prompt has that many tokens and no world is at hand to be looked at."""
    executors = dict.fromkeys(study.executors, tokens)
    proposers = dict.fromkeys(study.candidates.proposers, tokens)
    return Sizes(float("inf"), 0, executors, executors, proposers, tokens)


def typical_position(study: StudyConfig) -> float:
    """The mean step that is repaired if a failed run uses up its budget."""
    return (study.environment.budget - study.positions.slack) / 2


def measure(study: StudyConfig, assumed: Assumptions, episodes: int = EPISODES) -> Sizes:
    """Play, and fill the study's templates with what is seen.

    Raises:
        StudyError: the environment's data or a prompt file are not in place.
    """
    environment = environment_of(study)
    seen = list(_played(environment, study, episodes))
    later = [one for one in seen if one.t >= typical_position(study)] or seen
    situations = 0
    if isinstance(environment, Enumerable):
        situations = len(distinct_situations(environment, environment.tasks()))
    return Sizes(
        admissible=fmean(len(closed(one.admissible)) for one in seen),
        situations=situations,
        early={name: _executor_tokens(study, name, seen, assumed) for name in study.executors},
        late={name: _executor_tokens(study, name, later, assumed) for name in study.executors},
        proposer={
            source: _proposer_tokens(study, source, seen, assumed)
            for source in study.candidates.proposers
        },
        judge=_judge_tokens(study, seen, assumed),
    )


def _played(environment: Environment, study: StudyConfig, episodes: int) -> Iterable[Situation]:
    tasks, budget = environment.tasks(), study.environment.budget
    rng = generator(study.seed, "cost", "episodes")
    for place in rng.permutation(len(tasks))[:episodes]:
        observations = [environment.reset(tasks[int(place)])]
        actions: list[str] = []
        while len(actions) < budget and (admissible := environment.admissible_actions()):
            choices = closed(admissible) or admissible
            action = _filled(choices[int(rng.integers(len(choices)))], environment.instruction())
            yield Situation(
                failure_id="", t=len(actions), slack=budget - len(actions),
                task_id=tasks[int(place)], prefix=tuple(actions), original=action,
                instruction=environment.instruction(), observations=tuple(observations),
                drawing=environment.describe(), signature="", admissible=admissible,
            )  # fmt: skip
            step = environment.step(action)
            observations.append(step.observation)
            actions.append(action)
            if step.done:
                break


def _filled(action: str, instruction: str) -> str:
    """A form with words of the task in its blank."""
    words = re.sub(r"[\[\]\n]", " ", instruction)[:60].strip() or "something"
    return _BLANK.sub(lambda _: words, action) if is_form(action) else action


def _executor_tokens(
    study: StudyConfig, name: str, seen: Iterable[Situation], assumed: Assumptions
) -> float:
    section = study.executors[name]
    if section.prompt is None:  # scripted
        return 0.0
    protocol = make_protocol(section.protocol)
    template = template_of(section.prompt, study.models[section.model])
    prompts = (protocol.prompt(template, one.view()) for one in seen)
    return _mean_tokens(study, section.model, prompts, assumed)


def _proposer_tokens(
    study: StudyConfig, source: str, seen: Iterable[Situation], assumed: Assumptions
) -> float:
    section = study.candidates.proposers[source]
    template = template_of(section.prompt, study.models[section.model])
    if section.protocol is None:
        prompts = [fill(template, one.slots()) for one in seen]
    else:
        protocol = make_protocol(section.protocol)
        prompts = [protocol.prompt(template, one.view()) for one in seen]
    return _mean_tokens(study, section.model, prompts, assumed)


def _judge_tokens(study: StudyConfig, seen: Iterable[Situation], assumed: Assumptions) -> float:
    section = study.evaluators.judge
    if section is None:
        return 0.0
    template = template_of(section.prompt, study.models[section.model])
    prompts = []
    for one in seen:
        shown = closed(one.admissible)[:5]
        slots = {"candidates": ", ".join(shown), "candidate_lines": "\n".join(shown)}
        prompts.append(fill(template, one.slots() | slots))
    return _mean_tokens(study, section.model, prompts, assumed)


def _mean_tokens(
    study: StudyConfig, model: str, prompts: Iterable[str], assumed: Assumptions
) -> float:
    if study.models[model].kind == "simulated":  # it counts words
        return fmean(len(prompt.split()) for prompt in prompts)
    return fmean(len(prompt) for prompt in prompts) / assumed.chars_per_token
