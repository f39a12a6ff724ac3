"""From a checked configuration to the objects it describes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from repairstudy.candidates.propose import Proposer
from repairstudy.config.devices import gpus_of
from repairstudy.config.sections import ExecutorSection, ModelSection
from repairstudy.config.servers import read_record, record_path
from repairstudy.config.study import StudyConfig
from repairstudy.engines import Engine
from repairstudy.engines.distributions import Distributions
from repairstudy.engines.factory import checkpoint_fingerprint, open_engine
from repairstudy.engines.fingerprint import Reference
from repairstudy.environments import Environment, make_environment
from repairstudy.errors import ConfigError
from repairstudy.executors import (
    Decoding,
    Executor,
    InvalidActions,
    ModelIdentity,
    make_protocol,
)
from repairstudy.executors.markup import marked_up
from repairstudy.executors.scripted import Policy, make_policy
from repairstudy.records import digest
from repairstudy.rollouts import Actor, Limits, ModelActor, ScriptedActor

GREEDY, LOW_TEMPERATURE, OTHER_SEEDS = "greedy", "0.3", "other_seeds"


def environment_of(config: StudyConfig) -> Environment:
    return make_environment(config.environment.name, config.environment.options)


def prompt_text(path: str) -> str:
    """The text of a prompt template file; the newline that ends the file is no part of it.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"prompt {path}: cannot be read ({error})") from error


def template_of(path: str, model: ModelSection) -> str:
    """A prompt template as a model gets it, in the markup of its chats.

    Raises:
        ConfigError: the file cannot be read.
    """
    return marked_up(prompt_text(path), model.chat)


def model_identity(config: StudyConfig, name: str) -> ModelIdentity:
    """Who a model is: the hash of a checkpoint's files, or what was recorded of its server.

    Raises:
        DataError: the checkpoint is missing, or nothing is recorded of the server yet.
    """
    section = config.models[name]
    if section.kind == "simulated":
        return ModelIdentity(name, section.revision, digest(section.parameters))
    if section.kind == "scripted":
        policy = policy_of(section)
        return ModelIdentity(name, policy.version, digest(section.parameters))
    if section.kind == "openai":
        fingerprint = read_record(record_path(config, name)).hash
        return ModelIdentity(section.served_name or name, section.revision, fingerprint)
    assert section.path is not None  # checked by parse_study
    return ModelIdentity(name, section.revision, _weights(section.path))


def policy_of(section: ModelSection) -> Policy:
    """The rule behind a scripted model."""
    parameters = dict(section.parameters)
    return make_policy(str(parameters.pop("policy", None)), parameters)


def engine_of(config: StudyConfig, model: str, log: str | Path) -> Engine:
    """The engine of a model, behind the store of its action distributions.

    A server is started only when something is asked that is not stored yet.
    """
    section = config.models[model]
    engine = open_engine(
        kind=section.kind,
        path=section.path,
        url=section.url,
        served_name=section.served_name or (model if section.kind == "openai" else None),
        api_key_env=section.api_key_env,
        api_key_file=section.api_key_file,
        reference=_reference(config, model),
        python=section.python,
        device=section.device,
        threads=section.threads,
        servers=section.servers,
        gpus=_gpus_of_each(model, section),
        restarts=section.restarts,
        silence=section.silence,
        max_model_len=section.max_model_len,
        arguments=(*section.arguments, *_revision_arguments(section)),
        concurrency=section.concurrency,
        timeout=section.timeout,
        patience=section.patience,
        parameters=section.parameters,
        chat=section.chat == "messages",
        log=log,
    )
    folder = Path(config.cache) / "distributions"
    return Distributions(folder, model_identity(config, model), engine)


@lru_cache
def _weights(path: str) -> str:
    """A job asks for many executors of one model; its weights are read and hashed once."""
    return checkpoint_fingerprint(path)


def _reference(config: StudyConfig, name: str) -> Reference | None:
    """The model that standing servers must have: the one that was recorded for this study."""
    section = config.models[name]
    if section.kind != "openai":
        return None
    path = record_path(config, name)
    return Reference(read_record(path), str(path), section.fingerprint == "strict")


def _gpus_of_each(name: str, section: ModelSection) -> int | None:
    """GPUs of each of several servers; a single one may take all that it sees."""
    if section.servers == 1:
        return section.gpus
    return gpus_of(name, section) // section.servers or None


def _revision_arguments(section: ModelSection) -> tuple[str, ...]:
    """vLLM fetches a model of the hub in the revision that the identity records."""
    from_hub = section.kind == "vllm" and section.path and not Path(section.path).exists()
    return ("--revision", section.revision) if from_hub else ()


def decoding_of(section: ExecutorSection) -> Decoding:
    return Decoding(**section.decoding.model_dump())


def executor_of(config: StudyConfig, name: str) -> Executor:
    """The executor of that name; `NAME@greedy` and `NAME@0.3` are its decoding variants."""
    base_name, _, variant = name.partition("@")
    section = config.executors[base_name]
    model = config.models[section.model]
    base = Executor(
        name=base_name,
        model=model_identity(config, section.model),
        protocol=section.protocol,
        template=template_of(section.prompt, model) if section.prompt else "",
        decoding=decoding_of(section),
        invalid_actions=InvalidActions(section.invalid_limit),
    )
    if variant == GREEDY:
        return base.variant(name, temperature=0.0)
    if variant == LOW_TEMPERATURE:
        return base.variant(name, temperature=0.3)
    return base


def executor_names(config: StudyConfig) -> dict[str, str]:
    """Every executor that a study runs, variants included, with its role."""
    names: dict[str, str] = {}
    for deployed in config.deployed:
        names[deployed] = "deployed"
        if config.evaluators.greedy:
            names[f"{deployed}@{GREEDY}"] = "variant"
        if config.evaluators.low_temperature:
            names[f"{deployed}@{LOW_TEMPERATURE}"] = "variant"
    for name in config.evaluators.executors:
        names.setdefault(name, "evaluator")
    return names


def actor_of(config: StudyConfig, executor: Executor, engine: Engine) -> Actor:
    """The executor that acts, with the engine of its model."""
    model = config.models[config.executors[executor.name.partition("@")[0]].model]
    if model.kind == "scripted":
        return ScriptedActor(executor, policy_of(model))
    return ModelActor(executor, make_protocol(executor.protocol), engine)


def proposer_of(config: StudyConfig, source: str, engine: Engine) -> Proposer:
    """The proposing model of that source name."""
    section = config.candidates.proposers[source]
    model, decoding = config.models[section.model], Decoding(**section.decoding.model_dump())
    template, actor = template_of(section.prompt, model), None
    if section.protocol is not None:
        identity = model_identity(config, section.model)
        executor = Executor(source, identity, section.protocol, template, decoding)
        actor = ModelActor(executor, make_protocol(section.protocol), engine)
    return Proposer(source, engine, template, decoding, actor)


def limits_of(config: StudyConfig) -> Limits:
    """What a run of rollouts may use.

    Every request has time-outs of its own; that of a decision is for what they do not see, and
    must not cut a request short that its model may take.
    """
    longest = max((m.timeout + m.patience for m in config.models.values()), default=0.0)
    return Limits(
        max_in_flight=config.rollouts.max_in_flight,
        retries=config.rollouts.retries,
        decision_timeout_s=max(600.0, 2.0 * longest),
        environment_timeout_s=config.rollouts.environment_timeout,
    )
