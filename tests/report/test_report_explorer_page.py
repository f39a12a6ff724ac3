"""The page of failures as a file: every rollout in it, links, policy, bytes."""

import base64
import hashlib
import json
import re
from urllib.parse import quote

import duckdb
import polars as pl
import pytest
from explored import primary
from hypothesis import given
from hypothesis import strategies as st
from test_report_page import Outline

from repairstudy.report.explorer import failures, render_explorer, write_explorer
from repairstudy.report.explorer.failures import anchor_of
from repairstudy.report.explorer.lookups import Rollout
from repairstudy.report.explorer.outcomes import listings
from repairstudy.report.explorer.rollouts import data_of as data_of_failure
from repairstudy.report.explorer.rollouts import told_roles


@pytest.fixture(scope="module")
def views(frames):
    return failures(frames)


@pytest.fixture(scope="module")
def html(frames):
    return render_explorer(frames)


# ---- Every rollout


def test_every_rollout_is_listed_with_its_end_and_its_actions(views, frames):
    position = primary(views[0])
    listed = sum(len(item.text.split()) for item in position.rollouts)
    here = (pl.col("failure_id") == views[0].failure_id) & (pl.col("t") == position.t)
    assert listed == frames["rollouts"].filter(here).height
    assert all(re.fullmatch(r"[●◔]6", end) for end in position.rollouts[0].text.split())


def test_roles_are_listed_apart():
    ends = [("label", "failure", 3), ("label", "success", 9), ("control", "invalid_limit", 7),
            ("control", "infrastructure_error", None)]  # fmt: skip
    rollouts = [Rollout(role, n, end, None, None, steps, []) for n, (role, end, steps)
                in enumerate(ends)]  # fmt: skip
    assert [(item.role, item.text) for item in listings("1", "smollm2", rollouts)] == [
        ("label", "○3 ●9"), ("control", "⊘7 ×"),
    ]  # fmt: skip


def data_of(html, number=0):
    return json.loads(re.search(rf'id="data-{number}">(.*?)</script>', html)[1])


def test_the_page_holds_every_rollout_with_its_actions(html, frames, views):
    total = 0
    for number in range(len(views)):
        told = data_of(html, number)
        assert told["actions"] == ["up"]
        total += sum(map(len, told["cells"].values()))
    assert total == frames["rollouts"].height
    role, draw, _, steps, actions = data_of(html)["cells"][f"{views[0].positions[0].t}.0.0"][3]
    assert (role, draw, steps, actions) == (0, 3, 6, "0")


def test_the_actions_of_the_last_roles_are_left_out_where_there_is_no_room(frames):
    numbers = {"label": 10, "evaluate": 90}
    rollouts = [Rollout(role, draw, "failure", False, 0.0, 5, ["up"] * 5)
                for role, number in numbers.items() for draw in range(number)]  # fmt: skip
    arms = {"failure": [("0.0.0", rollouts)]}
    assert told_roles(arms, most=10_000) == ("label", "evaluate", "fresh", "control", "screen")
    assert told_roles(arms, most=200) == ("label",)
    told = data_of_failure(arms["failure"], rewards=False, told=("label",))["cells"]["0.0.0"]
    assert [one[4] for one in told] == ["0 0 0 0 0"] * 10 + [None] * 90


# ---- The page


def test_a_link_finds_a_failure_by_its_id(html, views):
    outline = Outline(html)
    for view in views:
        assert outline.ids.count(f"failure-{view.failure_id}") == 1
        assert f"#failure-{view.failure_id}" in outline.links
        for position in view.positions:
            assert outline.ids.count(f"failure-{view.failure_id}-step-{position.t}") == 1
    assert (
        anchor_of("a b/ü<") == "failure-" + quote("a b/ü<", safe="") == "failure-a%20b%2F%C3%BC%3C"
    )


@given(st.text(min_size=1))
def test_a_query_of_the_database_makes_the_same_link(failure_id):
    [(link,)] = duckdb.execute("SELECT 'failure-' || url_encode(?)", [failure_id]).fetchall()
    assert link == anchor_of(failure_id)


def test_ids_are_unique_and_everything_is_closed(html):
    outline = Outline(html)
    assert not outline.open
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link for link in outline.links if not link.startswith("#")} == {"report.html"}
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)


def test_the_policy_names_the_only_style_and_script(html):
    def source(text):
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#39;", "'")
    [style] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src {source(style)}", f"script-src {source(script)}",
        "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip
    assert " style=" not in html
    assert "innerHTML" not in script


def test_the_bytes_depend_on_the_tables_alone(frames, html):
    shuffled = {name: table.sample(fraction=1, shuffle=True, seed=3) if name != "steps" else table
                for name, table in frames.items()}  # fmt: skip
    assert render_explorer(shuffled) == html


def test_a_study_without_steps_still_has_its_positions(elsewhere, tmp_path):
    write_explorer(elsewhere, tmp_path / "explorer.html")
    html = (tmp_path / "explorer.html").read_text(encoding="utf-8")
    assert not Outline(html).open
    assert "What happened" not in html
    assert "Primary position" in html


def test_a_study_without_failures_says_so(frames):
    none = {name: frames[name].clear() for name in ("failures", "positions")}
    assert "This study has no failures." in render_explorer({**frames, **none})
