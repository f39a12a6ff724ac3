"""An engine whose server starts only when it is first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request
from repairstudy.errors import StudyError


class LazyEngine:
    """Starts the engine at the first request; never, if everything asked is stored already.

    A start that failed is not tried again: every later request fails with the same error.
    """

    def __init__(self, start: Callable[[], Awaitable[Engine]]) -> None:
        self._start = start
        self._starting = asyncio.Lock()
        self._engine: Engine | None = None
        self._failure: StudyError | None = None

    async def complete(self, request: Request) -> Completion:
        return await (await self._started()).complete(request)

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        return await (await self._started()).score(prompt, choices)

    async def close(self) -> None:
        async with self._starting:
            if self._engine is not None:
                await self._engine.close()

    async def _started(self) -> Engine:
        if self._engine is not None:
            return self._engine
        async with self._starting:
            if self._failure is not None:
                raise self._failure
            if self._engine is None:
                try:
                    self._engine = await self._start()
                except StudyError as error:
                    self._failure = error
                    raise
            return self._engine
