"""The failures of a study as a list and one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import polars as pl

from repairstudy.report.explorer.choices import ChoiceView, choice_views
from repairstudy.report.explorer.folding import Laid, laid
from repairstudy.report.explorer.lookups import rows_of, weights, worth
from repairstudy.report.explorer.maps import MapView, draw_moves, draw_run
from repairstudy.report.explorer.places import Places
from repairstudy.report.explorer.positions import PositionView, position_view
from repairstudy.report.explorer.story import StepView, legend, stories
from repairstudy.report.failure_labels import LabelView, labels_by_failure
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.numbers import MISSING, decimal
from repairstudy.report.study import study_of
from repairstudy.report.text import one_line

MOST_FAILURES = 60  # of each deployed executor: a page that a browser still likes
LONGEST_TASK = 120  # characters of a task's name in the list and in headings
HELPS = 0.05  # least net gain of a candidate that helps


@dataclass(frozen=True, slots=True)
class FailureView:
    """A failure: where it comes from, what was to be done, what was done, and its positions.

    Attributes:
        anchor: id of its part of the page; that of a position adds `-step-T`.
        pools: its pools with its place in each; `pool_names` are their names alone.
        wide: its texts need a line each; else its steps stand side by side.
        path: the run on its map, in a gridworld.
        across: who would have chosen which position, of the evaluators that choose one.
    """

    failure_id: str
    anchor: str
    deployed: str
    task: str
    instruction: Laid | None
    pools: tuple[str, ...]
    pool_names: tuple[str, ...]
    outcome: str
    steps: tuple[StepView, ...]
    wide: bool
    positions: tuple[PositionView, ...]
    labels: tuple[LabelView, ...]
    path: MapView | None
    across: tuple[ChoiceView, ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """What went wrong, for a line of the list."""
        found = (view.label for view in self.labels if view.axis.startswith("failure type"))
        return tuple(dict.fromkeys(one_line(label) for label in found))

    @property
    def task_line(self) -> str:
        return one_line(self.task, LONGEST_TASK)

    @property
    def length(self) -> str:
        return f"{len(self.steps)} step" + ("" if len(self.steps) == 1 else "s")

    @property
    def primary(self) -> PositionView | None:
        return next((view for view in self.positions if view.primary), None)

    @property
    def reach(self) -> tuple[float, bool] | None:
        """Net gain of the best candidate at the primary position, and whether it is exact."""
        return self.primary.reach if self.primary else None

    @property
    def reach_text(self) -> str:
        if self.reach is None:
            return MISSING
        return ("+" if round(self.reach[0], 2) > 0 else "") + decimal(self.reach[0])

    @property
    def helps(self) -> bool:
        return self.reach is not None and round(self.reach[0], 9) >= HELPS

    @property
    def choosers(self) -> Sequence[ChoiceView]:
        """Those at the primary position whose choice is judged, the worst first."""
        found = self.primary.choices if self.primary else ()
        judged = [one for one in found if one.judged and one.cost is not None]
        return sorted(judged, key=lambda one: -(one.cost or 0))

    @property
    def disagreeing(self) -> bool:
        return bool(self.primary and self.primary.disagreeing)

    @property
    def settled(self) -> bool:
        return any(view.settled for view in self.positions)


def anchor_of(failure_id: str) -> str:
    """The id of a failure on the page, which is also what a link to it ends with."""
    return "failure-" + quote(failure_id, safe="")


def failures(
    frames: Frames, most: int = MOST_FAILURES, places: Places | None = None
) -> list[FailureView]:
    """The failures shown, in the order of the pools: the first `most` of each deployed executor."""
    rows = failure_rows(frames, most)
    shown = rows["failure_id"].to_list()
    places = places or Places(frames, deployed_of(rows))
    told = _told(frames, rows)
    labels = labels_by_failure(frames)
    across, prices = weights(frames, shown, "failure"), worth(frames, shown, "failure")
    found = []
    for row in rows.to_dicts():
        failure_id = row["failure_id"]
        here = tuple(map(position_view, places.of(failure_id)))
        known = {name: prices[failure_id, None, name] for name in across[failure_id]
                 if (failure_id, None, name) in prices}  # fmt: skip
        chosen = _by_step(across[failure_id])
        found.append(
            _failure_view(
                row, told.get(row["trajectory_id"], []), here,
                tuple(labels.get(failure_id, ())),
                choice_views(chosen, [str(view.t) for view in here], known),
            )
        )  # fmt: skip
    return found


def _told(frames: Frames, rows: pl.DataFrame) -> Mapping[str, list[StepView]]:
    """The stories of the runs shown."""
    steps = rows_of(frames, "steps", "trajectory_id", rows["trajectory_id"])
    named = rows["environment"].drop_nulls().unique().to_list()
    environment = named[0] if len(named) == 1 else None
    return stories(steps, legend(table_of(frames, "steps")), environment)


def _failure_view(
    row: dict[str, Any], run: list[StepView], positions: tuple[PositionView, ...],
    labels: tuple[LabelView, ...], across: tuple[ChoiceView, ...],
) -> FailureView:  # fmt: skip
    stops = {view.t: view.primary for view in positions}
    kinds = {t: "position primary" if primary else "position" for t, primary in stops.items()}
    instruction = row["instruction"]
    reward = f"reward {decimal(row['reward'])}" if row["reward"] else ""
    states = [step.symbols for step in run if step.symbols]
    drawn = bool(states) and len(states) == len(run)
    return FailureView(
        row["failure_id"], anchor_of(row["failure_id"]), row["deployed"],
        row["task_id"] or MISSING, laid(instruction) if instruction else None,
        tuple(f"{name} #{rank + 1}" for name, rank in zip(row["pools"], row["ranks"], strict=True)),
        tuple(row["pools"]), reward,
        tuple(replace(step, kind=kinds.get(step.t, "")) for step in run),
        any(step.wide for step in run),
        tuple(_with_moves(view, run) if drawn else view for view in positions),
        labels,
        draw_run(states, run[-1].action, {t: p for t, p in stops.items() if t < len(states)})
        if drawn else None,
        across,
    )  # fmt: skip


def _with_moves(view: PositionView, run: Sequence[StepView]) -> PositionView:
    """The position with its candidates as arrows on the map, coloured by the own rollouts."""
    state = next((step.symbols for step in run if step.t == view.t), None)
    if state is None:
        return view
    moves = [(row.action, row.number, *_brief(row.cells), row.original) for row in view.candidates]
    return replace(view, map=draw_moves(state, moves))


def _brief(cells: Sequence[Any]) -> tuple[str, int | None]:
    """Exact value or outcome under the first executor, which is the deployed one."""
    return (cells[0].exact or cells[0].text, cells[0].level) if cells else ("", None)


def _by_step(
    chosen: Mapping[str, Mapping[tuple[int, str], float]],
) -> dict[str, dict[str, float]]:
    """Evaluator -> step -> probability that it chooses a candidate there."""
    summed: dict[str, dict[str, float]] = {}
    for name, by_candidate in chosen.items():
        mine = summed.setdefault(name, {})
        for (t, _), weight in by_candidate.items():
            mine[str(t)] = mine.get(str(t), 0.0) + weight
    return summed


def deployed_of(rows: pl.DataFrame) -> dict[str, str]:
    """Failure -> the executor that failed, from `failure_rows`."""
    return dict(rows.select("failure_id", "deployed").iter_rows())


def failure_rows(frames: Frames, most: int) -> pl.DataFrame:
    """One row a failure: its pools with its place in each, the deployed executor, the task."""
    pools = {pool.name: (place, pool.deployed) for place, pool in enumerate(study_of(frames).pools)}
    rows = table_of(frames, "failures").filter(pl.col("pool").is_in(list(pools)))
    place = {name: number for name, (number, _) in pools.items()}
    deployed = {name: executor for name, (_, executor) in pools.items()}
    rows = rows.with_columns(
        place=pl.col("pool").replace_strict(place, return_dtype=pl.Int64),
        deployed=pl.col("pool").replace_strict(deployed, return_dtype=pl.String),
    ).sort("place", "rank")
    merged = rows.group_by("failure_id", maintain_order=True).agg(
        pl.col("trajectory_id", "deployed", "place", "rank").first(), pools="pool", ranks="rank"
    )
    known = ("trajectory_id", "environment", "task_id", "reward", "instruction")
    runs = table_of(frames, "trajectories")
    absent = [pl.lit(None, pl.String).alias(name) for name in known if name not in runs.columns]
    tasks = runs.with_columns(absent).select(known)
    first = merged.group_by("deployed", maintain_order=True).head(most)
    return first.join(tasks, on="trajectory_id", how="left").sort("place", "rank")
