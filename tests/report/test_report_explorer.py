"""Failures one by one."""

import polars as pl
import pytest
from test_report_page import HOSTILE, Outline

from repairstudy.report.explorer import failures, render_explorer, write_explorer


@pytest.fixture(scope="module")
def views(frames):
    return failures(frames)


def test_each_failure_is_shown_once_with_its_places_in_the_pools(views, frames):
    assert sorted(view.failure_id for view in views) == sorted(
        frames["failures"]["failure_id"].unique()
    )
    assert views[0].pools == ("smollm2 #1", "smollm2-screened #1")
    assert views[0].deployed == "smollm2"


def test_positions_are_marked_in_the_trajectory(views):
    view = views[0]
    marked = {step["t"] for step in view.steps if "position" in step["kind"]}
    assert marked == {position.t for position in view.positions}
    [primary] = [step["t"] for step in view.steps if "primary" in step["kind"]]
    assert primary == next(position.t for position in view.positions if position.primary)


def test_outcomes_are_those_of_the_rollouts(views, frames):
    view = views[0]
    position = next(position for position in view.positions if position.primary)
    rollouts = frames["rollouts"].join(frames["executors"], on="executor_id", suffix="_executor")
    candidates = frames["candidates"].filter(
        (pl.col("failure_id") == view.failure_id) & (pl.col("t") == position.t)
    )
    for row in position.outcomes.rows:
        action = row[0].removesuffix(" (original)")
        [candidate] = candidates.filter(pl.col("action") == action)["candidate_id"]
        mine = rollouts.filter(
            (pl.col("candidate_id") == candidate) & (pl.col("name") == "smollm2")
        )
        cell = row[position.outcomes.columns.index("smollm2")]
        assert cell.startswith(f"{mine['success'].sum()}/{mine.height}; exact ")


def test_the_original_comes_first(views):
    for view in views:
        for position in view.positions:
            assert position.outcomes.rows[0][0].endswith(" (original)")


def test_a_rollout_that_broke_is_no_outcome(frames):
    label = pl.col("role") == "label"
    broken = frames["rollouts"].with_columns(
        status=pl.when(label & (pl.col("replicate") == 0))
        .then(pl.lit("infrastructure_error"))
        .otherwise("status"),
        success=pl.when(label & (pl.col("replicate") == 0)).then(None).otherwise("success"),
    )
    position = failures({**frames, "rollouts": broken})[0].positions[0]
    cell = position.outcomes.rows[0][position.outcomes.columns.index("smollm2")]
    assert "/9" in cell


def test_rewards_between_zero_and_one_are_given_as_their_mean(frames):
    label = pl.col("role") == "label"
    graded = frames["rollouts"].with_columns(
        reward=pl.when(label).then(0.25).otherwise("reward"), success=pl.lit(False)
    )
    position = failures({**frames, "rollouts": graded})[0].positions[0]
    cell = position.outcomes.rows[0][position.outcomes.columns.index("smollm2")]
    assert cell.startswith("0.25 (10)")


def test_choices_are_probabilities_over_the_candidates(views):
    position = next(position for position in views[0].positions if position.primary)
    matched = next(row for row in position.choices.rows if row[0] == "matched selection")
    assert sum(float(cell.removesuffix("%")) for cell in matched[1:] if cell != "–") == (
        pytest.approx(100, abs=2)
    )


def test_a_long_study_shows_the_first_failures_of_each_deployed_executor(frames):
    shown = failures(frames, most=2)
    assert [view.pools[0] for view in shown] == [
        "smollm2 #1", "smollm2 #2", "policy-strong #1", "policy-strong #2",
    ]  # fmt: skip
    assert "4 of 16 failures are shown" in render_explorer(frames, most=2)


def test_hostile_trajectories_are_shown_and_not_obeyed(frames):
    attacked = {
        **frames,
        "steps": frames["steps"].with_columns(
            observation=pl.lit(HOSTILE + "x" * 50_000), action=pl.lit(HOSTILE),
            drawing=pl.lit("\x1b[2J" + HOSTILE),
        ),
        "candidates": frames["candidates"].with_columns(
            action=pl.lit(HOSTILE), sources=pl.lit([HOSTILE])
        ),
        "trajectories": frames["trajectories"].with_columns(task_id=pl.lit(HOSTILE)),
    }  # fmt: skip
    html = render_explorer(attacked, most=1)
    outline = Outline(html)
    assert not outline.open
    assert not {"script", "img"} & set(outline.tags)
    assert not [name for name in outline.attributes if name.startswith("on")]
    assert "&lt;script&gt;alert(1)" in html
    assert "more characters)" in html
    assert not {"\x00", "\x1b", "\u202e"} & set(html)


def test_a_study_without_steps_still_has_its_positions(elsewhere, tmp_path):
    write_explorer(elsewhere, tmp_path / "explorer.html")
    html = (tmp_path / "explorer.html").read_text(encoding="utf-8")
    assert not Outline(html).open
    assert "What happened" not in html
    assert "Primary position" in html
