"""YAML files as checked models: strict fields, and errors a user can act on.

Used by the configuration and by the analysis plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from repairstudy.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)


class Section(BaseModel):
    """A part of a file: unknown keys are errors, values are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        ConfigError: the file is missing, is no YAML, or holds no mapping.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds no mapping of keys to values")
    return content


def validate(model: type[Model], content: Mapping[str, Any], path: str | Path) -> Model:
    """The content as a checked model.

    Raises:
        ConfigError: one line a problem, each with the file, the key and what is accepted there.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        problems = [_explain(model, dict(item)) for item in error.errors()]
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems)) from None


def _explain(model: type[BaseModel], item: dict[str, Any]) -> str:
    location = item["loc"]
    key = ".".join(str(part) for part in location) or "(top level)"
    if item["type"] == "extra_forbidden":
        accepted = _accepted_keys(model, location[:-1])
        return f"{key}: unknown key" + (f" (accepted: {accepted})" if accepted else "")
    if item["type"] == "missing":
        return f"{key}: required and missing"
    problem = str(item["msg"]).removeprefix("Value error, ")
    found = item.get("input")
    return f"{key}: {problem}" + ("" if isinstance(found, dict) else f" (found {found!r:.80})")


def _accepted_keys(model: type[BaseModel], location: tuple[Any, ...]) -> str:
    """The keys accepted at a location, as far as the models' types tell."""
    current: Any = model
    for part in location:
        if part not in current.model_fields:
            continue  # a key of a mapping or a place in a list, whose section we are in already
        current = _section_in(current.model_fields[part].annotation)
        if current is None:
            return ""
    return ", ".join(current.model_fields)


def _section_in(annotation: Any) -> Any:
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    for argument in getattr(annotation, "__args__", ()):
        found = _section_in(argument)
        if found is not None:
            return found
    return None
