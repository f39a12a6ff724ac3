"""Runs as chat messages: objects with `messages`, as the OpenAI API takes and logs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairstudy.imported.calls import Tools
from repairstudy.imported.documents import Document
from repairstudy.imported.logged import LoggedRun
from repairstudy.imported.messages import Call, Message, content_text, conversation


def chat_runs(documents: list[Document], path: Path, tools: Tools) -> Iterator[LoggedRun]:
    """The runs of a file, the unreadable ones with their problem.

    A run is named by its `failure_id`, `run_id` or `id`, else by the file and its number. Every
    other key but `messages` may say which task it is.
    """
    for where, number, content, problem in documents:
        name = f"{path.stem}-{number}"
        if content is None:
            yield LoggedRun(where, number, name, problem=problem)
            continue
        fields = {key: value for key, value in content.items() if key != "messages"}
        name = next(
            (
                str(fields[key])
                for key in ("failure_id", "run_id", "id")
                if isinstance(fields.get(key), str | int) and fields[key] != ""
            ),
            name,
        )
        try:
            found = conversation(messages_of(content.get("messages")), tools)
        except ValueError as error:
            yield LoggedRun(where, number, name, fields, problem=f"messages: {error}")
            continue
        yield LoggedRun(
            where, number, name, fields, found.opening, turns=found.turns,
            source={"format": "openai", "file": path.name, "number": number},
        )  # fmt: skip


def messages_of(content: Any) -> list[Message]:
    """Checked messages.

    Raises:
        ValueError: they are none; names the message.
    """
    if not isinstance(content, list) or not content:
        raise ValueError("not a list of messages")
    found = []
    for number, one in enumerate(content):
        try:
            found.append(_message(one))
        except ValueError as error:
            raise ValueError(f"number {number}: {error}") from None
    return found


def _message(content: Any) -> Message:
    if not isinstance(content, Mapping) or not isinstance(content.get("role"), str):
        raise ValueError("not an object with a role")
    calls = content.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ValueError("tool_calls is no list")
    made = tuple(map(_call, calls))
    old = content.get("function_call")  # before `tool_calls` existed
    if isinstance(old, Mapping) and not made:
        made = (_call({"function": old}),)
    role = "tool" if content["role"] == "function" else str(content["role"])
    answers = content.get("tool_call_id")
    return Message(
        role, content_text(content.get("content")), made,
        answers if isinstance(answers, str) else None,
    )  # fmt: skip


def _call(content: Any) -> Call:
    """Of the API, or as Inspect AI writes it down: there the function is a name alone."""
    if not isinstance(content, Mapping):
        raise ValueError("a tool call is no object")
    function = content.get("function")
    if isinstance(function, Mapping):
        name, arguments = function.get("name"), function.get("arguments")
    else:
        name, arguments = function, content.get("arguments")
    if not isinstance(name, str):
        raise ValueError("a tool call names no function")
    answer = content.get("id")
    return Call(name, arguments, answer if isinstance(answer, str) else None)
