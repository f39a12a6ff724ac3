"""Which format a file is in, and its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from repairstudy.errors import ConfigError, DataError
from repairstudy.imported.agenttraj import agenttraj_runs
from repairstudy.imported.calls import Tools
from repairstudy.imported.documents import Document, read_lines, read_objects
from repairstudy.imported.exported import EXPORTED, exported_runs, own_runs
from repairstudy.imported.inspect_log import inspect_runs
from repairstudy.imported.logged import LoggedRun
from repairstudy.imported.openai import chat_runs
from repairstudy.imported.zipped import is_archive

Format = Literal["jsonl", "openai", "inspect", "agenttraj", "export"]
FORMATS: tuple[str, ...] = get_args(Format)


@dataclass(frozen=True, slots=True)
class Reading:
    """How logs are read. `score`: of a log of Inspect AI, the one that says who succeeded."""

    tools: Tools = field(default_factory=Tools)
    score: str | None = None


def logged_runs(path: Path, form: str = "auto", reading: Reading | None = None) -> list[LoggedRun]:
    """All runs of a file, those that could not be read with their problem.

    Args:
        form: one of FORMATS, or "auto".

    Raises:
        StudyError: the file cannot be read, is broken as a whole, or has no run.
    """
    reading = reading or Reading()
    if form not in (*FORMATS, "auto"):
        raise ConfigError(f"--format: no format '{form}' (known: auto, {', '.join(FORMATS)})")
    if not path.is_file():
        raise DataError(path, "there is no such file.")
    if form == "auto" and is_archive(path):
        form = "inspect"
    documents = [] if form == "inspect" else _documents(path)
    if form == "auto":
        form = _format_of(path, documents)
    match form:
        case "inspect":
            found = list(inspect_runs(path, reading.tools, reading.score))
        case "openai":
            found = list(chat_runs(documents, path, reading.tools))
        case "agenttraj":
            found = list(agenttraj_runs(documents, path))
        case "export":
            found = list(exported_runs(documents, path))
        case _:
            found = list(own_runs(documents, path))
    if not found:
        raise DataError(path, "no run in it.")
    return found


def _documents(path: Path) -> list[Document]:
    """The objects of a .json document; of any other file the lines, as JSON Lines."""
    return read_objects(path) if path.suffix == ".json" else list(read_lines(path))


def _format_of(path: Path, documents: list[Document]) -> str:
    content = next((one.content for one in documents if one.content is not None), None)
    if content is None:
        return "jsonl"
    form = _by_keys(content)
    if form is None:
        raise ConfigError(
            f"{path}: which format it has cannot be told (keys: {', '.join(content):.200}); "
            f"give --format, one of {', '.join(FORMATS)}"
        )
    return form


def _by_keys(content: Mapping[str, Any]) -> str | None:
    if EXPORTED in content:
        return "export"
    if "actions" in content or {"failure_id", "task_id"} <= set(content):
        return "jsonl"
    if "conversations" in content:
        return "agenttraj"
    if "eval" in content:
        return "inspect"
    messages = content.get("messages")
    if isinstance(messages, list) and messages and isinstance(messages[0], Mapping):
        return "agenttraj" if messages[0].get("role") in ("human", "gpt") else "openai"
    return None
