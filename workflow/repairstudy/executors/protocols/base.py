"""What every prompt and history protocol offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol as TypingProtocol

from repairstudy.environments.forms import closed
from repairstudy.errors import ConfigError
from repairstudy.executors.protocols.answers import first_action
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

    def options(self, view: AgentView) -> dict[str, str]:
        """The continuations that may be chosen among, each with the action it stands for."""
        ...

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The action in a continuation; None if there is none."""
        ...


class TextActions:
    """Actions are the words themselves, after a space."""

    def options(self, view: AgentView) -> dict[str, str]:
        return {f" {action}": action for action in closed(view.admissible)}

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The admissible action that the text names first, as whole words, in any case."""
        return first_action(text, tuple(admissible))


def common_slots(view: AgentView) -> dict[str, str]:
    """What every protocol offers to fill in."""
    return {
        "instruction": view.instruction,
        "admissible": ", ".join(view.admissible),
        "admissible_lines": "\n".join(view.admissible),
        "steps": str(len(view.actions)),
    }


def fill_view(template: str, view: AgentView, **slots: str) -> str:
    """The template with the slots that every protocol offers, and further ones."""
    return fill(template, common_slots(view) | slots)


def require_slot(template: str, slot: str, protocol: str) -> None:
    """Raise ConfigError unless the template has the slot."""
    if f"{{{slot}}}" not in template:
        raise ConfigError(f"prompt template of {protocol}: the slot {{{slot}}} is missing")
