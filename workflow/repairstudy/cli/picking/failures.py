"""A user's failed runs, each with the step to be repaired and perhaps by what."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from repairstudy.errors import ConfigError
from repairstudy.imported import Line, Run, read_runs


class Candidate(NamedTuple):
    """A replacement of the action at step t."""

    t: int
    action: str


def named(run: Run) -> list[Candidate] | None:
    """The candidates with their steps, each once, in their order; None: none are named.

    Raises:
        ValueError: an action without a step.
    """
    if run.candidates is None:
        return None
    found = []
    for one in run.candidates:
        if isinstance(one, str) and run.t is None:
            raise ValueError("t: needed, since a candidate does not name its own step")
        found.append(Candidate(run.t or 0, one) if isinstance(one, str) else Candidate(**one))
    return list(dict.fromkeys(found))


def read_failures(path: str | Path) -> list[Line]:
    """The failed runs of a file of runs, each with a step to repair.

    Raises:
        StudyError: names the file, the line and the field.
    """
    lines = read_runs(path)
    for line in lines:
        where, run = line.where, line.run
        try:
            candidates = named(run)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from None
        if candidates is None and run.t is None:
            raise ConfigError(f"{where}: t: needed where candidates name no steps")
        for t in {run.t or 0, *(one.t for one in candidates or ())}:
            if not 0 <= t < len(run.actions):
                raise ConfigError(f"{where}: t: {t} is no step of {len(run.actions)} actions")
    return lines
