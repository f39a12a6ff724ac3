"""A server process that is this process's own: started, watched, and never left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from repairstudy.engines import supervise
from repairstudy.errors import EngineError

LOG_LINES_SHOWN = 15


class ServerProcess:
    """A running command, in a process group of its own, with its output in a file.

    It ends with `stop`, or as soon as this process ends in whatever way (see `supervise`).

    Args:
        command: program and arguments.
        environment: variables beside the inherited ones.
        log: file that gets the output; earlier content is kept.
        grace: seconds from SIGTERM to SIGKILL.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        grace: float = 15.0,
    ) -> None:
        self.log = log
        self._grace = grace
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            self._log_start = output.tell()
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", supervise.__file__, str(grace), *command],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(os.environ) | dict(environment),
                start_new_session=True,
            )

    def ended(self) -> str | None:
        """How it ended, with the end of its log; None while it runs."""
        code = self._supervisor.poll()
        if code is None:
            return None
        return f"exit code {code}; end of {self.log}:\n{self.log_tail()}"

    def log_tail(self) -> str:
        """The last lines that this process has written."""
        return log_end(self.log, self._log_start)

    def stop(self) -> None:
        """End it and all its descendants; returns when they have."""
        assert self._supervisor.stdin is not None
        with contextlib.suppress(OSError):
            self._supervisor.stdin.close()
        try:
            self._supervisor.wait(timeout=self._grace + 10.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._supervisor.pid, signal.SIGKILL)
            self._supervisor.wait()
            raise EngineError(f"the supervisor hung; see {self.log}") from None


def log_end(log: Path, start: int = 0) -> str:
    """The last lines of a log that were written at or after byte `start`."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode("utf-8", errors="replace").splitlines()
    return "\n".join(lines[-LOG_LINES_SHOWN:])


def free_port() -> int:
    """A port of the loopback interface that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
