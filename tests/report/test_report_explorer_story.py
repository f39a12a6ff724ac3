"""The story of a failed run: maps of a gridworld, pages of a shop, texts, and their size."""

import polars as pl
import pytest

from repairstudy.environments.gridworld.text import LEGEND
from repairstudy.report.explorer import failures, render_explorer
from repairstudy.report.explorer.maps import draw, draw_moves, draw_run, symbols
from repairstudy.report.explorer.story import stories

PAGE = "WebShop [SEP] Instruction: [SEP] find [x] <b>shoes</b> [SEP] Search"
MAP = "G . #\n. A O\n. c ."
ABOVE = "Instruction: [SEP] find shoes [SEP] "


def with_texts(frames, **texts):
    return {**frames, "steps": frames["steps"].with_columns(**texts)}


def in_environment(frames, name):
    return {**frames, "trajectories": frames["trajectories"].with_columns(environment=pl.lit(name))}


# ---- Texts


def test_joined_texts_are_shown_element_by_element(frames):
    told = failures(with_texts(frames, observation=pl.lit(PAGE), drawing=pl.lit(PAGE)), most=1)[0]
    assert told.wide
    assert told.steps[0].saw.parts == ["WebShop", "Instruction:", "find [x] <b>shoes</b>", "Search"]
    assert told.steps[0].state is None  # the same text is said once
    html = render_explorer(with_texts(frames, observation=pl.lit(PAGE), drawing=pl.lit("")), most=1)
    assert '<li dir="auto">find [x] &lt;b&gt;shoes&lt;/b&gt;</li>' in html
    assert "[SEP]" not in html


def told(frames, observations, drawings):
    rows = frames["steps"].head(len(observations)).with_columns(
        trajectory_id=pl.lit("run"), t=pl.Series(range(len(observations))),
        observation=pl.Series(observations), drawing=pl.Series(drawings),
    )  # fmt: skip
    return stories(rows)["run"]


def test_the_head_of_a_folded_page_says_what_is_new(frames):
    long = PAGE + " [SEP] " + "product " * 40
    first, second = told(
        frames, [long, long + " [SEP] Next >"], [long + " [SEP] chosen: red"] * 2
    )  # fmt: skip
    assert first.saw.head.startswith("WebShop · Instruction:")
    assert [second.saw.head, first.state.head] == ["Next >", "chosen: red"]
    assert second.state.head == "as before"


def test_long_texts_are_folded_but_for_the_first_of_a_run(frames):
    room = "You are in the middle of a room. " * 20
    html = render_explorer(with_texts(frames, observation=pl.lit(room), drawing=pl.lit("")), most=1)
    assert f'<bdi class="head">{room[:60]}' in html
    assert f'<div class="text foreign" dir="auto">{room}</div>' in html
    assert "(660 characters)" in html


def test_a_legend_that_ends_every_drawing_is_said_once(frames):
    legend = "A agent, G goal"
    elsewhere = in_environment(frames, "elsewhere")
    drawn = with_texts(elsewhere, drawing=pl.col("drawing") + pl.lit("\n" + legend))
    assert render_explorer(drawn).count(legend) == 1
    assert [s.state for v in failures(drawn) for s in v.steps] == [
        s.state for v in failures(with_texts(elsewhere)) for s in v.steps
    ]


def test_the_instruction_is_shown_where_it_is_known(frames):
    task = pl.lit("put a <clean> mug on the desk").alias("instruction")
    told = {**frames, "trajectories": frames["trajectories"].with_columns(task)}
    assert "put a &lt;clean&gt; mug on the desk" in render_explorer(told, most=1)


# ---- The gridworld


def test_a_map_is_drawn_as_shapes_on_a_grid_of_ten_units_a_cell():
    drawn = draw(symbols(MAP))
    assert drawn.box == "0 0 30 30"
    assert drawn.agent == (15, 15)
    assert {name: path[:7] for name, path in drawn.shapes} == {
        "goal": "M0 0m5 ", "wall": "M20 0h1", "pit": "M20 10m", "crack": "M10 20m",
    }  # fmt: skip
    assert not drawn.letters


def test_a_symbol_without_a_shape_stays_a_letter():
    assert draw(symbols("A .\n~ .")).letters == (((5, 15), "~"),)


@pytest.mark.parametrize(
    "text", ["", "A .", "A .\n.", "A .\n. ..", "A .\nA .", ". .\n. .", "\n".join(["A ."] * 30)]
)
def test_other_texts_are_no_maps(text):
    assert symbols(text) is None


def test_every_symbol_of_the_environments_legend_has_a_shape():
    named = [part.split(" ")[0] for part in LEGEND.split(", ")]
    for symbol in named:
        rows = symbols(f"A {symbol}\n. ." if symbol != "A" else "A .\n. .")
        assert not draw(rows).letters


def states(*agents):
    return [tuple("".join("A" if (x, y) == agent else "." for x in range(3)) for y in range(3))
            for agent in agents]  # fmt: skip


def test_the_path_goes_through_every_cell_and_shows_where_the_last_action_led():
    run = draw_run(states((0, 0), (1, 0)), "right", {1: True})
    assert run.trail == "5,5 15,5 25,5"
    assert [(stop.at, stop.t, stop.primary) for stop in run.stops] == [((15, 5), 1, True)]


def test_the_path_ends_at_a_wall_or_where_the_action_is_no_move():
    assert draw_run(states((0, 0)), "up", {}).trail == "5,5"
    assert draw_run(states((0, 0)), "click[up]", {}).trail == "5,5"


def test_a_path_that_comes_back_does_not_cover_itself():
    trail = draw_run(states((0, 0), (1, 0), (0, 0), (1, 0)), "", {}).trail.split(" ")
    assert len(set(trail)) == 4


def test_positions_in_one_cell_stand_side_by_side():
    stops = draw_run(states((0, 0), (0, 0), (0, 0)), "", {0: False, 1: True, 2: False}).stops
    assert [stop.at[0] for stop in stops] == [1.7, 5, 8.3]
    assert all(stop.radius * 2 <= 3.4 for stop in stops)


def test_candidates_are_arrows_to_where_they_lead():
    drawn = draw_moves(
        symbols(MAP), [("up", "1", "3/10", 3, False), ("left", "–", "0.10", 1, True)]
    )
    up, left = drawn.arrows
    assert (up.end, up.number, up.level) == ((15, 8.5), "1", 3)
    assert (left.end, left.original) == ((8.5, 15), True)
    assert draw_moves(symbols(MAP), [("jump", "1", "", None, False)]) is None


def test_the_page_of_a_gridworld_draws_run_steps_and_candidates(frames):
    html = render_explorer(frames, most=1)
    view = failures(frames, most=1)[0]
    assert view.path
    assert html.count('<svg class="map large"') == 2
    assert html.count('<svg class="map small"') == 2 * 14
    assert html.count('<svg class="map moves"') == 6
    assert "orange for the primary one" in html


# ---- Size


def many(frames, failures_of_each, steps, **texts):
    """As many long failures of each deployed executor, all with the rollouts of its first."""
    row = frames["steps"].head(1).with_columns(**texts)
    run = pl.concat([row.with_columns(t=pl.lit(t)) for t in range(steps)])
    found = {name: [] for name in
             ("trajectories", "steps", "failures", "positions", "candidates", "rollouts",
              "selections", "values", "exact_values")}  # fmt: skip
    for pool in ("smollm2", "policy-strong"):
        first = frames["failures"].filter((pl.col("pool") == pool) & (pl.col("rank") == 0))
        [failure], [trajectory] = first["failure_id"], first["trajectory_id"]
        for rank in range(failures_of_each):
            name = pl.lit(f"{pool}-{rank}")
            found["steps"].append(run.with_columns(trajectory_id=name))
            found["failures"].append(
                first.with_columns(failure_id=name, trajectory_id=name, rank=pl.lit(rank))
            )
            found["trajectories"].append(
                frames["trajectories"].filter(pl.col("trajectory_id") == trajectory)
                .with_columns(trajectory_id=name)
            )  # fmt: skip
            for table in found:
                if table not in ("trajectories", "steps", "failures"):
                    rows = frames[table].filter(pl.col("failure_id") == failure)
                    found[table].append(rows.with_columns(failure_id=name))
    whole = {name: pl.concat(parts, how="vertical_relaxed") for name, parts in found.items()}
    return {**frames, **whole}


def test_a_page_of_many_long_failures_with_all_rollouts_stays_below_20_mb(frames):
    page = pl.lit(" [SEP] ".join(["<b>red & blue"] * 300))
    study = many(frames, 60, 25, observation=page, drawing=page + "!", action=page)
    actions = pl.lit([f"click[product {n} of a page of results]" for n in range(25)])
    study["rollouts"] = study["rollouts"].with_columns(actions=actions)
    size = len(render_explorer(study).encode())
    print(f"{size / 1e6:.1f} MB for 2 x 60 failures, {study['rollouts'].height} rollouts")
    assert 6_000_000 < size < 20_000_000
