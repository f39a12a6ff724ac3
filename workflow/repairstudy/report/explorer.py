"""Failures one by one, as a person would want to read them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.report.failure_labels import LabelView, filters, labels_by_failure
from repairstudy.report.folding import Laid, laid
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid
from repairstudy.report.lookups import exact, grouped, outcomes, rows_of, weights
from repairstudy.report.names import in_order
from repairstudy.report.numbers import MISSING, decimal, percent
from repairstudy.report.story import StepView, legend, stories
from repairstudy.report.study import study_of
from repairstudy.report.templating import render
from repairstudy.store import replacing

MOST_FAILURES = 60  # of each deployed executor: a page that a browser still likes


@dataclass(frozen=True, slots=True)
class PositionView:
    """A position: its candidates with their outcomes, and who would have chosen which."""

    t: int
    slack: int | None
    primary: bool
    outcomes: Grid
    choices: Grid | None


@dataclass(frozen=True, slots=True)
class FailureView:
    """A failure: where it comes from, what was to be done, what was done, and its positions.

    `wide`: its texts need a line each; else its steps stand side by side.
    """

    failure_id: str
    deployed: str
    task: str
    instruction: Laid | None
    pools: tuple[str, ...]
    outcome: str
    steps: tuple[StepView, ...]
    wide: bool
    positions: tuple[PositionView, ...] = field(default_factory=tuple)
    labels: tuple[LabelView, ...] = ()


def write_explorer(frames: Frames, out: str | Path, most: int = MOST_FAILURES) -> None:
    """Write the page of failures: the first `most` of each deployed executor's pools."""
    html = render_explorer(frames, most)
    with replacing(out) as temporary:
        temporary.write_text(html, encoding="utf-8")


def render_explorer(frames: Frames, most: int = MOST_FAILURES, report: str = "report.html") -> str:
    """The page as HTML. `report` is the address of the report relative to it."""
    found = failures(frames, most)
    total = table_of(frames, "failures")["failure_id"].n_unique()
    return render(
        "explorer.html.j2",
        study=study_of(frames),
        failures=found,
        total=total,
        report=report,
        filters=filters(frames, [view.failure_id for view in found]),
        legend=legend(table_of(frames, "steps")),
    )


def failures(frames: Frames, most: int = MOST_FAILURES) -> list[FailureView]:
    """The failures shown, in the order of the pools."""
    rows = _failure_rows(frames, most)
    shown = rows["failure_id"].to_list()
    steps = rows_of(frames, "steps", "trajectory_id", rows["trajectory_id"])
    told, views = (
        stories(steps, legend(table_of(frames, "steps"))),
        _PositionViews(frames, shown),
    )
    labels = labels_by_failure(frames)
    return [
        replace(
            _failure_view(row, told.get(row["trajectory_id"], []), views.of(row["failure_id"])),
            labels=tuple(labels.get(row["failure_id"], ())),
        )
        for row in rows.to_dicts()
    ]


def _failure_view(
    row: dict[str, Any], run: list[StepView], positions: list[PositionView]
) -> FailureView:
    kinds = {view.t: "position primary" if view.primary else "position" for view in positions}
    instruction = row.get("instruction")
    return FailureView(
        row["failure_id"],
        row["deployed"],
        row["task_id"] or MISSING,
        laid(instruction) if instruction else None,
        tuple(row["pools"]),
        f"reward {decimal(row['reward'])}" if row["reward"] else "",
        tuple(replace(step, kind=kinds.get(step.t, "")) for step in run),
        any(step.wide for step in run),
        tuple(positions),
    )


def _failure_rows(frames: Frames, most: int) -> pl.DataFrame:
    """One row a failure: its pools with its place in each, the deployed executor, the task."""
    pools = {pool.name: (place, pool.deployed) for place, pool in enumerate(study_of(frames).pools)}
    rows = table_of(frames, "failures").filter(pl.col("pool").is_in(list(pools)))
    place = {name: number for name, (number, _) in pools.items()}
    deployed = {name: executor for name, (_, executor) in pools.items()}
    rows = rows.with_columns(
        place=pl.col("pool").replace_strict(place, return_dtype=pl.Int64),
        deployed=pl.col("pool").replace_strict(deployed, return_dtype=pl.String),
        where=pl.format("{} #{}", "pool", pl.col("rank") + 1),
    ).sort("place", "rank")
    merged = rows.group_by("failure_id", maintain_order=True).agg(
        pl.col("trajectory_id", "deployed", "place", "rank").first(), pools="where"
    )
    known = ("trajectory_id", "task_id", "reward", "instruction")
    runs = table_of(frames, "trajectories")
    tasks = runs.select(name for name in known if name in runs.columns)
    first = merged.group_by("deployed", maintain_order=True).head(most)
    return first.join(tasks, on="trajectory_id", how="left").sort("place", "rank")


class _PositionViews:
    """The positions of the failures shown, all read at once."""

    def __init__(self, frames: Frames, shown: list[str]) -> None:
        self._positions = grouped(
            rows_of(frames, "positions", "failure_id", shown).sort("failure_id", "t"), "failure_id"
        )
        self._candidates = grouped(
            rows_of(frames, "candidates", "failure_id", shown).sort(
                ~pl.col("is_original"), "action"
            ),
            "failure_id", "t",
        )  # fmt: skip
        self._rewards = study_of(frames).metric == "reward"
        self._outcomes = outcomes(frames, shown, self._rewards)
        self._exact = exact(frames, shown)
        self._weights = weights(frames, shown)
        self._views: dict[str, list[PositionView]] = {}

    def of(self, failure_id: str) -> list[PositionView]:
        if failure_id not in self._views:
            self._views[failure_id] = [
                self._view(failure_id, row) for row in self._positions[failure_id]
            ]
        return self._views[failure_id]

    def _view(self, failure_id: str, row: dict[str, Any]) -> PositionView:
        key = (failure_id, row["t"])
        return PositionView(
            row["t"], row["slack"], row["is_primary"], self._grid(key), self._choices(key)
        )

    def _grid(self, key: tuple[str, int]) -> Grid:
        """Candidates with their sources, rollout outcomes and exact values by executor."""
        candidates = self._candidates[key]
        ids = [row["candidate_id"] for row in candidates]
        names = sorted({name for i in ids for name in (*self._outcomes[i], *self._exact[i])})
        cells = [
            [
                number,
                row["action"] + (" (original)" if row["is_original"] else ""),
                ", ".join(row["sources"]) or MISSING,
                *(self._cell(row["candidate_id"], name) for name in names),
            ]
            for number, row in zip(_numbers(candidates), candidates, strict=True)
        ]
        columns = ("no.", "action", "sources", *names)
        numeric = frozenset(range(3, len(columns)))
        what = "mean reward and successes" if self._rewards else "successes"
        title = f"Candidates: {what} of rollouts by executor"
        if any(self._exact[i] for i in ids):
            title += ", with the exact value where it is known"
        return Grid(title, columns, cells, numeric)

    def _cell(self, candidate: str, executor: str) -> str:
        rolled = self._outcomes[candidate].get(executor)
        exact = self._exact[candidate].get(executor)
        return "; ".join(filter(None, (rolled, exact and f"exact {exact}"))) or MISSING

    def _choices(self, key: tuple[str, int]) -> Grid | None:
        """The probability with which each evaluator chooses each candidate."""
        weights = self._weights[key]
        if not weights:
            return None
        candidates = [row for row in self._candidates[key] if not row["is_original"]]
        cells = [
            [
                item.label,
                *(_weight(weights[item.name].get(row["candidate_id"])) for row in candidates),
            ]
            for item in in_order(list(weights))
        ]
        columns = ("evaluator", *_numbers(candidates))
        numeric = frozenset(range(1, len(columns)))
        title = "Who would have chosen what, by the numbers of the candidates"
        return Grid(title, columns, cells, numeric, folded=True)


def _numbers(candidates: list[dict[str, Any]]) -> list[str]:
    """Candidates by number; the original has none, since it cannot be chosen."""
    counted = iter(range(1, len(candidates) + 1))
    return [MISSING if row["is_original"] else str(next(counted)) for row in candidates]


def _weight(value: float | None) -> str:
    return MISSING if not value else percent(round(value, 2))
