"""Action forms: admissible actions with one blank, such as ``search[<query>]``.

Where an action holds free text, its values cannot be listed. Its form can: whatever stands in the
blank, on one line and without brackets, is admissible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_BLANK = re.compile(r"<[a-z ]+>")


def is_form(action: str) -> bool:
    """Whether an action of a list of admissible ones is a form."""
    return _BLANK.search(action) is not None


def closed(actions: Iterable[str]) -> tuple[str, ...]:
    """The actions without a blank, in their order."""
    return tuple(action for action in actions if not is_form(action))


def admits(actions: Iterable[str], action: str) -> bool:
    """Whether an action is among those, or fills a form among them."""
    return any(
        filling(candidate, action) == action if is_form(candidate) else candidate == action
        for candidate in actions
    )


def filling(form: str, text: str) -> str | None:
    """The form filled as the text fills it, in any case of its fixed parts; None: it does not.

    The form itself, its blank still empty, fills nothing.
    """
    found = re.fullmatch(form_pattern(form), text, re.IGNORECASE)
    if not found or _BLANK.fullmatch(found.group(1)):
        return None
    return _BLANK.sub(lambda _: found.group(1), form, count=1)


@lru_cache
def form_pattern(form: str) -> str:
    """A regular expression of what fills a form; its one group is the blank."""
    before, after = _BLANK.split(form, maxsplit=1)
    return rf"{re.escape(before)}([^\[\]\n]+){re.escape(after)}"
