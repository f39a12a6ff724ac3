"""Failures one by one: what the page says of each."""

import json

import polars as pl
import pytest
from explored import column, primary

from repairstudy.report.explorer import failures, render_explorer
from repairstudy.report.explorer.outcomes import cell, level


@pytest.fixture(scope="module")
def views(frames):
    return failures(frames)


def test_each_failure_is_shown_once_with_its_places_in_the_pools(views, frames):
    assert sorted(view.failure_id for view in views) == sorted(
        frames["failures"]["failure_id"].unique()
    )
    assert views[0].pools == ("smollm2 #1", "smollm2-screened #1")
    assert views[0].pool_names == ("smollm2", "smollm2-screened")
    assert views[0].deployed == "smollm2"


def test_a_long_study_shows_the_first_failures_of_each_deployed_executor(frames):
    shown = failures(frames, most=2)
    assert [view.pools[0] for view in shown] == [
        "smollm2 #1", "smollm2 #2", "policy-strong #1", "policy-strong #2",
    ]  # fmt: skip
    assert "4 of 16 failures are shown" in render_explorer(frames, most=2)


def test_positions_are_marked_in_the_trajectory(views):
    view = views[0]
    marked = {step.t for step in view.steps if "position" in step.kind}
    assert marked == {position.t for position in view.positions}
    assert [step.t for step in view.steps if "primary" in step.kind] == [primary(view).t]


def rolled(frames, view, position, row, executor):
    names = frames["executors"].select("executor_id", "name")
    [candidate] = frames["candidates"].filter(
        (pl.col("failure_id") == view.failure_id)
        & (pl.col("t") == position.t)
        & (pl.col("action") == row.action)
    )["candidate_id"]
    return frames["rollouts"].join(names, on="executor_id").filter(
        (pl.col("candidate_id") == candidate) & (pl.col("name") == executor)
    ).sort("replicate")  # fmt: skip


def test_outcomes_are_those_of_the_rollouts(views, frames):
    position = primary(views[0])
    for row in position.candidates:
        for place, executor in enumerate(position.executors):
            mine = rolled(frames, views[0], position, row, executor)
            shown = row.cells[place]
            assert shown.text == f"{mine['success'].sum()}/{mine.height}"
            assert shown.marks == "".join("●" if won else "○" for won in mine["success"])
            assert shown.level == round(10 * mine["success"].mean())


def test_the_deployed_executor_is_the_first_column_and_the_original_the_first_row(views):
    for view in views:
        for position in view.positions:
            assert position.executors[0] == view.deployed
            assert [row.original for row in position.candidates].index(True) == 0
            numbers = [row.number for row in position.candidates[1:]]
            assert numbers == [str(n + 1) for n in range(len(numbers))]


def broken(frames):
    """The study with an infrastructure error in the place of each first label rollout."""
    first = (pl.col("role") == "label") & (pl.col("replicate") == 0)
    return frames["rollouts"].with_columns(
        status=pl.when(first).then(pl.lit("infrastructure_error")).otherwise("status"),
        success=pl.when(first).then(None).otherwise("success"),
        reward=pl.when(first).then(None).otherwise("reward"),
    )


def test_a_rollout_that_broke_is_a_mark_and_no_outcome(frames):
    view = failures({**frames, "rollouts": broken(frames)})[0]
    shown = column(view.positions[0], "smollm2")["original"]
    assert shown.text.endswith("/9")
    assert shown.marks[0] == "×"
    assert len(shown.marks) == 10


def of_rewards(frames):
    """The study, as if it measured rewards."""
    plan = json.loads(frames["preregistration"]["plan"][0]) | {"metric": "reward"}
    registered = frames["preregistration"].with_columns(plan=pl.lit(json.dumps(plan)))
    label = pl.col("role") == "label"
    graded = frames["rollouts"].with_columns(
        reward=pl.when(label).then(0.25).otherwise("reward"), success=pl.lit(False)
    )
    return {**frames, "rollouts": graded, "preregistration": registered}


def test_a_study_of_rewards_gives_their_mean_before_the_successes(frames):
    shown = column(failures(of_rewards(frames))[0].positions[0], "smollm2")["original"]
    assert (shown.text, shown.marks, shown.level) == ("0.25 · 0/10", "▃" * 10, 2)
    assert "mean reward and successes" in render_explorer(of_rewards(frames), most=1)


@pytest.mark.parametrize(("value", "step"), [(None, None), (0, 0), (0.04, 0), (0.5, 5), (1, 10)])
def test_the_colour_scale_has_eleven_steps(value, step):
    assert level(value) == step


def test_an_exact_value_stands_alone_where_nothing_was_rolled_out():
    shown = cell("3.1.2", [], 0.625, rewards=False)
    assert (shown.text, shown.exact, shown.level, shown.key) == ("–", "0.62", 6, "")
