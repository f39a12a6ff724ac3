"""Answers that are asked for once, however many want them at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Shared(Generic[Key, Value]):
    """Questions under way: those who ask the same meanwhile get that answer, or its error."""

    def __init__(self) -> None:
        self._running: dict[Key, asyncio.Task[Value]] = {}

    async def get(self, key: Key, ask: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        if key not in self._running:
            task = asyncio.create_task(ask())
            self._running[key] = task
            task.add_done_callback(lambda task: self._finished(key, task))
        # Shielded: others may wait for the same answer when this caller is cancelled.
        return await asyncio.shield(self._running[key])

    async def cancel(self) -> None:
        """Give up all that is under way."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _finished(self, key: Key, task: asyncio.Task[Value]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # seen here, in case all who waited for it were cancelled


class Once(Generic[Key, Value]):
    """What an asynchronous function answers, kept by its argument; errors are not kept."""

    def __init__(self, ask: Callable[[Key], Awaitable[Value]]) -> None:
        self._ask = ask
        self._known: dict[Key, Value] = {}
        self._running: Shared[Key, Value] = Shared()

    async def get(self, key: Key) -> Value:
        if key in self._known:
            return self._known[key]
        return await self._running.get(key, lambda: self._answer(key))

    async def all(self, keys: Sequence[Key]) -> list[Value]:
        """The answers in the order of the keys, asked for at the same time."""
        if all(key in self._known for key in keys):  # nearly always
            return [self._known[key] for key in keys]
        return list(await asyncio.gather(*map(self.get, keys)))

    async def _answer(self, key: Key) -> Value:
        self._known[key] = value = await self._ask(key)
        return value
