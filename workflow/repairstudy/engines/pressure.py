"""How many requests a server gets at once: fewer when it says that it has too many."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

LESS = 0.5  # what is left of the limit after the server has complained


class Pressure:
    """Lets at most `limit` in at a time.

    The limit is halved when the server says it is busy and grows by one with every `limit` good
    answers, up to `most` (additive increase, multiplicative decrease, as in TCP). Answers to
    requests from before the last cut say nothing about the new limit and change nothing.

    Args:
        most: limit at the start and ever.
    """

    def __init__(self, most: int) -> None:
        self.limit = float(most)
        self.inside = 0
        self._most = most
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._cuts = 0

    @property
    def queued(self) -> int:
        """How many wait for a place."""
        return len(self._waiting)

    @asynccontextmanager
    async def one(self) -> AsyncIterator[int]:
        """Wait for a place and hold it; gives what `eased` and `complained` want to be told."""
        await self._enter()
        try:
            yield self._cuts
        finally:
            self.inside -= 1
            self._admit()

    def eased(self, entered: int) -> None:
        """A request was answered well."""
        if entered == self._cuts and self.limit < self._most:
            self.limit = min(self.limit + 1.0 / self.limit, self._most)

    def complained(self, entered: int) -> None:
        """The server said that it has too much to do."""
        if entered == self._cuts:
            # What it holds now is too much, even if that is less than the limit.
            self.limit = max(min(self.limit, self.inside) * LESS, 1.0)
            self._cuts += 1

    async def _enter(self) -> None:
        if self.inside < int(self.limit) and not self._waiting:
            self.inside += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # it was let in at the same moment
                self.inside -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        while self._waiting and self.inside < int(self.limit):
            place = self._waiting.popleft()
            if not place.done():
                self.inside += 1
                place.set_result(None)
