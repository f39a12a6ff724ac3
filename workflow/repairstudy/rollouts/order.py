"""The order in which runs are collected: fixed by seed, never by scheduling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from repairstudy.records import generator


class Place(NamedTuple):
    """A place in the collection order: its task, and which pass over all tasks it is in."""

    task_id: str
    replicate: int


class CollectionOrder:
    """Pass after pass over all tasks, each pass in a seeded order of its own.

    Args:
        tasks: all task ids of the environment.
        seed: the study's.
    """

    def __init__(self, tasks: Sequence[str], seed: int) -> None:
        if not tasks:
            raise ValueError("tasks: an environment without tasks has no runs to collect")
        self._tasks = tuple(tasks)
        self._pass = lru_cache(maxsize=4)(
            lambda number: generator(seed, "collection", number).permutation(len(self._tasks))
        )

    def __getitem__(self, order: int) -> Place:
        """The run at a place, from 0; there is no last one."""
        number, index = divmod(order, len(self._tasks))
        return Place(self._tasks[self._pass(number)[index]], number)
