"""The rollouts of a page as data: a reader asks for those of one cell, and sees their actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repairstudy.report.explorer.lookups import ROLES, Rollout
from repairstudy.report.explorer.outcomes import ENDS, ROLE_WORDS, WORDS
from repairstudy.report.text import readable

ACTIONS_OF_ALL = 5_000_000  # characters; beyond it the last roles tell no actions
LONGEST_ACTION = 1_000
_SEPARATOR = " "

Arms = Sequence[tuple[str, Sequence[Rollout]]]  # key of the cell, its rollouts


def words() -> dict[str, Any]:
    """What the numbers in the data of a failure mean."""
    return {
        "roles": [ROLE_WORDS[role] for role in ROLES],
        "ends": [[ENDS[status], WORDS[status]] for status in WORDS],
    }


def data_of(arms: Arms, rewards: bool, told: Iterable[str]) -> dict[str, Any]:
    """The rollouts of a failure by cell.

    Returns:
        `actions`: the distinct ones. `cells`: key -> rollouts, each as [role, draw, end, steps,
        its actions as numbers joined by spaces; null if its role is not among those told, reward
        if one is studied].
    """
    places: dict[str, int] = {}
    cells = {
        key: [_row(one, places, rewards, one.role in told) for one in rollouts if one.role in ROLES]
        for key, rollouts in arms
    }
    return {"actions": [readable(action, LONGEST_ACTION) for action in places], "cells": cells}


def told_roles(failures: Mapping[str, Arms], most: int = ACTIONS_OF_ALL) -> tuple[str, ...]:
    """The roles whose actions the page has room for: as many as fit, in the order of `ROLES`."""
    sizes = dict.fromkeys(ROLES, 0)
    for arms in failures.values():
        texts: set[str] = set()
        for one in (one for _, rollouts in arms for one in rollouts if one.role in sizes):
            new = set(one.actions) - texts
            texts |= new
            width = len(str(len(texts))) + len(_SEPARATOR)
            new_characters = sum(min(len(text), LONGEST_ACTION) + 3 for text in new)
            sizes[one.role] += width * len(one.actions) + new_characters
    found, left = [], most
    for role in ROLES:
        left -= sizes[role]
        if left < 0:
            break
        found.append(role)
    return tuple(found)


def _row(one: Rollout, places: dict[str, int], rewards: bool, told: bool) -> list[Any]:
    taken = None
    if told:
        numbers = (str(places.setdefault(action, len(places))) for action in one.actions)
        taken = _SEPARATOR.join(numbers)
    end = list(WORDS).index(one.status) if one.status in WORDS else 1
    row: list[Any] = [ROLES.index(one.role), one.replicate, end, one.steps, taken]
    return [*row, one.reward] if rewards else row
