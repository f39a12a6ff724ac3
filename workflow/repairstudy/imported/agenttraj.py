"""Runs in the AgentTraj format: turns of `human` and `gpt`, the latter with thought and action.

Two layouts are read: `messages` of `role` and `text`, as the file beside the WebShop data has
them, and `conversations` of `from`, `value` and `loss`, as AgentGym publishes them. There, what
the model only acknowledges has a loss of false and is passed over, with the prompt before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from repairstudy.imported.documents import Document
from repairstudy.imported.logged import LoggedRun, Turn

_ACTION = re.compile(r"^[ \t]*action[ \t]*:", flags=re.MULTILINE | re.IGNORECASE)
LAYOUTS = {"messages": ("role", "text"), "conversations": ("from", "value")}


class Said(NamedTuple):
    role: str
    text: str
    counts: bool


def agenttraj_runs(documents: list[Document], path: Path) -> Iterator[LoggedRun]:
    """The runs of a file, the unreadable ones with their problem.

    A run is named by `item_id`, else by the file and its number.
    """
    for where, number, content, problem in documents:
        name = f"{path.stem}-{number}"
        if content is None:
            yield LoggedRun(where, number, name, problem=problem)
            continue
        fields = {key: value for key, value in content.items() if key not in LAYOUTS}
        if isinstance(fields.get("item_id"), str | int) and fields["item_id"] != "":
            name = str(fields["item_id"])
        try:
            opening, turns = _turns(_said(content))
        except ValueError as error:
            yield LoggedRun(where, number, name, fields, problem=str(error))
            continue
        yield LoggedRun(
            where, number, name, fields, opening, opening[-1], turns,
            source={"format": "agenttraj", "file": path.name, "number": number},
        )  # fmt: skip


def stated(text: str) -> str:
    """What stands after the last `Action:`, its first line that is not empty.

    Raises:
        ValueError: there is none.
    """
    *_, last = _ACTION.split(text)
    lines = [line.strip() for line in last.splitlines() if line.strip()]
    if not _ACTION.search(text) or not lines:
        raise ValueError("no action after 'Action:'")
    return lines[0]


def _turns(said: list[Said]) -> tuple[tuple[str, ...], tuple[Turn, ...]]:
    opening: list[str] = []
    turns: list[Turn] = []
    for place, one in enumerate(said):
        if one.role == "gpt" and one.counts:
            if not opening:
                raise ValueError("nothing was shown before the first action")
            after = said[place + 1] if place + 1 < len(said) else None
            shown = after.text if after and after.role == "human" else None
            try:
                turns.append(Turn(stated(one.text), one.text, shown))
            except ValueError as error:
                raise ValueError(f"turn {place}: {error}") from None
        elif one.role == "human" and not turns:
            opening.append(one.text)
    if not turns:
        raise ValueError("no turn of 'gpt' holds an action")
    return tuple(opening), tuple(turns)


def _said(content: Mapping[str, Any]) -> list[Said]:
    layout = next((name for name in LAYOUTS if name in content), None)
    if layout is None:
        raise ValueError(f"neither {' nor '.join(LAYOUTS)}")
    who, what = LAYOUTS[layout]
    if not isinstance(content[layout], list):
        raise ValueError(f"{layout}: not a list")
    found = []
    for number, one in enumerate(content[layout]):
        if (
            not isinstance(one, Mapping)
            or one.get(who) not in ("human", "gpt")
            or not isinstance(one.get(what), str)
        ):
            raise ValueError(f"{layout}: number {number} is no turn of human or gpt with a text")
        found.append(Said(one[who], one[what], one.get("loss") is not False))
    return found
