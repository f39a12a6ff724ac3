"""The names that people see for the objects and places of a game: ``mug 1``, ``drawer 3``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_BAR = "_bar_"
_MARKS = (("_minus_", "-"), ("_plus_", "+"), ("_dot_", "."), ("_comma_", ","))


def kind(entity: str) -> str | None:
    """What an id stands for (``mug_bar__plus_01_dot_15`` -> ``mug``); None: it has no place in it.

    A sink and its basin share the first part of their ids.
    """
    first, bar, _ = entity.partition(_BAR)
    if not bar:
        return None
    return first + "basin" if "basin" in entity else first


def readable(entities: Iterable[str]) -> dict[str, str]:
    """The name of each id.

    Ids of one kind are numbered from 1, the last in alphabetical order first. An id without a
    place keeps its text, followed by a space: the games' texts have it so.
    """
    ids = sorted(set(entities))
    left = Counter(kind(entity) for entity in ids)
    names = {}
    for entity in ids:
        group = kind(entity)
        if group is None:
            text = entity
            for mark, sign in _MARKS:
                text = text.replace(mark, sign)
            names[entity] = f"{text} "
        else:
            for mark, sign in _MARKS:
                group = group.replace(mark, sign)
            names[entity] = f"{group} {left[kind(entity)]}"
            left[kind(entity)] -= 1
    return names
