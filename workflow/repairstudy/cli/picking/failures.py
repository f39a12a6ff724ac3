"""A user's failed runs, one JSON document a line, checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, field_validator

from repairstudy.checked import Section, validate
from repairstudy.errors import ConfigError, DataError


class Candidate(NamedTuple):
    """A replacement of the action at step t."""

    t: int
    action: str


class FailedRun(Section):
    """One line: a run that failed, where it may be repaired, and by what."""

    failure_id: str = Field(min_length=1)
    task_id: str = Field(min_length=1)
    actions: list[str] = Field(min_length=1)
    t: int | None = Field(default=None, ge=0)
    candidates: list[Any] | None = Field(default=None, min_length=1)

    @field_validator("candidates")
    @classmethod
    def _readable(cls, found: list[Any] | None) -> list[Any] | None:
        for place, one in enumerate(found or ()):
            named = isinstance(one, dict) and set(one) == {"t", "action"}
            if isinstance(one, str) or (
                named and isinstance(one["action"], str) and type(one["t"]) is int
            ):
                continue
            raise ValueError(
                f'number {place} is neither an action nor {{"t": step, "action": ...}}'
            )
        return found

    def named(self) -> list[Candidate] | None:
        """The candidates with their steps, each once, in their order; None: none are named.

        Raises:
            ValueError: an action without a step.
        """
        if self.candidates is None:
            return None
        found = []
        for one in self.candidates:
            if isinstance(one, str) and self.t is None:
                raise ValueError("t: needed, since a candidate does not name its own step")
            found.append(Candidate(self.t or 0, one) if isinstance(one, str) else Candidate(**one))
        return list(dict.fromkeys(found))


class Line(NamedTuple):
    """A run, and the file and line it stands in, for messages."""

    where: str
    run: FailedRun


def read_failures(path: str) -> list[Line]:
    """The failed runs of a JSONL file; empty lines are passed over.

    Raises:
        StudyError: names the file, the line and the field.
    """
    lines: list[Line] = []
    first: dict[str, str] = {}
    for where, content in _documents(path):
        run = validate(FailedRun, content, where)
        try:
            named = run.named()
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from None
        if named is None and run.t is None:
            raise ConfigError(f"{where}: t: needed where candidates name no steps")
        for t in {run.t or 0, *(one.t for one in named or ())}:
            if not 0 <= t < len(run.actions):
                raise ConfigError(f"{where}: t: {t} is no step of {len(run.actions)} actions")
        if run.failure_id in first:
            raise ConfigError(
                f"{where}: failure_id: '{run.failure_id}' is that of {first[run.failure_id]} too"
            )
        first[run.failure_id] = where
        lines.append(Line(where, run))
    if not lines:
        raise ConfigError(f"{path}: no failed run in it")
    return lines


def _documents(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, f"cannot be read ({error}).") from error
    # Not splitlines: JSON may hold other characters that it takes for ends of lines.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            content = json.loads(line)
        except json.JSONDecodeError as error:
            raise ConfigError(f"{where}: not JSON ({error})") from error
        if not isinstance(content, dict):
            raise ConfigError(f"{where}: not an object with failure_id, task_id, actions")
        yield where, content
