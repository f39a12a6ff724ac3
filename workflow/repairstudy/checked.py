"""YAML files as checked models: strict fields, and errors a user can act on.

Used by the configuration and by the analysis plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
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
        raise ConfigError(f"{path}: not valid YAML: {_yaml_problem(error)}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds no mapping of keys to values")
    return content


def _yaml_problem(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return " ".join(str(error).split())
    tab = "; indent with spaces, not with tabs" if "'\\t'" in str(error.problem) else ""
    return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}{tab}"


def meant(word: object, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?", or nothing if no known word is like it."""
    close = get_close_matches(str(word), list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def validate(model: type[Model], content: Mapping[str, Any], path: str | Path) -> Model:
    """The content as a checked model.

    Raises:
        ConfigError: one line a problem, each with the file, the key and what is accepted there.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        listed: set[tuple[Any, ...]] = set()
        problems = [_explain(model, dict(item), listed) for item in error.errors()]
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems)) from None


def _explain(model: type[BaseModel], item: dict[str, Any], listed: set[tuple[Any, ...]]) -> str:
    """One problem in a line; the keys of a section are listed once, its place is in `listed`."""
    location = item["loc"]
    key = ".".join(str(part) for part in location) or "(top level)"
    if item["type"] == "extra_forbidden":
        accepted = _accepted_keys(model, location[:-1])
        known = f" (accepted: {', '.join(accepted)})" if location[:-1] not in listed else ""
        listed.add(location[:-1])
        return f"{key}: unknown key{meant(location[-1], accepted)}{known if accepted else ''}"
    if item["type"] == "missing":
        return f"{key}: required and missing"
    problem = str(item["msg"]).removeprefix("Value error, ")
    found = item.get("input")
    if item["type"] == "model_type":
        problem = f"takes keys (accepted: {', '.join(_accepted_keys(model, location))})"
    if item["type"] == "literal_error":
        problem += meant(found, re.findall("'([^']*)'", item["ctx"]["expected"]))
    return f"{key}: {problem}" + ("" if isinstance(found, dict) else f" (found {found!r:.80})")


def _accepted_keys(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    """The keys accepted at a location, as far as the models' types tell."""
    current: Any = model
    for part in location:
        if part not in current.model_fields:
            continue  # a key of a mapping or a place in a list, whose section we are in already
        current = _section_in(current.model_fields[part].annotation)
        if current is None:
            return []
    return list(current.model_fields)


def _section_in(annotation: Any) -> Any:
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    for argument in getattr(annotation, "__args__", ()):
        found = _section_in(argument)
        if found is not None:
            return found
    return None
