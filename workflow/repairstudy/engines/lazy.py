"""An engine whose server starts only when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request
from repairstudy.engines.load import Load, load_of
from repairstudy.engines.once import Shared
from repairstudy.errors import StudyError


class LazyEngine:
    """Starts the engine at the first request; never, if everything asked is stored already.

    A start that failed is not tried again: every later request fails with the same error. A start
    goes on when the one who asked for it gives up.

    Args:
        start: starts it.
        places: requests that it will take at once; None: any number.
    """

    def __init__(
        self, start: Callable[[], Coroutine[Any, Any, Engine]], places: int | None = None
    ) -> None:
        self._start = start
        self._places = places
        self._waiting = 0
        self._starting: Shared[str, Engine] = Shared()
        self._engine: Engine | None = None
        self._failure: StudyError | None = None

    async def complete(self, request: Request) -> Completion:
        return await (await self._started()).complete(request)

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        return await (await self._started()).score(prompt, choices)

    def load(self) -> Load | None:
        """The engine's; before it stands, all requests wait for that."""
        if self._engine is not None:
            return load_of(self._engine)
        return None if self._places is None else Load(self._places, 0, self._waiting)

    async def close(self) -> None:
        await self._starting.cancel()
        if self._engine is not None:
            await self._engine.close()

    async def _started(self) -> Engine:
        if self._engine is not None:
            return self._engine
        if self._failure is not None:
            raise self._failure
        self._waiting += 1
        try:
            return await self._starting.get("start", self._keep)
        finally:
            self._waiting -= 1

    async def _keep(self) -> Engine:
        try:
            self._engine = await self._start()
        except StudyError as error:
            self._failure = error
            raise
        return self._engine
