"""From counts to steps, model calls, tokens and hours, for each model and stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from repairstudy.cli.predicted.assumptions import Assumptions
from repairstudy.cli.predicted.counts import Shape, Wanted, wanted_rollouts
from repairstudy.cli.predicted.sizes import Sizes, typical_position
from repairstudy.config import StudyConfig
from repairstudy.config.devices import gpus_of
from repairstudy.engines.vllm_command import visible_gpus
from repairstudy.executors import make_protocol

SERVED = ("vllm", "transformers")  # kinds that take this machine's or the cluster's time
STAGES = ("distributions", "collect", "propose", "judge", "screen", "main", "fresh")
_SUMMED = ("rollouts", "steps", "calls", "tokens_in", "tokens_out")
Rate = tuple[float, float]  # prompt tokens and generated tokens a second


@dataclass(frozen=True, slots=True)
class Cost:
    """What one executor, proposer or judge takes in one stage.

    Attributes:
        rollouts: rollouts, collected runs, proposals or rankings.
        steps: actions that it takes.
        calls: questions that its model is really asked; a memoryless executor's rollouts sample
            from stored distributions.
        tokens_in, tokens_out: of the prompts and answers, as rollouts record them, stored
            distributions included.
        cached: how many of the rollouts the cache holds; they cost nothing more.
        planned: whether the rollouts are those of the study's own work list.
    """

    model: str
    stage: str
    who: str
    role: str
    rollouts: float
    steps: float
    calls: float
    tokens_in: float
    tokens_out: float
    cached: float = 0.0
    planned: bool = False

    def left(self) -> Cost:
        """The same without what is cached."""
        share = 1 - self.cached / self.rollouts if self.rollouts else 0.0
        return replace(self, **{name: getattr(self, name) * share for name in _SUMMED})

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMMED}
        return replace(self, **sums)


@dataclass(frozen=True, slots=True)
class Hours:
    """Of one job's machine: hours, and GPUs that it holds meanwhile."""

    hours: float
    gpus: int


def left_in_all(costs: Iterable[Cost]) -> dict[str, float]:
    """What is left of all parts together, by quantity."""
    left = [cost.left() for cost in costs]
    return {name: sum(getattr(cost, name) for cost in left) for name in _SUMMED}


def hours_in_all(hours: Iterable[Hours | None]) -> tuple[float, float]:
    """Hours of jobs without a GPU, and GPU hours; a model elsewhere counts for nothing."""
    told = [one for one in hours if one is not None]
    without = sum(one.hours for one in told if not one.gpus)
    return without, sum(one.hours * one.gpus for one in told)


def predict(study: StudyConfig, sizes: Sizes, shape: Shape, assumed: Assumptions) -> list[Cost]:
    """Every part of a study that costs something, before anything of it is known.

    One row a model, stage, executor and role, in the order of the stages.
    """
    merged: dict[tuple[str, str, str, str], Cost] = {}
    for cost in _parts(study, sizes, shape, assumed):
        key = (cost.model, cost.stage, cost.who, cost.role)
        merged[key] = merged[key].plus(cost) if key in merged else cost
    return sorted(merged.values(), key=lambda cost: (STAGES.index(cost.stage), cost.model))


def _parts(study: StudyConfig, sizes: Sizes, shape: Shape, assumed: Assumptions) -> Iterator[Cost]:
    for name in study.executors:
        if sizes.situations and is_memoryless(study, name):
            yield _asked(study, name, "distributions", "", sizes.situations, sizes.early[name], 1.0)
    for deployed in study.deployed:
        if deployed in study.collection.runs:
            continue  # made elsewhere
        runs = study.failures_wanted(deployed) / assumed.failing
        yield _acted(study, sizes, assumed, Wanted("collect", deployed, "collect", runs))
    failures = sum(study.failures_wanted(deployed) for deployed in study.deployed)
    for source, proposer in study.candidates.proposers.items():
        asked = failures * shape.positions * study.candidates.proposals
        answer = _answer(proposer.decoding.mode, proposer.decoding.max_tokens, assumed)
        tokens = sizes.proposer[source]
        yield _asked(study, source, "propose", "", asked, tokens, answer, proposer.model)
    judge = study.evaluators.judge
    if judge is not None:
        asked = failures * (shape.positions if judge.positions == "all" else 1)
        answer = assumed.answer * judge.max_tokens
        yield _asked(study, "judge", "judge", "", asked, sizes.judge, answer, judge.model)
    for wanted in wanted_rollouts(study, shape, assumed):
        if wanted.rollouts:
            yield _acted(study, sizes, assumed, wanted)


def is_memoryless(study: StudyConfig, name: str) -> bool:
    """Whether an executor's distributions can be asked for once, before any rollout."""
    section = study.executors[name]
    scripted = study.models[section.model].kind == "scripted"
    choice = section.decoding.mode == "choice"
    return not scripted and choice and make_protocol(section.protocol).memoryless


def hours_of(
    study: StudyConfig, costs: Iterable[Cost], rates: Mapping[str, Rate], assumed: Assumptions
) -> dict[tuple[str, str], Hours | None]:
    """By model and stage, the time of what is left to do; None: somebody else's machine.

    Args:
        rates: tokens a second of some models; others as assumed for their kind of machine.
    """
    groups: dict[tuple[str, str], list[Cost]] = {}
    for cost in costs:
        groups.setdefault((cost.model, cost.stage), []).append(cost)
    return {
        key: _hours(study, key[0], parts, rates.get(key[0]), assumed)
        for key, parts in groups.items()
    }


def _hours(
    study: StudyConfig, model: str, costs: list[Cost], rate: Rate | None, assumed: Assumptions
) -> Hours | None:
    section = study.models[model]
    if section.kind == "openai" and rate is None:
        return None
    left = [cost.left() for cost in costs]
    seconds = sum(cost.steps for cost in left) / assumed.environment_steps_per_s
    gpus = gpus_of(model, section) if section.device == "gpu" or visible_gpus() else 0
    calls = sum(cost.calls for cost in left)
    if calls and (section.kind in SERVED or rate is not None):
        prompt_rate, answer_rate = rate or _assumed_rate(gpus, assumed)
        asked = [cost for cost in left if cost.calls]  # stored distributions take no model's time
        asked_in, asked_out = (
            sum(getattr(c, n) for c in asked) for n in ("tokens_in", "tokens_out")
        )
        seconds += asked_in / prompt_rate + asked_out / answer_rate
        seconds += assumed.start_s if section.kind in SERVED else 0.0
    return Hours(seconds / 3600, gpus)


def _assumed_rate(gpus: int, assumed: Assumptions) -> Rate:
    if gpus:
        return gpus * assumed.gpu_prompt_tokens_per_s, gpus * assumed.gpu_answer_tokens_per_s
    return assumed.cpu_prompt_tokens_per_s, assumed.cpu_answer_tokens_per_s


def _acted(study: StudyConfig, sizes: Sizes, assumed: Assumptions, wanted: Wanted) -> Cost:
    """Rollouts of an executor; the forced action of a repair is no question to it."""
    base = wanted.executor.partition("@")[0]
    section, budget = study.executors[base], study.environment.budget
    collected = wanted.role == "collect"
    left = budget if collected else budget - typical_position(study)
    steps = max(1.0, assumed.steps * left)
    own_steps = steps if collected else steps - 1
    prompt = sizes.early[base] if collected else sizes.late[base]
    scripted = study.models[section.model].kind == "scripted"
    answer = (
        0.0 if scripted else _answer(section.decoding.mode, section.decoding.max_tokens, assumed)
    )
    stored = sizes.situations and is_memoryless(study, base)
    return Cost(
        model=section.model,
        stage=wanted.stage,
        who=wanted.executor,
        role=wanted.role,
        rollouts=wanted.rollouts,
        steps=wanted.rollouts * steps,
        calls=0.0 if stored or scripted else wanted.rollouts * own_steps,
        tokens_in=wanted.rollouts * own_steps * prompt,
        tokens_out=wanted.rollouts * own_steps * answer,
    )


def _asked(
    study: StudyConfig,
    who: str,
    stage: str,
    role: str,
    calls: float,
    prompt: float,
    answer: float,
    model: str | None = None,
) -> Cost:
    model = model or study.executors[who].model
    return Cost(model, stage, who, role, calls, 0.0, calls, calls * prompt, calls * answer)


def _answer(mode: str, max_tokens: int, assumed: Assumptions) -> float:
    return 1.0 if mode == "choice" else max(1.0, assumed.answer * max_tokens)
