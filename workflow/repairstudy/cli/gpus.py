"""The GPUs of a machine, shared out among the jobs that run side by side on it.

Snakemake counts how many GPUs its local jobs hold, but not which: every server would take the
first. A job that SLURM started sees its own alone; those that share an allocation share them out.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from repairstudy.errors import StudyError

VISIBLE = "CUDA_VISIBLE_DEVICES"
WAIT_S = 600.0  # the last owner may still be giving its memory back
_POLL_S = 1.0


class Writer(Protocol):
    """Takes lines of progress."""

    def write(self, text: str) -> object: ...


@contextmanager
def own_gpus(number: int, progress: Writer | None = None, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold some of the visible GPUs, and let this process and its children see these alone.

    A GPU is held by a lock on a file of this machine (never of a shared disk), which the system
    lets go of when the process ends in whatever way.

    Args:
        number: GPUs wanted; 0, or a machine that shows none: nothing is changed.
        wait_s: seconds to wait while other jobs of this user hold them.

    Raises:
        StudyError: there are fewer, or they did not become free.
    """
    if not number:
        yield
        return
    # Most jobs hold none and need no engine.
    from repairstudy.engines.vllm_command import visible_gpus

    visible = visible_gpus()
    if not visible:
        yield
        return
    if number > len(visible):
        raise StudyError(
            f"this job takes {number} GPUs, and {len(visible)} are visible here; "
            "lower models.NAME.gpus or servers, or `gpu` in the profile's resources"
        )
    before = os.environ.get(VISIBLE)
    with ExitStack() as held:
        os.environ[VISIBLE] = ",".join(_take(number, visible, held, progress, wait_s))
        try:
            yield
        finally:
            if before is None:
                del os.environ[VISIBLE]
            else:
                os.environ[VISIBLE] = before


def _take(
    number: int, visible: list[str], held: ExitStack, progress: Writer | None, wait_s: float
) -> list[str]:
    """All or none: jobs that each hold a part of what they need would wait for each other."""
    deadline, told = time.monotonic() + wait_s, False
    while True:
        with ExitStack() as attempt:
            taken: list[str] = []
            for name in visible:
                if len(taken) < number and _lock(name, attempt):
                    taken.append(name)
            if len(taken) == number:
                held.enter_context(attempt.pop_all())
                return taken
        if time.monotonic() > deadline:
            raise StudyError(
                f"{number} of {len(visible)} GPUs wanted, {len(taken)} free for {wait_s:.0f} s: "
                "jobs of this workflow hold the others; give the profile's `gpu` their true number"
            )
        if progress is not None and not told:
            progress.write(f"waiting for {number} GPUs, {len(taken)} are free\n")
            told = True
        time.sleep(_POLL_S)


def _lock(name: str, held: ExitStack) -> bool:
    # Two allocations of SLURM may each call a GPU of their own "0".
    allocation = os.environ.get("SLURM_JOB_ID", "node")
    folder = Path(tempfile.gettempdir()) / f"repairstudy-gpus-{os.getuid()}-{allocation}"
    folder.mkdir(mode=0o700, exist_ok=True)
    file = (folder / name.replace(os.sep, "_")).open("w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    held.callback(file.close)
    return True
