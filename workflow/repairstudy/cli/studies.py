"""The configuration that a command is given."""

from __future__ import annotations

from pathlib import Path

from repairstudy.config import StudyConfig, parse_study, read_yaml
from repairstudy.config.files import require_named
from repairstudy.errors import ConfigError


def read_study(path: str | Path) -> StudyConfig:
    """A study that runs rollouts.

    Raises:
        ConfigError: it cannot be read, names files that are not there, or is a study of outcomes
            made elsewhere.
    """
    study = parse_study(read_yaml(path), path)
    if not isinstance(study, StudyConfig):
        raise ConfigError(f"{path}: outcomes made elsewhere cost no rollouts")
    require_named(study, path)
    return study


def executor_named(study: StudyConfig, name: str | None, options: str = "--executor") -> str:
    """The executor that is meant; None: the only one that the study deploys.

    Args:
        options: by which it can be named.

    Raises:
        ConfigError: there is no such executor, or none is named and several are deployed.
    """
    if name is None:
        if len(study.deployed) > 1:
            raise ConfigError(f"give {options}: the study deploys {', '.join(study.deployed)}")
        return study.deployed[0]
    if name not in study.executors:
        known = ", ".join(study.executors)
        raise ConfigError(f"--executor: no executor '{name}' (known: {known})")
    return name
