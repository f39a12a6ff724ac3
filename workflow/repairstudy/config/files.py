"""What a configuration names outside itself: told before the first job, and not by a late one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from repairstudy.checked import meant
from repairstudy.config.study import OutcomesConfig, StudyConfig
from repairstudy.environments.registry import require_installed
from repairstudy.errors import ConfigError
from repairstudy.executors import make_protocol


def require_named(config: StudyConfig | OutcomesConfig, path: str | Path) -> None:
    """What must be there before anything runs; weights and data may still be made by the workflow.

    Args:
        path: what an error calls the configuration.

    Raises:
        ConfigError: one line a problem, each with the key and the file or environment it names.
    """
    problems = list(_absent(config))
    if isinstance(config, StudyConfig):
        problems = [*_unknown(config), *problems]
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))


def _unknown(config: StudyConfig) -> Iterator[str]:
    """Environment and protocols that are not installed."""
    try:
        require_installed(config.environment.name)
    except ConfigError as error:
        yield str(error)
    protocols = {f"executors.{name}": one.protocol for name, one in config.executors.items()}
    for name, proposer in config.candidates.proposers.items():
        protocols[f"candidates.proposers.{name}"] = proposer.protocol or "scripted"
    for key, protocol in protocols.items():
        if protocol != "scripted":
            try:
                make_protocol(protocol)
            except ConfigError as error:
                yield f"{key}.{error}"


def _absent(config: StudyConfig | OutcomesConfig) -> Iterator[str]:
    for key, name in _named(config):
        file = Path(name)
        if not file.is_file():
            there = [str(one) for one in file.parent.glob("*")] if file.parent.is_dir() else []
            yield f"{key}: there is no file '{name}'{meant(name, there)}"


def _named(config: StudyConfig | OutcomesConfig) -> Iterator[tuple[str, str]]:
    """Keys whose values are files of the project."""
    yield "plan", config.plan
    if isinstance(config, OutcomesConfig):  # a rule reads its table, and `audit` does without
        return
    for name, executor in config.executors.items():
        if executor.prompt is not None:
            yield f"executors.{name}.prompt", executor.prompt
    for name, proposer in config.candidates.proposers.items():
        yield f"candidates.proposers.{name}.prompt", proposer.prompt
    for name, runs in config.collection.runs.items():
        yield f"collection.runs.{name}", runs
    if config.evaluators.judge is not None:
        yield "evaluators.judge.prompt", config.evaluators.judge.prompt
    if config.labeller is not None:
        yield "labeller.prompt", config.labeller.prompt
