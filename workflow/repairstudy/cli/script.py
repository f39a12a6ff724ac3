"""The frame around every script of a rule: a log, and errors a user can act on."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from repairstudy.cli.gpus import own_gpus
from repairstudy.errors import StudyError


class Tee:
    """Writes to the job's log and, line by line, to the terminal."""

    def __init__(self, log: TextIO, label: str) -> None:
        self._log = log
        self._label = label

    def write(self, text: str) -> int:
        self._log.write(text)
        self._log.flush()
        sys.stderr.write("".join(f"[{self._label}] {line}\n" for line in text.splitlines()))
        return len(text)

    def flush(self) -> None:
        sys.stderr.flush()


@contextmanager
def job(log: str | Path, label: str, gpus: int = 0) -> Iterator[Tee]:
    """Run the body of a script; its progress goes to the log and to the terminal.

    A StudyError ends the script with its message alone: it explains itself, and a traceback
    would hide it. Anything else is a bug and keeps its traceback.

    Args:
        gpus: GPUs of this machine that are the job's own while it runs (see `own_gpus`).
    """
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with Path(log).open("w", encoding="utf-8") as file:
        out = Tee(file, label)
        started = time.monotonic()
        try:
            with own_gpus(gpus, out):
                yield out
        except StudyError as error:
            out.write(f"error: {error}\n")
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=file)
            raise
        # What to ask of a cluster next time; a model server's time and memory are its own.
        used = resource.getrusage(resource.RUSAGE_SELF)
        file.write(
            f"done in {time.monotonic() - started:.1f} s, {used.ru_utime + used.ru_stime:.1f} s "
            f"of CPU, at most {used.ru_maxrss / 1024:,.0f} MB\n"
        )


def _end_with(parent: int) -> None:
    """End when the Snakemake that started this job is gone.

    Killed with SIGKILL it cannot end its jobs, and one that goes on would do the work of the
    next run a second time. SIGTERM lets the scheduler write what is finished.
    """
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)


def git_commit() -> str:
    """The commit of the workflow, or "unknown" outside a git checkout."""
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() if asked.returncode == 0 else "unknown"
