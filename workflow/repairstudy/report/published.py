"""Published reference numbers, and which numbers of a run stand beside them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import Field

from repairstudy.checked import Section, read_yaml, validate
from repairstudy.report.about import EnvironmentAbout, Label
from repairstudy.report.captions import LOSS_PLACES, estimate
from repairstudy.report.counts import distinct_candidates, largest_budget
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import OTHER_SEEDS, evaluator
from repairstudy.report.numbers import budget, decimal
from repairstudy.report.study import Study, study_of

COUNTED = "distinct_candidates"


class Ours(Section):
    """Which statistics of a run stand beside a published number."""

    analysis: str
    estimand: str
    evaluators: list[str]
    pools: Literal["all", "unscreened", "screened"]


class Quantity(Section):
    """One published number in the words of the publication, by environment."""

    quantity: str
    published: dict[str, str]
    ours: Ours


class Published(Section):
    """All of them."""

    source: str
    setting: str
    environments: dict[str, EnvironmentAbout] = Field(default_factory=dict)
    labels: list[Label] = Field(default_factory=list)
    quantities: list[Quantity]

    @property
    def columns(self) -> list[str]:
        """Columns of the table, in the file's order."""
        return list(dict.fromkeys(name for item in self.quantities for name in item.published))


@dataclass(frozen=True, slots=True)
class Compared:
    """A published number and this run's."""

    quantity: str
    published: tuple[str, ...]
    ours: tuple[str, ...]


def read_published(path: str | Path) -> Published:
    """The reference numbers in a YAML file.

    Raises:
        ConfigError: names the file, the key, and what is accepted there.
    """
    return validate(Published, read_yaml(path), path)


def compare(frames: Frames, published: Published) -> list[Compared]:
    """Each published number with this run's numbers, one text for each pool and evaluator."""
    study = study_of(frames)
    return [
        Compared(
            item.quantity,
            tuple(item.published.get(name, "–") for name in published.columns),
            tuple(_ours(frames, study, item.ours)),
        )
        for item in published.quantities
    ]


def _ours(frames: Frames, study: Study, ours: Ours) -> list[str]:
    if ours.estimand == COUNTED:
        counts = distinct_candidates(frames).group_by("deployed").agg(pl.col("number").mean())
        return [
            f"{deployed}: {decimal(mean, 1)}" for deployed, mean in counts.sort("deployed").rows()
        ]
    found = []
    for pool in study.pools:
        if ours.pools != "all" and pool.screened != (ours.pools == "screened"):
            continue
        for row in statistics(frames, ours.analysis, ours.estimand, pool=pool.name).to_dicts():
            if _matches(row["evaluator"], ours.evaluators):
                number = _number(row, largest_budget(frames))
                shown = f"for {pool.name} by {evaluator(row['evaluator']).label}: {number}"
                weak = " (uninformative pool)" if pool.informative is False else ""
                found.append(f"{shown}{weak}")
    return found


def _matches(name: str, patterns: list[str]) -> bool:
    """Whether a pattern names the evaluator; a pattern without @ means all its rollouts."""
    if name.endswith(OTHER_SEEDS):
        return False
    return any(
        fnmatchcase(name, pattern) and ("@" in pattern or "@" not in name) for pattern in patterns
    )


def _number(row: dict[str, Any], largest: int) -> str:
    if row["estimand"] == "equivalent_budget":
        return budget(row["estimate"], largest)
    return estimate(row, LOSS_PLACES if row["estimand"] == "loss" else 2)
