"""What must hold across the sections of a study's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from repairstudy.checked import meant
from repairstudy.config import sections as s


class Sections(Protocol):
    """The sections that refer to each other."""

    models: dict[str, s.ModelSection]
    executors: dict[str, s.ExecutorSection]
    pools: dict[str, s.PoolSection]
    collection: s.CollectionSection
    candidates: s.CandidatesSection
    evaluators: s.EvaluatorsSection
    labeller: s.LabellerSection | None


def problems_of(config: Sections) -> list[str]:
    """What is wrong, one line each, beginning with the key."""
    dangling = list(_dangling_references(config))
    return dangling or [
        *_model_problems(config),
        *_scripted_problems(config),
        *_wordless_problems(config),
        *_twin_problems(config),
        *_imported_problems(config),
    ]


def _dangling_references(config: Sections) -> Iterator[str]:
    for key, value, known in _references(config):
        if value not in known:
            defined = ", ".join(sorted(known)) or "none"
            yield f"{key}: '{value}' is not defined{meant(value, known)} (defined: {defined})"


def _references(config: Sections) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Each key that names an entry of another section: the key, the name, and that section."""
    for key, model, _ in _askers(config):
        yield f"{key}.model", model, config.models
    for name, pool in config.pools.items():
        yield f"pools.{name}.deployed", pool.deployed, config.executors
    for name, evaluator in config.evaluators.executors.items():
        yield f"evaluators.executors.{name}", name, config.executors
        for pool_name in evaluator.pools or ():
            yield f"evaluators.executors.{name}.pools", pool_name, config.pools


def _askers(config: Sections) -> Iterator[tuple[str, str, str]]:
    """Whoever asks a model: its key, the model, and its decoding mode; the executors first."""
    for name, executor in config.executors.items():
        yield f"executors.{name}", executor.model, executor.decoding.mode
    for name, proposer in config.candidates.proposers.items():
        yield f"candidates.proposers.{name}", proposer.model, proposer.decoding.mode
    if config.evaluators.judge:
        yield "evaluators.judge", config.evaluators.judge.model, "text"
    if config.labeller:
        yield "labeller", config.labeller.model, "text"


def _model_problems(config: Sections) -> Iterator[str]:
    needed = {"vllm": "path", "transformers": "path", "openai": "url"}
    for name, model in config.models.items():
        key = needed.get(model.kind)
        if key and getattr(model, key) is None:
            yield f"models.{name}.{key}: required for kind {model.kind}"
        if model.chat == "messages" and model.kind != "openai":
            yield f"models.{name}.chat: messages needs kind openai"
        if model.api_key_env is not None and model.api_key_file is not None:
            yield f"models.{name}.api_key_file: give this or api_key_env, not both"
    for name, evaluator in config.evaluators.executors.items():
        if evaluator.equal_budget is not None and evaluator.equal_budget > evaluator.rollouts:
            yield (
                f"evaluators.executors.{name}.equal_budget: {evaluator.equal_budget} is more than "
                f"its {evaluator.rollouts} rollouts"
            )


def _scripted_problems(config: Sections) -> Iterator[str]:
    scripted = {
        name
        for name, executor in config.executors.items()
        if config.models[executor.model].kind == "scripted"
    }
    for name, executor in config.executors.items():
        if name in scripted and executor.protocol != "scripted":
            yield f"executors.{name}.protocol: a scripted model has none; leave it out"
        if name not in scripted and (executor.prompt is None or executor.protocol == "scripted"):
            yield f"executors.{name}: `protocol` and `prompt` are required"
    variants = config.evaluators.greedy or config.evaluators.low_temperature
    for name, pool in config.pools.items():
        if pool.deployed in scripted and variants:
            yield (
                f"pools.{name}.deployed: '{pool.deployed}' is scripted and has no temperature; set "
                "evaluators.greedy and evaluators.low_temperature to 0"
            )
    for key, model, _ in _askers(config):
        if config.models[model].kind == "scripted" and not key.startswith("executors."):
            yield f"{key}.model: a scripted model writes no text"


def _wordless_problems(config: Sections) -> Iterator[str]:
    """A model that scores choices is asked for nothing else."""
    for key, model, mode in _askers(config):
        if config.models[model].kind == "transformers" and mode == "text":
            yield f"{key}.model: kind transformers writes no text; use kind vllm or openai"


def _imported_problems(config: Sections) -> Iterator[str]:
    deployed = dict.fromkeys(pool.deployed for pool in config.pools.values())
    for name in config.collection.runs:
        if name not in deployed:
            yield f"collection.runs.{name}: no pool deploys it (deployed: {', '.join(deployed)})"


def _twin_problems(config: Sections) -> Iterator[str]:
    """Two names of one executor would be the same draws under two names."""
    first: dict[str, str] = {}
    for name, executor in config.executors.items():
        same = first.setdefault(executor.model_dump_json(), name)
        if same != name:
            yield f"executors.{name}: the same executor as '{same}'; keep one of them"
