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
