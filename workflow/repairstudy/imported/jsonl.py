"""Files of runs: JSON Lines, one run a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from repairstudy.checked import validate
from repairstudy.errors import ConfigError, DataError
from repairstudy.imported.documents import read_lines
from repairstudy.imported.run import Run
from repairstudy.store.files import replacing


class Line(NamedTuple):
    """A run, the file and line it stands in, for messages, and the number of the line, from 1."""

    where: str
    run: Run
    number: int = 0


def read_runs(path: str | Path) -> list[Line]:
    """The runs of a file.

    Raises:
        StudyError: the file cannot be read, is empty, or has a line that is no run; names the
            file, the line and the field.
    """
    lines: list[Line] = []
    first: dict[str, str] = {}
    for line in _lines(path):
        name = line.run.failure_id
        if name in first:
            raise ConfigError(f"{line.where}: failure_id: '{name}' is that of {first[name]} too")
        first[name] = line.where
        lines.append(line)
    if not lines:
        raise ConfigError(f"{path}: no failed run in it")
    return lines


def write_runs(runs: Iterable[Run], path: str | Path) -> None:
    """A file that `read_runs` reads, in ASCII, so that no text can end a line.

    Raises:
        DataError: it cannot be written.
    """
    texts = [json.dumps(_content(run), allow_nan=False) + "\n" for run in runs]
    try:
        with replacing(path) as temporary:
            temporary.write_text("".join(texts), encoding="ascii", newline="\n")
    except OSError as error:
        raise DataError(path, f"cannot be written ({error.strerror}).") from error


def _content(run: Run) -> dict[str, Any]:
    """Without the fields that say nothing."""
    content = run.model_dump(mode="json")
    return {name: value for name, value in content.items() if value is not None}


def _lines(path: str | Path) -> Iterator[Line]:
    for where, number, content, problem in read_lines(path):
        if content is None:
            raise ConfigError(f"{where}: {problem}")
        yield Line(where, validate(Run, content, where), number)
