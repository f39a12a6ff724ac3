"""Labels of failures on a page: what each failure has, and what can be asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from repairstudy.report.frames import Frames, table_of

LEAD = (
    "Rules on the recorded steps say what went wrong in a failure (a loop, a pit, a purchase "
    "without options), who is responsible, at which stage, and what the executor lacked. They "
    "describe and do not explain. All rows are exploratory, of few failures each, and many: some "
    "will stand out by chance."
)
AGREEMENT = (
    " A language model read the same runs and chose from the same list of labels, without seeing "
    "what the rules found; agreement is over the failures that both labelled."
)


@dataclass(frozen=True, slots=True)
class LabelView:
    """A label: its axis and name, what it rests on or who gave it, and how many failures have it.

    `evidence` is that of one failure; empty for a filter.
    """

    axis: str
    label: str
    evidence: str
    count: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.axis, self.label


def labels_by_failure(frames: Frames) -> dict[str, list[LabelView]]:
    """The labels of each failure, by axis and name: those of rules, then those of models."""
    found: dict[str, list[LabelView]] = {}
    for row in table_of(frames, "failure_labels").sort("failure_id", "axis", "label").to_dicts():
        view = LabelView(_words(row["axis"]), _words(row["label"]), row["evidence"])
        found.setdefault(row["failure_id"], []).append(view)
    order = ("failure_id", "labeller", "axis", "label")
    for row in table_of(frames, "llm_labels").sort(order).to_dicts():
        axis = f"{_words(row['axis'])} by {row['labeller']}"
        view = LabelView(axis, _words(row["label"]), f"says {row['labeller']}")
        found.setdefault(row["failure_id"], []).append(view)
    return found


def filters(labels: Iterable[Iterable[LabelView]]) -> list[LabelView]:
    """Every label that one of the failures has, with how many of them have it."""
    counted = Counter(key for found in labels for key in {view.key for view in found})
    return [LabelView(axis, label, "", count) for (axis, label), count in sorted(counted.items())]


def _words(name: str) -> str:
    return name.replace("_", " ")
