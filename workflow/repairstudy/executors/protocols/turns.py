"""Protocols for worlds that answer each action with a text."""

from __future__ import annotations

from collections.abc import Sequence

from repairstudy.executors.protocols.answers import (
    as_listed,
    first_action,
    one_line,
    stated_action,
    without_thoughts,
)
from repairstudy.executors.protocols.base import AgentView, TextActions, fill_view, require_slot
from repairstudy.records.text import fill


def last_turns(
    observations: Sequence[str],
    actions: Sequence[str],
    most: int | None = None,
    form: str = "> {action}\n{observation}",
) -> str:
    """The last turns of an episode, an action and what it showed each, as text.

    Args:
        observations: one more than `actions`; the last is the present one.
        most: turns shown; None: all. The first observation stands before them where they
            reach back to it.
        form: of one turn.
    """
    first = 0 if most is None else max(len(actions) - most, 0)
    turns = [
        fill(form, {"action": action, "observation": observation})
        for action, observation in zip(actions[first:], observations[first + 1 :], strict=True)
    ]
    return "\n".join([observations[0], *turns] if first == 0 else turns)


class Window(TextActions):
    """A fixed window: the last K turns, and what may be done now.

    Slots: `{history}` the window, `{observation}` the present observation alone, `{admissible}`
    or `{admissible_lines}`, `{instruction}`, `{steps}`. In mode "text" an answer may hold
    thoughts; its action is what `<action>` or `Action:` states, else the admissible action that
    it names first. An action that is not admissible goes to the environment as it is.
    """

    memoryless = False

    def __init__(self, turns: int) -> None:
        self.name = f"window-{turns}/1"
        self._turns = turns

    def prompt(self, template: str, view: AgentView) -> str:
        require_slot(template, "history", self.name)
        return fill_view(
            template.removesuffix("\n"),
            view,
            history=last_turns(view.observations, view.actions, self._turns),
            observation=view.observations[-1],
        )

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        stated = stated_action(text)
        if stated is None:
            answer = without_thoughts(text)
            stated = first_action(answer, tuple(admissible)) or one_line(answer)
        return as_listed(stated, admissible) or None


class React(TextActions):
    """The whole episode as a growing transcript of actions and observations (ReAct style).

    `{history}` holds the first observation and then, for each step, `Action: ...` and
    `Observation: ...`. The model may think before its `Action:` line.
    # ASSUME: thoughts are not kept in the history. A continuation is then a function of actions
    and observations alone, so any executor can go on from any prefix.
    """

    name = "react/1"
    memoryless = False

    def prompt(self, template: str, view: AgentView) -> str:
        require_slot(template, "history", self.name)
        form = "Action: {action}\nObservation: {observation}"
        history = last_turns(view.observations, view.actions, None, form)
        return fill_view(template.removesuffix("\n"), view, history=history)

    def options(self, view: AgentView) -> dict[str, str]:
        return {f"Action: {action}": action for action in super().options(view).values()}

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The `Action:` line, else the first line written; the environment judges it."""
        stated = stated_action(text)
        if stated is None:
            lines = without_thoughts(text).strip().splitlines() or [""]
            stated = one_line(lines[0])
        return as_listed(stated, admissible) or None
