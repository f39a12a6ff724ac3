"""Answers that are asked for once, however many want them at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Once(Generic[Key, Value]):
    """What an asynchronous function answers, kept by its argument; errors are not kept.

    Those who ask for the same while it is being asked wait for that one answer, and get its error.
    """

    def __init__(self, ask: Callable[[Key], Awaitable[Value]]) -> None:
        self._ask = ask
        self._known: dict[Key, Value] = {}
        self._running: dict[Key, asyncio.Task[Value]] = {}

    async def get(self, key: Key) -> Value:
        if key in self._known:
            return self._known[key]
        if key not in self._running:
            task = asyncio.create_task(self._answer(key))
            self._running[key] = task
            task.add_done_callback(lambda task: self._finished(key, task))
        # Shielded: others may wait for the same answer when this caller is cancelled.
        return await asyncio.shield(self._running[key])

    async def all(self, keys: Sequence[Key]) -> list[Value]:
        """The answers in the order of the keys, asked for at the same time."""
        if all(key in self._known for key in keys):  # nearly always
            return [self._known[key] for key in keys]
        return list(await asyncio.gather(*map(self.get, keys)))

    async def _answer(self, key: Key) -> Value:
        self._known[key] = value = await self._ask(key)
        return value

    def _finished(self, key: Key, task: asyncio.Task[Value]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # seen here, in case all who waited for it were cancelled
