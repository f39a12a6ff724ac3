"""From what a model wrote to the action it meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from repairstudy.environments.forms import admits, filling, form_pattern, is_form

_THOUGHTS = re.compile(r"<think>.*?(</think>|\Z)", flags=re.DOTALL)
_TAGGED = re.compile(r"<action>(.*?)(?:</action>|\Z)", flags=re.DOTALL | re.IGNORECASE)
_LABELLED = re.compile(r"^[ \t]*action[ \t]*:[ \t]*(.*)$", flags=re.MULTILINE | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """A reasoning model's answer without its thoughts, finished or not."""
    return _THOUGHTS.sub("", text)


def first_action(text: str, admissible: tuple[str, ...]) -> str | None:
    """The admissible action that stands first in a text; of two that begin there, the longer.

    Where a form is admissible, whatever fills it counts.
    """
    longest_first = sorted(admissible, key=len, reverse=True)
    found = _pattern(tuple(longest_first)).search(text) if admissible else None
    if not found or not found.lastgroup:
        return None
    named = longest_first[int(found.lastgroup[1:])]
    return filling(named, found.group()) if is_form(named) else named


def stated_action(text: str) -> str | None:
    """What an answer states as its action, on one line, admissible or not.

    The content of the first `<action>` tag, else the first line labelled `Action:`, else None.
    """
    answer = without_thoughts(text)
    found = _TAGGED.search(answer) or _LABELLED.search(answer)
    return one_line(found.group(1)) or None if found else None


def proposed_action(text: str, admissible: Sequence[str]) -> str | None:
    """The admissible action that an answer states, or else names first; None: it names none."""
    return first_action(stated_action(text) or without_thoughts(text), tuple(admissible))


def one_line(text: str) -> str:
    return " ".join(text.split())


def as_listed(action: str, admissible: Sequence[str]) -> str:
    """The admissible action that differs in case alone, else the action as it is."""
    if admits(admissible, action):
        return action
    for listed in admissible:
        if is_form(listed):
            filled = filling(listed, action)
            if filled is not None:
                return filled
        elif listed.lower() == action.lower():
            return listed
    return action


@lru_cache(maxsize=4096)
def _pattern(actions: tuple[str, ...]) -> re.Pattern[str]:
    """One named group for each action; any white space stands for a space."""
    groups = "|".join(f"(?P<a{i}>{_words(action)})" for i, action in enumerate(actions))
    return re.compile(rf"(?<!\w)(?:{groups})(?!\w)", flags=re.IGNORECASE)


def _words(action: str) -> str:
    if is_form(action):
        return form_pattern(action).replace("([^", "(?:[^", 1)
    return r"\s+".join(map(re.escape, action.split()))
