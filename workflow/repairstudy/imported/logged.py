"""A run as a log tells it: what was written and shown, before it is known what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """One step: an action as it stands in the log, or a text that holds one.

    Attributes:
        action: what was done; None: `text` says it, in the words of the agent's protocol.
        observation: what was shown after it; None: the log does not say.
        valid: whether it was admissible; None: the log does not say.
    """

    action: str | None
    text: str | None = None
    observation: str | None = None
    valid: bool | None = None


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """One run of a log.

    Attributes:
        where: file and line or number, for messages; number: of the run in its file, from 1.
        name: the run's name there.
        fields: what the log says of the run beside its messages; may name the task.
        opening: texts shown before the first action; they may hold the instruction.
        first: the observation before the first action, where the log has it by itself.
        success, reward: as the log claims.
        source: what is kept of where the run comes from.
        problem: why there is nothing to replay.
        keep: fields of the format itself that are no part of the log (step and candidates).
    """

    where: str
    number: int
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    opening: tuple[str, ...] = ()
    first: str | None = None
    turns: tuple[Turn, ...] = ()
    success: bool | None = None
    reward: float | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    keep: Mapping[str, Any] = field(default_factory=dict)


def field_of(fields: Mapping[str, Any], key: str) -> Any:
    """The value under a key, or under keys joined by dots; None: there is none."""
    if key in fields:
        return fields[key]
    first, _, rest = key.partition(".")
    inner = fields.get(first)
    return field_of(inner, rest) if rest and isinstance(inner, Mapping) else None
