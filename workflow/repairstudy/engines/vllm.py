"""vLLM as a server of this process's own, on a CPU or a GPU."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from repairstudy.engines.base import Request
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.openai import PROBE, OpenAiEngine
from repairstudy.engines.process import ServerProcess, free_port
from repairstudy.engines.vllm_command import VllmSettings, arguments, environment, module_program
from repairstudy.engines.watch import Watch
from repairstudy.errors import EngineError, RequestRefused

POLL_S = 0.25


class VllmServer:
    """A running server with an engine for it; an asynchronous context manager.

        async with VllmServer(settings, log) as server:
            await server.engine.score(...)

    Args:
        settings: what to serve, and how.
        log: file that gets the server's output.
        program: replaces the first words of the command line (tests).
        index: which of several servers of the job it is.
    """

    def __init__(
        self,
        settings: VllmSettings,
        log: Path,
        program: Sequence[str] | None = None,
        index: int = 0,
    ) -> None:
        self._settings = settings
        self._index = index
        self._log = log
        self._program = tuple(program) if program else module_program(settings)
        # Only this process may talk to the server, and a port that another server has taken
        # meanwhile is noticed: the other one does not know the key.
        self._key = secrets.token_hex(16)
        self._process: ServerProcess | None = None
        self._engine: OpenAiEngine | None = None
        self._watch: Watch | None = None
        self.url = ""
        self.start_seconds = 0.0
        self._stopped: str | None = None

    @property
    def engine(self) -> OpenAiEngine:
        if self._engine is None:
            raise EngineError("the server is not running")
        return self._engine

    async def start(self) -> None:
        """Return when it has answered a first request.

        Raises:
            EngineError: it ended, or did not answer in time; with the end of its log.
        """
        begun = time.monotonic()
        self._stopped = None
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/v1"
        command = [*self._program, *arguments(self._settings, port)]
        variables = environment(self._settings, self._index)
        variables |= {"VLLM_API_KEY": self._key}
        self._process = ServerProcess(command, variables, self._log, self._settings.grace)
        self._engine = self._make_engine()
        try:
            await self._ready(begun + self._settings.start_timeout)
        except BaseException:
            await self.stop()
            raise
        self._watch = Watch(self._engine.client)
        self.start_seconds = time.monotonic() - begun

    @property
    def answered(self) -> int:
        """Requests that got an answer of any kind since the start."""
        return self._engine.client.answered if self._engine else 0

    async def silence(self) -> float:
        """Seconds since it was last seen to get on; 0 if nothing is due."""
        return await self._watch.silence() if self._watch else 0.0

    def failure(self) -> str | None:
        """Why it answers no longer, with the end of its log; None while it runs."""
        if self._stopped is not None:
            return self._stopped
        return self._process.ended() if self._process else "it was not started"

    async def end_hung(self, cause: str) -> None:
        """End a server that does not answer; what it was asked fails with its connections."""
        assert self._process is not None
        self._stopped = f"{cause}; end of {self._log}:\n{self._process.log_tail()}"
        await asyncio.to_thread(self._process.stop)

    async def stop(self) -> None:
        """End the server; harmless if it is not running."""
        if self._engine is not None:
            await self._engine.close()
            self._engine = None
        if self._process is not None:
            self._stopped = self._stopped or self._process.ended() or "it was stopped"
            await asyncio.to_thread(self._process.stop)
            self._process = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    def _make_engine(self) -> OpenAiEngine:
        settings = self._settings
        endpoint = Endpoint(self.url, settings.concurrency, settings.timeout)
        return OpenAiEngine(endpoint, settings.served_name, key=self._key, additions="vllm")

    async def _ready(self, until: float) -> None:
        """A healthy-looking server may still hang: only an answer counts."""
        assert self._process is not None
        probe = self._make_engine()
        hello = Request(PROBE, temperature=0.0, top_p=1.0, top_k=0, max_tokens=1, seed=0)
        problem = "it was not asked"
        try:
            while time.monotonic() < until:
                ended = self._process.ended()
                if ended is not None:
                    raise EngineError(f"the model server did not start: {ended}")
                try:
                    async with asyncio.timeout(max(until - time.monotonic(), 0.1)):
                        await probe.complete(hello)
                    return
                except TimeoutError:
                    problem = "it accepted a request and did not answer it"
                except RequestRefused as error:  # it works, and would say the same for ever
                    raise EngineError(
                        f"the model server refuses a first request ({error}); end of "
                        f"{self._log}:\n{self._process.log_tail()}"
                    ) from error
                except EngineError as error:
                    problem = str(error)
                    await asyncio.sleep(POLL_S)
            raise EngineError(
                f"the model server did not answer within {self._settings.start_timeout:.0f} s "
                f"({problem}); end of {self._log}:\n{self._process.log_tail()}"
            )
        finally:
            await probe.close()
