"""What a reader must know before the results: the environment's peculiarities, invented parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from repairstudy.checked import Section
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.study import study_of


class EnvironmentAbout(Section):
    """How an environment is called on a page, and what a reader of a run in it must know."""

    title: str
    notes: list[str]


class Label(Section):
    """What is said of a study whose configuration has such a value under such a key."""

    key: str
    like: str
    says: str


def environment_of(frames: Frames) -> str | None:
    """The name of the environment that a study configures; None if its outcomes came from afar."""
    name = study_of(frames).config.get("environment", {}).get("name")
    return str(name) if name else None


def labels(frames: Frames, known: list[Label]) -> list[str]:
    """What the labels say of this study, each once, in the order of the labels."""
    facts = list(_facts(study_of(frames).config))
    clusters = table_of(frames, "trajectories")["cluster"].unique().sort()
    facts += [("trajectories.cluster", cluster) for cluster in clusters]
    said = [
        label.says
        for label in known
        if any(fnmatchcase(k, label.key) and fnmatchcase(v, label.like) for k, v in facts)
    ]
    return list(dict.fromkeys(said))


def _facts(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Keys, joined by dots, with their values as text."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _facts(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", str(value)
