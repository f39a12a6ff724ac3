"""Servers of this job's own as one engine: started together, watched, restarted, ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request
from repairstudy.engines.fleet import Fleet, Patience
from repairstudy.engines.load import Load, load_of
from repairstudy.engines.local import ScorerServer
from repairstudy.engines.trouble import Gone, Passing
from repairstudy.engines.vllm import VllmServer
from repairstudy.engines.vllm_command import VllmSettings
from repairstudy.errors import EngineError, RequestRefused, StudyError

T = TypeVar("T")

PROVEN = 1000  # answers after which a server's earlier failures are forgiven
LOOKS = 8  # how often a watch looks within the time that a server may be silent


class OwnServer(Protocol):
    """A server of this job's own: started once, stopped once."""

    @property
    def engine(self) -> Engine:
        """Who asks it; EngineError if it is not running."""
        ...

    @property
    def answered(self) -> int:
        """Requests that it has answered."""
        ...

    async def start(self) -> None:
        """Return when it answers; EngineError if it does not, and then nothing is left of it."""
        ...

    def failure(self) -> str | None:
        """Why it answers no longer; None while it runs."""
        ...

    async def silence(self) -> float:
        """Seconds without progress although answers are due."""
        ...

    async def end_hung(self, cause: str) -> None:
        """End it; what it was asked fails."""
        ...

    async def stop(self) -> None:
        """End it; harmless if it has ended."""
        ...


class OwnedEngine:
    """An `Engine` that owns its server and starts it anew when it has died or hangs.

    Requests that were under way fail with Passing, and are answered when they are put again.

    Args:
        make: a server that has not been started.
        restarts: failures in a row, without PROVEN answers between them, after which it is Gone.
        silence_s: seconds without progress, while answers are due, after which it hangs.
    """

    def __init__(
        self, make: Callable[[], OwnServer], restarts: int = 3, silence_s: float = 180.0
    ) -> None:
        self._make = make
        self._restarts = restarts
        self._silence_s = silence_s
        self._server: OwnServer | None = None
        self._watching: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._failures = 0
        self._gone: Gone | None = None
        self._closed = False

    async def start(self) -> None:
        """Return when the server has answered a first request.

        Raises:
            EngineError: it does not start. The first time, that is not tried again: what is wrong
                with its settings stays wrong.
        """
        server = self._make()
        await server.start()
        self._server = server
        self._watching = asyncio.create_task(self._watch(server))

    async def complete(self, request: Request) -> Completion:
        return await self._ask(lambda engine: engine.complete(request))

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        return await self._ask(lambda engine: engine.score(prompt, choices))

    def load(self) -> Load | None:
        """The server's; while it is down it takes nothing."""
        if self._server is None or self._server.failure() is not None:
            return Load(0, 0, 0)
        return load_of(self._server.engine)

    async def close(self) -> None:
        """End the server."""
        self._closed = True
        for task in (self._watching, self._starting):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, EngineError):
                    await task
        if self._server is not None:
            await self._server.stop()

    async def _ask(self, ask: Callable[[Engine], Awaitable[T]]) -> T:
        server = await self._running()
        try:
            return await ask(server.engine)
        except RequestRefused:
            raise
        except EngineError as error:
            cause = server.failure()
            if cause is None:
                raise
            self._begin_restart(server)
            raise Passing(f"{error}; the model server has ended: {cause}", away=True) from error

    async def _running(self) -> OwnServer:
        """The server; started anew if it has failed.

        Raises:
            Gone: it has failed too often.
        """
        if self._server is None:
            raise EngineError("the server is not running")
        if self._gone is not None:
            raise self._gone
        if self._server.failure() is not None:
            self._begin_restart(self._server)
        if self._starting is not None:
            await asyncio.shield(self._starting)
        return self._server

    def _begin_restart(self, failed: OwnServer) -> None:
        """In a task of its own: whoever asked first may give up before the server stands."""
        running = self._starting is not None and not self._starting.done()
        if failed is self._server and not running and not self._closed:
            self._starting = asyncio.create_task(self._restart(failed))
            self._starting.add_done_callback(_seen)

    async def _restart(self, failed: OwnServer) -> None:
        cause = failed.failure()
        if failed.answered >= PROVEN:
            self._failures = 0
        if self._watching is not None:
            self._watching.cancel()
        await failed.stop()
        while not self._closed:
            self._failures += 1
            if self._failures > self._restarts:
                times = f"{self._failures} times" if self._failures > 1 else "once"
                self._gone = Gone(f"the model server failed {times}; the last: {cause}")
                raise self._gone
            try:
                await self.start()
                return
            except StudyError as error:
                cause = str(error)

    async def _watch(self, server: OwnServer) -> None:
        while server.failure() is None:
            await asyncio.sleep(self._silence_s / LOOKS)
            silence = await server.silence()
            if silence >= self._silence_s and server.failure() is None:
                cause = f"no answer and no token for {silence:.3g} s, though it seems healthy"
                await server.end_hung(cause)


def _seen(task: asyncio.Task[None]) -> None:
    """An error of a restart is told to those who ask; perhaps nobody does."""
    if not task.cancelled():
        task.exception()


async def start_servers(
    settings: VllmSettings, log: Path, program: Sequence[str] | None = None
) -> Engine:
    """All servers of a job, as one engine.

    Args:
        settings: what to serve, on how many servers.
        log: file of the first server's output; further ones append .1, .2 and so on.
        program: replaces the first words of the command line (tests).

    Raises:
        EngineError: one of them does not start; then none is left running.
    """

    def maker(index: int) -> Callable[[], VllmServer]:
        file = log if not index else log.with_name(f"{log.name}.{index}")
        return lambda: VllmServer(settings, file, program, index)

    engines = [
        OwnedEngine(maker(index), settings.restarts, settings.silence)
        for index in range(settings.servers)
    ]
    starts = await asyncio.gather(*(e.start() for e in engines), return_exceptions=True)
    failed = [outcome for outcome in starts if isinstance(outcome, BaseException)]
    members = [(f"server {index}", engine) for index, engine in enumerate(engines)]
    fleet = Fleet(members, Patience(), sticky=True, places=settings.concurrency)
    if failed:
        await fleet.close()
        raise failed[0]
    return fleet


async def start_scorer(
    python: str, model: str, threads: int, log: Path, restarts: int = 3, silence_s: float = 180.0
) -> Engine:
    """A small checkpoint in a process beside this one, as one engine that outlives it.

    Args:
        python: interpreter that has transformers; `model`: folder; `threads`: cores.
        log: what the process writes to standard error.
        restarts, silence_s: as of `OwnedEngine`.

    Raises:
        EngineError: it does not start.
    """
    engine = OwnedEngine(lambda: ScorerServer(python, model, threads, log), restarts, silence_s)
    await engine.start()
    return Fleet([("process", engine)], Patience())
