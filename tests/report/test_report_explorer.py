"""Failures one by one."""

import json

import polars as pl
import pytest
from test_report_page import HOSTILE, Outline

from repairstudy.report.explorer import failures, render_explorer, write_explorer
from repairstudy.report.story import stories


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
    marked = {step.t for step in view.steps if "position" in step.kind}
    assert marked == {position.t for position in view.positions}
    [primary] = [step.t for step in view.steps if "primary" in step.kind]
    assert primary == next(position.t for position in view.positions if position.primary)


def test_outcomes_are_those_of_the_rollouts(views, frames):
    view = views[0]
    position = next(position for position in view.positions if position.primary)
    rollouts = frames["rollouts"].join(frames["executors"], on="executor_id", suffix="_executor")
    candidates = frames["candidates"].filter(
        (pl.col("failure_id") == view.failure_id) & (pl.col("t") == position.t)
    )
    for row in position.outcomes.rows:
        action = row[1].removesuffix(" (original)")
        [candidate] = candidates.filter(pl.col("action") == action)["candidate_id"]
        mine = rollouts.filter(
            (pl.col("candidate_id") == candidate) & (pl.col("name") == "smollm2")
        )
        cell = row[position.outcomes.columns.index("smollm2")]
        assert cell.startswith(f"{mine['success'].sum()}/{mine.height}; exact ")


def test_the_original_comes_first(views):
    for view in views:
        for position in view.positions:
            assert position.outcomes.rows[0][1].endswith(" (original)")


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
    position = failures(of_rewards(frames))[0].positions[0]
    cell = position.outcomes.rows[0][position.outcomes.columns.index("smollm2")]
    assert cell.startswith("0.25 · 0/10")
    assert "mean reward and successes" in position.outcomes.title


def test_choices_name_candidates_by_their_numbers(views):
    position = next(position for position in views[0].positions if position.primary)
    numbers = [row[0] for row in position.outcomes.rows if row[0] != "–"]
    assert position.choices.columns == ("evaluator", *numbers)


PAGE = "WebShop [SEP] Instruction: [SEP] find [x] <b>shoes</b> [SEP] Search"


def with_texts(frames, **texts):
    return {**frames, "steps": frames["steps"].with_columns(**texts)}


def test_pages_are_shown_element_by_element(frames):
    told = failures(with_texts(frames, observation=pl.lit(PAGE), drawing=pl.lit(PAGE)), most=1)[0]
    assert told.wide
    assert told.steps[0].saw.parts == ["WebShop", "Instruction:", "find [x] <b>shoes</b>", "Search"]
    assert told.steps[0].state is None  # the same text is said once
    html = render_explorer(with_texts(frames, observation=pl.lit(PAGE)), most=1)
    assert "<li>find [x] &lt;b&gt;shoes&lt;/b&gt;</li>" in html
    assert "[SEP]" not in html


def test_the_head_of_a_folded_page_says_what_is_new(frames):
    long = PAGE + " [SEP] " + "product " * 40
    told = stories(
        frames["steps"].head(2).with_columns(
            trajectory_id=pl.lit("run"),
            t=pl.Series([0, 1]),
            observation=pl.Series([long, long + " [SEP] Next >"]),
            drawing=pl.Series([long + " [SEP] chosen: red"] * 2),
        )
    )["run"]  # fmt: skip
    assert told[0].saw.head.startswith("WebShop · Instruction:")
    assert [told[1].saw.head, told[0].state.head] == ["Next >", "chosen: red"]


def test_long_texts_are_folded_but_for_the_first_of_a_run(frames):
    room = "You are in the middle of a room. " * 20
    html = render_explorer(with_texts(frames, observation=pl.lit(room)), most=1)
    assert f'<span class="foreign head">{room[:60]}' in html
    assert f'<div class="text foreign">{room}</div>' in html
    assert "(660 characters)" in html


def test_long_actions_wrap_in_their_column(frames):
    typed = frames["candidates"].with_columns(action=pl.lit("search[" + "shoes" * 90 + "]"))
    html = render_explorer({**frames, "candidates": typed}, most=1)
    assert '<td class="action">search[shoesshoes' in html


def test_a_legend_that_ends_every_drawing_is_said_once(frames):
    legend = "A agent, G goal"
    drawn = with_texts(frames, drawing=pl.col("drawing") + pl.lit("\n" + legend))
    html = render_explorer(drawn)
    assert html.count(legend) == 1
    assert [s.state for v in failures(drawn) for s in v.steps] == [
        s.state for v in failures(with_texts(frames)) for s in v.steps
    ]


def test_the_instruction_is_shown_where_it_is_known(frames):
    task = pl.lit("put a <clean> mug on the desk").alias("instruction")
    told = {**frames, "trajectories": frames["trajectories"].with_columns(task)}
    assert "put a &lt;clean&gt; mug on the desk" in render_explorer(told, most=1)


def test_a_page_of_sixty_long_failures_stays_small(frames):
    page = pl.lit(" [SEP] ".join(["<b>red & blue"] * 300))
    row = frames["steps"].head(1).with_columns(observation=page, drawing=page + "!", action=page)
    run = pl.concat([row.with_columns(t=pl.lit(t)) for t in range(25)])
    runs = frames["trajectories"].head(1)
    names = [f"run-{n}" for n in range(60)]
    told = {
        **frames,
        "steps": pl.concat([run.with_columns(trajectory_id=pl.lit(n)) for n in names]),
        "trajectories": pl.concat([runs.with_columns(trajectory_id=pl.lit(n)) for n in names]),
        "failures": pl.concat(
            [
                frames["failures"].head(1).with_columns(
                    trajectory_id=pl.lit(n), failure_id=pl.lit(n), rank=pl.lit(i)
                )
                for i, n in enumerate(names)
            ]
        ),
    }  # fmt: skip
    size = len(render_explorer(told).encode())
    assert 6_000_000 < size < 20_000_000


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
