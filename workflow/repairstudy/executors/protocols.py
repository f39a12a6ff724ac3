"""Prompt and history protocols: what an executor sees, and how its text becomes an action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol as TypingProtocol

from repairstudy.errors import ConfigError
from repairstudy.records.text import fill


@dataclass(frozen=True, slots=True)
class AgentView:
    """An episode as the agent sees it; `observations` has one item more than `actions`."""

    instruction: str
    observations: tuple[str, ...]
    actions: tuple[str, ...]
    admissible: tuple[str, ...]


class Protocol(TypingProtocol):
    """How a view becomes a prompt, and text an action.

    A protocol is memoryless when its prompt depends on the instruction, the last observation and
    the admissible actions alone; only then is an executor a Markov policy with exact values.
    `name` ends in a version: whatever changes a prompt or the parsing raises it.
    """

    name: str
    memoryless: bool

    def prompt(self, template: str, view: AgentView) -> str:
        """The text to be continued. The newline at the end of a template file is no part of it.

        Raises:
            ConfigError: the template lacks the protocol's slot, or has an unknown one.
        """
        ...

    def choice_text(self, action: str) -> str:
        """The continuation that stands for an action (its single token, mostly ' ' + action)."""
        ...

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The admissible action in a continuation; None if there is none."""
        ...


class _TextActions:
    """Actions are the words themselves, after a space."""

    def choice_text(self, action: str) -> str:
        return f" {action}"

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The admissible action that the text names first, as whole words, in any case."""
        return first_action(text, tuple(admissible))


class Ego(_TextActions):
    """No memory: the template with `{observation}` replaced by the last observation."""

    name = "ego/1"
    memoryless = True

    def prompt(self, template: str, view: AgentView) -> str:
        require_slot(template, "observation", self.name)
        return _fill(template.removesuffix("\n"), view, observation=view.observations[-1])


class Transcript(_TextActions):
    """The whole episode so far, append-only: every prompt continues the one before it.

    The last paragraph of the template is one turn: it has `{observation}`, ends with `{action}`,
    and is repeated for every step; the last turn is open. What stands before it never changes,
    so an engine's prefix cache serves all turns.
    """

    name = "transcript/1"
    memoryless = False
    states: int | None = None  # how many it remembers; None: all

    def prompt(self, template: str, view: AgentView) -> str:
        head, gap, turn = template.removesuffix("\n").rpartition("\n\n")
        require_slot(turn, "observation", self.name)
        if not turn.endswith("{action}"):
            raise ConfigError(f"prompt template of {self.name}: must end with {{action}}")
        first = max(len(view.observations) - self.states, 0) if self.states else 0
        moves = [self.choice_text(action) for action in view.actions[first:]] + [""]
        turns = (
            _fill(turn, view, observation=observation, action=move)
            for observation, move in zip(view.observations[first:], moves, strict=True)
        )
        return _fill(head, view) + gap + "\n".join(turns)


class Recent(Transcript):
    """A short memory: as Transcript, but only the last two states and the move between them.

    Equal surroundings after equal moves give equal prompts, so distributions can be cached.
    """

    name = "recent/1"
    states = 2


_PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol for protocol in (Ego(), Transcript(), Recent())
}


def make_protocol(name: str) -> Protocol:
    """The protocol of that name, its version included (such as "ego/1").

    Raises:
        ConfigError: there is none; the message lists those there are.
    """
    if name not in _PROTOCOLS:
        offered = ", ".join(sorted(_PROTOCOLS))
        raise ConfigError(f"protocol: no protocol '{name}' (accepted: {offered})")
    return _PROTOCOLS[name]


def require_slot(template: str, slot: str, protocol: str) -> None:
    """Raise ConfigError unless the template has the slot."""
    if f"{{{slot}}}" not in template:
        raise ConfigError(f"prompt template of {protocol}: the slot {{{slot}}} is missing")


def first_action(text: str, admissible: tuple[str, ...]) -> str | None:
    """The admissible action that stands first in a text; of two that begin there, the longer."""
    longest_first = sorted(admissible, key=len, reverse=True)
    found = _pattern(tuple(longest_first)).search(text) if admissible else None
    return longest_first[found.lastindex - 1] if found and found.lastindex else None


@lru_cache(maxsize=4096)
def _pattern(actions: tuple[str, ...]) -> re.Pattern[str]:
    """One group for each action; any white space stands for a space."""
    spaced = (r"\s+".join(map(re.escape, action.split())) for action in actions)
    groups = "|".join(f"({words})" for words in spaced)
    return re.compile(rf"(?<!\w)(?:{groups})(?!\w)", flags=re.IGNORECASE)


def _fill(template: str, view: AgentView, **slots: str) -> str:
    common = {"instruction": view.instruction, "admissible": ", ".join(view.admissible)}
    return fill(template, common | slots)
