"""A checkpoint in a process beside this one, without a server.

For models so small that a server's round trip costs more than the model. It scores choices and
writes no text.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repairstudy.engines.base import ChoiceScores, Completion, Request
from repairstudy.engines.process import log_end
from repairstudy.errors import ConfigError, EngineError

LINE_LIMIT = 2**24  # bytes of one answer
EXIT_S = 5.0  # from the end of its output to the end of a process
# Numbers must not change with the machine's other work; a proxy must not be asked for a local file.
VARIABLES = {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}


class TransformersEngine:
    """An `Engine` that owns such a process (`scorer`); it ends when this one does.

    Args:
        process: the running scorer.
        model: folder of its checkpoint, for messages.
        log: what the process writes to standard error.

    Attributes:
        answered: questions that it has answered.
    """

    def __init__(self, process: asyncio.subprocess.Process, model: str, log: Path) -> None:
        self.answered = 0
        self._process = process
        self._model = model
        self._log = log
        self._waiting: dict[int, asyncio.Future[ChoiceScores]] = {}
        self._asked = 0
        self._since = 0.0  # of the last answer, or of the first question after a pause
        self._end: str | None = None
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def started(
        cls, python: str, model: str, threads: int, log: Path, timeout: float = 300.0
    ) -> TransformersEngine:
        """Return when the checkpoint is loaded.

        Raises:
            EngineError: the process ended, or was not ready in time; with the end of its log.
        """
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as errors:
            try:
                process = await asyncio.create_subprocess_exec(
                    python, "-I", scorer_program(), model, str(threads),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=errors,
                    env=dict(os.environ) | VARIABLES,
                    limit=LINE_LIMIT,
                    start_new_session=True,  # an interrupt from the keyboard is ours to handle
                )  # fmt: skip
            except OSError as error:
                raise EngineError(
                    f"models.NAME.python: {python} cannot be run ({error})"
                ) from error
        assert process.stdout is not None
        try:
            async with asyncio.timeout(timeout):
                first = await process.stdout.readline()
        except TimeoutError:
            first = b""
        except asyncio.CancelledError:
            await _end(process)
            raise
        if first.strip() != b'"ready"':
            await _end(process)
            raise EngineError(f"{model}: the model did not load; end of {log}:\n{log_end(log)}")
        return cls(process, model, log)

    def ended(self) -> str | None:
        """How the process ended, with the end of its log; None while it runs."""
        return self._end

    def silence(self) -> float:
        """Seconds since its last answer; 0 if none is due."""
        return time.monotonic() - self._since if self._waiting else 0.0

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        if not choices or len(set(choices)) != len(choices):
            raise ConfigError(f"choices {list(choices)!r}: must be different, and at least one")
        if self._end is not None:
            raise EngineError(self._end)
        assert self._process.stdin is not None
        if not self._waiting:
            self._since = time.monotonic()
        self._asked += 1
        answer: asyncio.Future[ChoiceScores] = asyncio.get_running_loop().create_future()
        self._waiting[self._asked] = answer
        line = json.dumps([self._asked, prompt, list(choices)])
        self._process.stdin.write(line.encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # its end is noticed by the reader
            await self._process.stdin.drain()
        return await answer

    async def complete(self, request: Request) -> Completion:
        raise ConfigError(
            f"{self._model}: kind 'transformers' scores choices and writes no text; "
            "use kind vllm or openai for decoding.mode: text"
        )

    async def close(self) -> None:
        """End the process."""
        await _end(self._process)
        await self._reader

    async def _read(self) -> None:
        assert self._process.stdout is not None
        problem = ""
        try:
            while line := await self._process.stdout.readline():
                self._answer(*json.loads(line))
            await _ended(self._process)
        except (ValueError, TypeError, KeyError):
            problem = "answered nonsense and "
        finally:
            await _end(self._process)
            how = f"{problem}{_how_ended(self._process.returncode)}"
            self._end = (
                f"{self._model}: the model's process {how}; end of {self._log}:\n"
                f"{log_end(self._log)}"
            )
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(EngineError(self._end))
            self._waiting.clear()

    def _answer(self, number: int, logprobs: list[float] | None, rest: Any) -> None:
        answer = self._waiting.pop(number)
        self.answered += 1
        self._since = time.monotonic()
        if answer.done():  # whoever asked has been cancelled
            return
        if logprobs is None:
            answer.set_exception(ConfigError(f"{self._model}: {rest}; use decoding.mode: text"))
        else:
            answer.set_result(ChoiceScores(tuple(logprobs), rest))


class ScorerServer:
    """Such a process as `owned.OwnedEngine` keeps it alive.

    Args:
        python: interpreter of the environment that has transformers.
        model: folder of the checkpoint.
        threads: cores that it uses.
        log: file for what it writes to standard error.
    """

    def __init__(self, python: str, model: str, threads: int, log: Path) -> None:
        self._settings = (python, model, threads, log)
        self._engine: TransformersEngine | None = None
        self._stopped: str | None = None

    @property
    def engine(self) -> TransformersEngine:
        if self._engine is None:
            raise EngineError("the model's process is not running")
        return self._engine

    @property
    def answered(self) -> int:
        return self._engine.answered if self._engine else 0

    async def start(self) -> None:
        """Return when the checkpoint is loaded; raises as `TransformersEngine.started`."""
        self._engine = await TransformersEngine.started(*self._settings)

    def failure(self) -> str | None:
        """Why it answers no longer; None while it runs."""
        return self._stopped or self.engine.ended()

    async def silence(self) -> float:
        """Seconds since its last answer; 0 if none is due."""
        return self.engine.silence()

    async def end_hung(self, cause: str) -> None:
        """End a process that does not answer; what it was asked fails."""
        self._stopped = cause
        await self.engine.close()

    async def stop(self) -> None:
        """End the process; harmless if it has ended."""
        if self._engine is not None:
            self._stopped = self.failure() or "it was stopped"
            await self._engine.close()


def scorer_program() -> str:
    """The file that the other interpreter runs."""
    return str(Path(__file__).with_name("scorer.py"))


def _how_ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name
    return f"was ended by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Give a process that has closed its output time to end in its own way."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(EXIT_S):
            await process.wait()


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()  # it holds nothing that could be lost
    await process.wait()
