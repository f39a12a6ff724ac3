"""Where an episode stands, as it travels between the worker processes and the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a game and what the last action showed.

    Attributes:
        observation: what the last action showed; the first observation after opening a game.
        admissible: what may be done, in a fixed order, without "help".
        signature: a hash of the full state, hidden facts included; equal across processes.
        won: whether the goal is reached.
        valid: whether the last action was admissible.
    """

    observation: str
    admissible: tuple[str, ...]
    signature: str
    won: bool
    valid: bool


def as_list(position: Any) -> list[Any]:
    """A position (an engine's own class will do) as a JSON value."""
    return [
        position.observation,
        list(position.admissible),
        position.signature,
        position.won,
        position.valid,
    ]


def from_list(values: Sequence[Any]) -> Position:
    """The position back; a game's few texts, repeated over its thousands of states, are shared."""
    observation, admissible, signature, won, valid = values
    return Position(
        intern(observation), tuple(map(intern, admissible)), signature, bool(won), bool(valid)
    )
