"""Protocols for worlds whose observation is a short description of the state."""

from __future__ import annotations

from repairstudy.errors import ConfigError
from repairstudy.executors.protocols.base import (
    AgentView,
    TextActions,
    common_slots,
    fill_view,
    require_slot,
)
from repairstudy.records.text import fill


class Ego(TextActions):
    """No memory: the template with `{observation}` replaced by the last observation."""

    name = "ego/1"
    memoryless = True

    def prompt(self, template: str, view: AgentView) -> str:
        require_slot(template, "observation", self.name)
        return fill_view(template.removesuffix("\n"), view, observation=view.observations[-1])


class Transcript(TextActions):
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
        moves = [f" {action}" for action in view.actions[first:]] + [""]
        slots = common_slots(view)
        turns = (
            fill(turn, slots | {"observation": observation, "action": move})
            for observation, move in zip(view.observations[first:], moves, strict=True)
        )
        return fill(head, slots) + gap + "\n".join(turns)


class Recent(Transcript):
    """A short memory: as Transcript, but only the last two states and the move between them.

    Equal surroundings after equal moves give equal prompts, so distributions can be cached.
    """

    name = "recent/1"
    states = 2
