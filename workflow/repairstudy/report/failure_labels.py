"""Labels of failures on a page: what each failure has, and filters that need no script."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

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
    """A label: its axis and name, what it rests on, its CSS class, and how many failures have it.

    `evidence` is that of one failure; empty for a filter.
    """

    axis: str
    label: str
    evidence: str
    css: str
    count: int = 0


def labels_by_failure(frames: Frames) -> dict[str, list[LabelView]]:
    """The labels of each failure, by axis and name."""
    found: dict[str, list[LabelView]] = {}
    for row in table_of(frames, "failure_labels").sort("failure_id", "axis", "label").to_dicts():
        view = LabelView(
            _words(row["axis"]), _words(row["label"]), row["evidence"], _css(row["axis"],
            row["label"]),
        )  # fmt: skip
        found.setdefault(row["failure_id"], []).append(view)
    return found


def filters(frames: Frames, shown: list[str]) -> list[LabelView]:
    """Every label that one of the failures shown has, with how many of them have it."""
    rows = table_of(frames, "failure_labels").filter(pl.col("failure_id").is_in(shown))
    counted = rows.group_by("axis", "label").agg(pl.len()).sort("axis", "label")
    return [
        LabelView(_words(axis), _words(label), "", _css(axis, label), count)
        for axis, label, count in counted.iter_rows()
    ]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _css(axis: str, label: str) -> str:
    """A class name; no text of a table gets into the page's rules as it is."""
    return "label-" + re.sub(r"[^a-z0-9]+", "-", f"{axis} {label}".lower()).strip("-")
