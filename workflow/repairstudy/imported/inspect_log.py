"""Runs in logs of Inspect AI: `.eval` archives and `.json` documents, a run each sample and epoch.

Read as the log's format says, without Inspect AI: an archive holds `header.json` and
`samples/ID_epoch_N.json`, of which id, epoch, messages, scores, metadata and error are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairstudy.errors import DataError
from repairstudy.imported.calls import Tools
from repairstudy.imported.documents import LARGEST, checked, parsed, read_bytes
from repairstudy.imported.logged import LoggedRun, field_of
from repairstudy.imported.messages import conversation
from repairstudy.imported.openai import messages_of
from repairstudy.imported.zipped import Archive, is_archive

HEADER = "header.json"
_SAMPLE = re.compile(r"samples/(.+)_epoch_(\d+)\.json")
_CHUNKED = re.compile(r"samples/.+/sample\.json")
_ATTACHED = re.compile(r"attachment://([0-9a-f]{32})")
CORRECT, INCORRECT = "C", "I"  # what Inspect's scorers say of an answer


def inspect_runs(path: Path, tools: Tools, score: str | None = None) -> Iterator[LoggedRun]:
    """The runs of a log, in the order of the samples, the unreadable ones with their problem.

    Args:
        score: whose score says whether the run solved its task; needed where there are several.

    Raises:
        DataError: the file is no log of Inspect AI, or is broken.
    """
    about, samples = _log(path)
    for number, (where, content) in enumerate(samples, start=1):
        one = checked(where, number, content)
        if one.content is None:
            yield LoggedRun(where, number, f"{path.stem}-{number}", problem=one.problem)
        else:
            yield _run(where, number, path, one.content, about, tools, score)


def _log(path: Path) -> tuple[Mapping[str, Any], Iterator[tuple[str, Any]]]:
    """What the log says of itself, and each sample with its place."""
    if not is_archive(path):
        content = _parsed(read_bytes(path), path)
        if not isinstance(content, dict) or not isinstance(content.get("eval"), dict):
            raise DataError(path, "no log of Inspect AI: it has no section `eval`.")
        samples = content.get("samples") or []
        return content["eval"], (
            (f"{path}, sample {number}", one) for number, one in enumerate(samples, start=1)
        )
    archive = Archive(path)
    names = [name for name in archive.names if _SAMPLE.fullmatch(name)]
    if not names and any(map(_CHUNKED.fullmatch, archive.names)):
        raise DataError(
            path,
            "its samples are in pieces, a layout that is not read here.",
            "Convert it with Inspect AI: `inspect log convert --to json`.",
        )
    header = _parsed(archive.read(HEADER), path) if HEADER in archive.names else {}
    about = header.get("eval") if isinstance(header, dict) else None
    if not names and not isinstance(about, dict):
        raise DataError(path, f"no log of Inspect AI: neither {HEADER} nor samples in it.")
    about = about if isinstance(about, dict) else {}
    return about, (
        (f"{path}, {name}", _parsed(archive.read(name), f"{path}, {name}"))
        for name in _ordered(names, about)
    )


def _ordered(names: list[str], about: Mapping[str, Any]) -> list[str]:
    """Epoch by epoch, in the order of the samples; an archive has them as they were finished.

    That order would let short runs come first.
    """
    ids = field_of(about, "dataset.sample_ids")
    place = {str(one): number for number, one in enumerate(ids if isinstance(ids, list) else [])}

    def key(name: str) -> tuple[int, int, str]:
        found = _SAMPLE.fullmatch(name)
        assert found is not None
        return int(found[2]), place.get(found[1], len(place)), name

    return sorted(names, key=key)


def _run(
    where: str, number: int, path: Path, sample: dict[str, Any], about: Mapping[str, Any],
    tools: Tools, score: str | None,
) -> LoggedRun:  # fmt: skip
    fields = {key: sample.get(key) for key in ("id", "epoch", "input", "target", "metadata")}
    name = f"{fields['id']}-{fields['epoch']}"
    source = {
        "format": "inspect", "file": path.name, "sample": fields["id"], "epoch": fields["epoch"],
        "task": about.get("task"), "model": about.get("model"),
    }  # fmt: skip
    if sample.get("error"):
        error = sample["error"]
        said = error.get("message") if isinstance(error, Mapping) else error
        problem = f"the sample ended in an error, which is not the agent's: {said!s:.200}"
        return LoggedRun(where, number, name, fields, source=source, problem=problem)
    if sample.get("invalidation"):
        problem = "the sample was invalidated"
        return LoggedRun(where, number, name, fields, source=source, problem=problem)
    try:
        messages = _attached(sample.get("messages"), sample.get("attachments") or {})
        found = conversation(messages_of(messages), tools)
        success, reward = _claim(sample.get("scores"), score)
    except ValueError as error:
        problem = f"messages: {error}"
        return LoggedRun(where, number, name, fields, source=source, problem=problem)
    return LoggedRun(
        where, number, name, fields, found.opening, turns=found.turns,
        success=success, reward=reward, source=source,
    )  # fmt: skip


def _claim(scores: Any, chosen: str | None) -> tuple[bool | None, float | None]:
    """Success and reward as a score gives them: C or I, true or false, a number from 0 to 1."""
    if not isinstance(scores, Mapping) or (chosen is None and len(scores) != 1):
        return None, None
    name = next(iter(scores)) if chosen is None else chosen
    if name not in scores:
        raise ValueError(f"no score '{name}' (there are: {', '.join(map(str, scores))})")
    value = scores[name].get("value") if isinstance(scores[name], Mapping) else None
    if isinstance(value, bool):
        return value, None
    if value in (CORRECT, INCORRECT):
        return value == CORRECT, None
    if isinstance(value, int | float) and 0.0 <= value <= 1.0:
        return None, float(value)
    return None, None


def _attached(content: Any, attachments: Mapping[str, Any]) -> Any:
    """The content with what was stored apart from it."""
    if isinstance(content, str):
        return _ATTACHED.sub(lambda found: str(attachments.get(found[1], found[0])), content)
    if isinstance(content, list):
        return [_attached(one, attachments) for one in content]
    if isinstance(content, Mapping):
        return {key: _attached(one, attachments) for key, one in content.items()}
    return content


def _parsed(text: bytes, where: str | Path) -> Any:
    """Inspect writes NaN for a score that could not be given."""
    assert len(text) <= LARGEST
    return parsed(text, where, lambda _: None)
