"""Chat messages as turns: what the model wrote or called, and what came back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from repairstudy.imported.calls import Tools
from repairstudy.imported.logged import Turn

ASSISTANT, TOOL = "assistant", "tool"


class Call(NamedTuple):
    """A call of a tool; `answer` names the message that answers it, where the log does."""

    name: str
    arguments: Any
    answer: str | None


class Message(NamedTuple):
    """One message: its text, the calls in it, and the call that it answers."""

    role: str
    text: str
    calls: tuple[Call, ...] = ()
    answers: str | None = None


class Conversation(NamedTuple):
    """Texts before the first turn, and the turns."""

    opening: tuple[str, ...]
    turns: tuple[Turn, ...]


def conversation(messages: Sequence[Message], tools: Tools) -> Conversation:
    """The turns of a conversation.

    Where the model calls tools at all, each call is an action and texts without a call are
    thoughts; else each of its messages is an action in words. What comes before its next message
    is what the action showed: the answer to the call, else the messages in between.

    Raises:
        ValueError: a call whose action cannot be told, or no action at all.
    """
    calling = any(message.calls for message in messages)
    opening = []
    for message in messages:
        if message.role == ASSISTANT:
            break
        opening.append(message.text)
    turns: list[Turn] = []
    for place, message in enumerate(messages):
        if message.role != ASSISTANT:
            continue
        shown = _until_next(messages, place)
        if calling:
            turns += _called(message, shown, tools)
        else:
            turns.append(Turn(None, message.text, _joined(shown)))
    if not turns:
        raise ValueError("no message of the assistant holds an action")
    return Conversation(tuple(opening), tuple(turns))


def content_text(content: Any) -> str:
    """The text of a message's content: a text, or parts of which those of text count.

    Raises:
        ValueError: it is neither.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ValueError("content is neither a text nor a list of parts")
    found = []
    for part in content:
        if isinstance(part, str):
            found.append(part)
        elif not isinstance(part, Mapping):
            raise ValueError("content has a part that is no object")
        elif isinstance(part.get("text"), str) and part.get("type") != "reasoning":
            found.append(part["text"])
    return "\n".join(found)


def _until_next(messages: Sequence[Message], place: int) -> list[Message]:
    found = []
    for message in messages[place + 1 :]:
        if message.role == ASSISTANT:
            break
        found.append(message)
    return found


def _called(message: Message, shown: Sequence[Message], tools: Tools) -> list[Turn]:
    acting = [
        (call, action)
        for call in message.calls
        if (action := tools.action(call.name, call.arguments)) is not None
    ]
    turns = []
    for call, action in acting:
        answers = [one for one in shown if one.answers is not None and one.answers == call.answer]
        if not answers and len(message.calls) == 1:
            answers = list(shown)
        turns.append(Turn(action, None, _joined(answers)))
    if turns and message.text:
        turns[0] = replace(turns[0], text=message.text)
    return turns


def _joined(messages: Iterable[Message]) -> str | None:
    texts = [message.text for message in messages]
    return "\n".join(texts) if texts else None
