"""Runs in the project's own files: files of runs, and what `snakemake export` wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairstudy.checked import validate
from repairstudy.errors import ConfigError
from repairstudy.imported.documents import Document
from repairstudy.imported.logged import LoggedRun, Turn
from repairstudy.imported.run import Run

EXPORTED = "deployed_executor_id"  # a column that tells exported runs from other files
_TAKEN = ("failure_id", "task_id", "actions", "observations", "valid", "reward")


def own_runs(documents: list[Document], path: Path) -> Iterator[LoggedRun]:
    """The runs of a file of runs, the unreadable ones with their problem."""
    yield from _runs(documents, path, lambda content: content)


def exported_runs(documents: list[Document], path: Path) -> Iterator[LoggedRun]:
    """The runs of a study's `failed_runs.jsonl`, the unreadable ones with their problem."""

    def taken(row: Mapping[str, Any]) -> dict[str, Any]:
        about = {key: row.get(key) for key in ("study", "deployed")}
        source = {"format": "export", "file": path.name, **about}
        return {key: row[key] for key in _TAKEN if key in row} | {
            "success": False, "source": source
        }  # fmt: skip

    yield from _runs(documents, path, taken)


def logged(run: Run, where: str, number: int) -> LoggedRun:
    """A run of the format as one of a log: it is replayed and compared as any other."""
    n = len(run.actions)
    shown = list(run.observations or [])
    after = [*shown[1:], *[None] * (n + 1 - max(len(shown), 1))]
    texts: list[str | None] = run.texts or [None] * n
    valid: Sequence[bool | None] = run.valid or [None] * n
    return LoggedRun(
        where, number, run.failure_id, {"task_id": run.task_id},
        first=shown[0] if shown else None,
        turns=tuple(
            Turn(*one) for one in zip(run.actions, texts, after, valid, strict=True)
        ),
        success=run.success, reward=run.reward, source=run.source or {},
        keep={"t": run.t, "candidates": run.candidates},
    )  # fmt: skip


def _runs(
    documents: list[Document], path: Path, taken: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[LoggedRun]:
    for where, number, content, problem in documents:
        name = f"{path.stem}-{number}"
        if content is None:
            yield LoggedRun(where, number, name, problem=problem)
            continue
        try:
            yield logged(validate(Run, taken(content), where), where, number)
        except ConfigError as error:
            said = str(error).removeprefix(f"{where}: ").replace(f"\n{where}: ", "; ")
            yield LoggedRun(where, number, name, problem=said)
