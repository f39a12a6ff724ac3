"""Which environment is audited: the study's, or one that the command line names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import Field

from repairstudy.checked import validate
from repairstudy.config.sections import EnvironmentSection, Positive
from repairstudy.config.study import OutcomesConfig, StudyConfig
from repairstudy.errors import ConfigError

COMMAND_LINE = "--config environment"


class AuditedEnvironment(EnvironmentSection):
    """An environment to audit, without a study around it."""

    budget: Positive = Field(default=20, description="Actions an episode may take in all.")


def audited_environment(
    study: StudyConfig | OutcomesConfig, given: Mapping[str, Any] | None
) -> EnvironmentSection | None:
    """The environment to audit; None: the study has none and none is given.

    Args:
        given: what ``--config environment=...`` holds. Snakemake reads every value in it as text,
            and lays it over the study's own environment; taken by itself and typed as YAML types
            it, it is what was written.

    Raises:
        ConfigError: what is given is no mapping with a name, or has an unknown key.
    """
    named = named_environment(given)
    if named is not None:
        return named
    return None if isinstance(study, OutcomesConfig) else study.environment


def named_environment(given: Mapping[str, Any] | None) -> AuditedEnvironment | None:
    """What ``--config environment=...`` names; asked before the study, over which it is laid.

    Raises:
        ConfigError: as `audited_environment`.
    """
    if given is None:
        return None
    content = typed(given)
    if not isinstance(content, dict):
        raise ConfigError(f"{COMMAND_LINE}: {given!r}; accepted: {{name: NAME, options: {{...}}}}")
    return validate(AuditedEnvironment, content, COMMAND_LINE)


def typed(value: Any) -> Any:
    """Texts inside a value as what YAML takes them for: "12" -> 12, "true" -> True, "" -> None."""
    if isinstance(value, Mapping):
        return {str(key): typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [typed(item) for item in value]
    if not isinstance(value, str):
        return value
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value
