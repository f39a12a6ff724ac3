"""One worker process as its owner sees it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from repairstudy import errors
from repairstudy.environments.alfworld.messages import receive, send

# The owner's import path comes first, as with multiprocessing's "spawn": what the owner can
# import, the worker can. Nothing is forked, so no lock of another thread is inherited.
_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from repairstudy.environments.alfworld.worker import main; main()"
)
REAL_ENGINE = "repairstudy.environments.alfworld.engine:Engine"
STDERR_SHOWN = 600  # characters of a dead worker's last words


class WorkerDied(Exception):
    """The process crashed, hung or answered nonsense; the message says which."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker is started with.

    Attributes:
        engine: the engine's class as "module:name".
        translations: folder of cached translations, or None.
        open_games: games that one worker holds open.
        address_space: bytes of address space, so that a planner gone wild ends itself only.
    """

    engine: str = REAL_ENGINE
    translations: str | None = None
    open_games: int = 32
    address_space: int = 4 << 30


class WorkerProcess:
    """A running worker. Not thread-safe: one request at a time."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._channel, theirs = socket.socketpair()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        command = [sys.executable, "-c", _BOOT, json.dumps(sys.path)]
        try:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        except OSError:
            self._channel.close()
            self._stderr.close()
            raise
        finally:
            theirs.close()
        self.pid = self._process.pid
        self._settings = settings

    def wait_ready(self, seconds: float) -> None:
        """Hand it its settings and wait until its engine is there.

        Raises:
            WorkerDied: it did not get so far.
            StudyError: the engine refuses, for example the versions installed.
        """
        settings = {
            "engine": self._settings.engine,
            "translations": self._settings.translations,
            "open_games": self._settings.open_games,
            "address_space": self._settings.address_space,
        }
        self._exchange(settings, seconds)

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Its reply to a request.

        Raises:
            WorkerDied: none came; the process must be ended.
            StudyError: what the engine found wrong with the request.
        """
        return self._exchange(request, seconds)

    def kill(self) -> None:
        """From any thread; who waits for its answer is told that it died."""
        self._process.kill()

    def end(self) -> None:
        """Kill it and collect it; harmless when it has ended."""
        self.kill()
        self._process.wait()
        self._channel.close()
        self._stderr.close()

    def _exchange(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        try:
            send(self._channel, message)
            reply = receive(self._channel, seconds)
        except TimeoutError:
            raise WorkerDied(f"no answer within {seconds:g} s") from None
        except (EOFError, OSError):
            raise WorkerDied(self._last_words()) from None
        if "study_error" in reply:
            kind, *arguments = reply["study_error"]
            raise getattr(errors, kind, errors.StudyError)(*arguments)
        if "engine_error" in reply:
            raise WorkerDied(reply["engine_error"])
        return reply

    def _last_words(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self._stderr.seek(0)
        said = self._stderr.read().decode("utf-8", "replace").strip()
        return how + (f": {said[-STDERR_SHOWN:]}" if said else "")
