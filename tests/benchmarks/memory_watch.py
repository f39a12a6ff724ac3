"""How the memory of a running job goes with what it has done."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

EVERY_S = 2.0
_PROGRESS = re.compile(r"^([\d,]+) of [\d,]+ rollouts", re.MULTILINE)


@contextmanager
def watched(script: str, logs: Path, notes: Path) -> Iterator[None]:
    """Note every other second what each job of a script holds, and how far its log says it is.

    Args:
        script: name of the rule's script; logs: folder of the jobs' logs, JOB.log.
        notes: JSON lines are added to it: job, done (rollouts), mb (resident).
    """
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(script, logs, notes, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(script: str, logs: Path, notes: Path, over: threading.Event) -> None:
    while not over.wait(EVERY_S):
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error, OSError):
                if script not in " ".join(process.cmdline()) or process.children():
                    continue
                log = _open_log(process, logs)
                found = _PROGRESS.findall(log.read_text("utf-8")) if log else []
                if log:
                    done = int(found[-1].replace(",", "")) if found else 0
                    note = {"job": log.stem, "done": done, "mb": process.memory_info().rss >> 20}
                    with notes.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(note) + "\n")


def _open_log(process: psutil.Process, logs: Path) -> Path | None:
    opened = [Path(one.path) for one in process.open_files()]
    return next((path for path in opened if path.parent == logs.resolve()), None)


def memory_at(notes: Path, job: str, shares: tuple[float, ...]) -> list[tuple[int, int]]:
    """The first (rollouts done, MB held) at or above each share of all that the job did.

    Nothing if it was over before it could be looked at.
    """
    lines = notes.read_text("utf-8").splitlines() if notes.exists() else []
    rows = [json.loads(line) for line in lines]
    seen = [(row["done"], row["mb"]) for row in rows if row["job"] == job and row["done"]]
    last = max((done for done, _ in seen), default=0)
    return [next(one for one in seen if one[0] >= share * last) for share in shares if seen]
