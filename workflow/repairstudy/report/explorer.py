"""Failures one by one, as a person would want to read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.report.frames import Frames, table_of
from repairstudy.report.grids import Grid
from repairstudy.report.names import in_order
from repairstudy.report.numbers import MISSING, decimal, percent
from repairstudy.report.study import study_of
from repairstudy.report.templating import render
from repairstudy.store import replacing

MOST_FAILURES = 60  # of each deployed executor: a page that a browser still likes
OUTCOME_ROLES = ("label", "evaluate")


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
    """A failure: where it comes from, what was done, and its positions."""

    failure_id: str
    deployed: str
    task: str
    pools: tuple[str, ...]
    steps: tuple[dict[str, Any], ...]
    positions: tuple[PositionView, ...] = field(default_factory=tuple)


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
        "explorer.html.j2", study=study_of(frames), failures=found, total=total, report=report
    )


def failures(frames: Frames, most: int = MOST_FAILURES) -> list[FailureView]:
    """The failures shown, in the order of the pools."""
    rows = _failure_rows(frames, most)
    shown = rows["failure_id"].to_list()
    steps = _grouped(_of(frames, "steps", "trajectory_id", rows["trajectory_id"]), "trajectory_id")
    views = _PositionViews(frames, shown)
    return [
        FailureView(
            row["failure_id"], row["deployed"], row["task_id"] or MISSING, tuple(row["pools"]),
            tuple(_marked(steps[row["trajectory_id"]], views.of(row["failure_id"]))),
            tuple(views.of(row["failure_id"])),
        )
        for row in rows.to_dicts()
    ]  # fmt: skip


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
    tasks = table_of(frames, "trajectories").select("trajectory_id", "task_id")
    first = merged.group_by("deployed", maintain_order=True).head(most)
    return first.join(tasks, on="trajectory_id", how="left").sort("place", "rank")


def _marked(
    steps: Iterable[dict[str, Any]], positions: Iterable[PositionView]
) -> Iterable[dict[str, Any]]:
    """Steps with the class that marks them as a position."""
    kinds = {view.t: "position primary" if view.primary else "position" for view in positions}
    return [step | {"kind": kinds.get(step["t"], "")} for step in steps]


class _PositionViews:
    """The positions of the failures shown, all read at once."""

    def __init__(self, frames: Frames, shown: list[str]) -> None:
        self._positions = _grouped(
            _of(frames, "positions", "failure_id", shown).sort("failure_id", "t"), "failure_id"
        )
        self._candidates = _grouped(
            _of(frames, "candidates", "failure_id", shown).sort(~pl.col("is_original"), "action"),
            "failure_id", "t",
        )  # fmt: skip
        self._outcomes = _outcomes(frames, shown)
        self._exact = _exact(frames, shown)
        self._weights = _weights(frames, shown)
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
                row["action"] + (" (original)" if row["is_original"] else ""),
                ", ".join(row["sources"]) or MISSING,
                *(self._cell(row["candidate_id"], name) for name in names),
            ]
            for row in candidates
        ]
        columns = ("action", "sources", *names)
        numeric = frozenset(range(2, len(columns)))
        title = "Candidates: successes (or mean reward) of rollouts by executor"
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
        columns = ("evaluator", *(row["action"] for row in candidates))
        numeric = frozenset(range(1, len(columns)))
        return Grid("Who would have chosen what", columns, cells, numeric, folded=True)


def _weight(value: float | None) -> str:
    return MISSING if not value else percent(round(value, 2))


def _of(frames: Frames, table: str, column: str, values: Iterable[str]) -> pl.DataFrame:
    return table_of(frames, table).filter(pl.col(column).is_in(list(values)))


def _grouped(frame: pl.DataFrame, *key: str) -> defaultdict[Any, list[dict[str, Any]]]:
    found: defaultdict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        found[row[key[0]] if len(key) == 1 else tuple(row[name] for name in key)].append(row)
    return found


def _outcomes(frames: Frames, shown: list[str]) -> defaultdict[str, dict[str, str]]:
    """Candidate -> executor -> "6/10", or the mean reward where rewards are not 0 or 1."""
    names = table_of(frames, "executors").select("executor_id", "name")
    value = pl.col("reward").fill_null(pl.col("success").cast(pl.Float64))
    rows = (
        _of(frames, "rollouts", "failure_id", shown)
        .filter(pl.col("role").is_in(OUTCOME_ROLES) & (pl.col("status") != "infrastructure_error"))
        .join(names, on="executor_id")
        .group_by("candidate_id", "name")
        .agg(
            total=pl.len(), won=pl.col("success").sum(), mean=value.mean(),
            partial=((value > 0) & (value < 1)).any(),
        )
    )  # fmt: skip
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows.iter_rows(named=True):
        text = f"{row['won']}/{row['total']}"
        if row["partial"]:
            text = f"{decimal(row['mean'])} ({row['total']})"
        found[row["candidate_id"]][row["name"]] = text
    return found


def _exact(frames: Frames, shown: list[str]) -> defaultdict[str, dict[str, str]]:
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in _of(frames, "exact_values", "failure_id", shown).iter_rows(named=True):
        found[row["candidate_id"]][row["executor"]] = decimal(row["value"])
    return found


def _weights(
    frames: Frames, shown: list[str]
) -> defaultdict[tuple[str, int], dict[str, dict[str, float]]]:
    """Position -> evaluator -> candidate -> weight. Pools that share a failure agree on it."""
    rows = _of(frames, "selections", "failure_id", shown).filter(pl.col("scope") == "position")
    found: defaultdict[tuple[str, int], dict[str, dict[str, float]]] = defaultdict(dict)
    columns = ("failure_id", "t", "evaluator", "candidate_id", "weight")
    for failure_id, t, name, candidate_id, weight in rows.select(columns).iter_rows():
        found[failure_id, t].setdefault(name, {})[candidate_id] = weight
    return found
