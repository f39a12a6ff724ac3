"""Whole studies in ALFWorld and WebShop: rules act, so no model is needed."""

import importlib.util
import json

import duckdb
import polars as pl
import pytest

pytestmark = pytest.mark.workflow
NO_ENGINE = importlib.util.find_spec("textworld") is None
needs_engine = pytest.mark.skipif(NO_ENGINE, reason="make alfworld has not been run")
WORLDS = [pytest.param("webshop"), pytest.param("alfworld", marks=needs_engine)]
STUDIES = ("alfworld_qwen", "webshop_mini")


class Study:
    def __init__(self, workspace, name):
        self.folder = workspace.path(f"results/{name}")
        wanted = (f"results/{name}/study.duckdb", f"results/{name}/report.html")
        workspace.run("--", *wanted, configfile=f"config/studies/{name}.yaml")

    def read(self, table):
        with duckdb.connect(self.folder / "study.duckdb", read_only=True) as con:
            return con.sql(f'SELECT * FROM "{table}"').pl()

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def studies(make_workspace):
    """Each study is run when it is first asked for."""
    done = {}

    def study(world):
        if world not in done:
            done[world] = Study(make_workspace(f"{world}_tiny"), f"{world}_tiny")
        return done[world]

    return study


@pytest.mark.parametrize("world", WORLDS)
def test_every_candidate_and_the_original_have_their_rollouts(studies, world):
    study = studies(world)
    labels = study.read("rollouts").filter(role="label").group_by("candidate_id").len()
    assert set(labels["candidate_id"]) == set(study.read("candidates")["candidate_id"])
    assert set(labels["len"]) == {10}


@pytest.mark.parametrize("world", WORLDS)
def test_losses_and_controls_reach_the_results(studies, world):
    results = studies(world).read("results")
    losses = results.filter(analysis="losses", estimand="loss")
    assert {"planner", "solvability", "executor:careful@5", "own_1"} <= set(losses["evaluator"])
    assert results.filter(analysis="positive_control", estimand="control_gap").height == 1
    tested = losses.filter(pl.col("confirmatory"))
    assert tested.height == 6  # as many as the plan names
    assert tested["p_holm"].null_count() == 0


@pytest.mark.parametrize("world", WORLDS)
def test_the_privileged_candidate_is_the_plan_of_the_world(studies, world):
    """Where the planner's action is taken, its own score is as good as any."""
    study = studies(world)
    scores = study.read("scores").filter(evaluator="planner")
    best = scores.with_columns(best=pl.col("score").max().over("failure_id", "t"))
    planned = study.read("candidates").filter(pl.col("sources").list.contains("privileged"))
    joined = planned.join(best, on=["failure_id", "t", "candidate_id"])
    repairs = joined.filter(~pl.col("is_original"))
    assert repairs.height
    assert (repairs["score"] == repairs["best"]).all()


def test_net_gain_in_the_shop_is_measured_in_reward(studies):
    study = studies("webshop")
    rollouts = study.read("rollouts")
    assert rollouts["reward"].is_between(0, 1).all()
    assert rollouts.filter(pl.col("reward") < 1)["reward"].max() > 0  # partial rewards exist
    assert (rollouts["success"] == (rollouts["reward"] == 1.0)).all()
    sources = study.read("candidates")["sources"].explode().drop_nulls()
    assert "clickable" in set(sources)


def test_a_failure_in_the_shop_says_what_was_wanted(studies):
    study = studies("webshop")
    runs = study.read("trajectories")
    assert runs["instruction"].null_count() == 0
    assert runs["cluster"].str.starts_with("SYN").all()
    assert "synthetic" in study.text("report.html").lower()


@needs_engine
def test_what_was_seen_before_is_not_asked_of_the_engine_again(studies):
    study = studies("alfworld")
    summaries = [json.loads(path.read_text()) for path in study.folder.glob("work/main/*.json")]
    counts = [summary["environment"] for summary in summaries if "environment" in summary]
    assert counts
    assert all(count["memo_hits"] > 1000 for count in counts)
    assert all(count["memo_held"] == count["memo_misses"] > 0 for count in counts)
    assert all(count["workers_lost"] == 0 for count in counts)


@needs_engine
def test_the_report_says_that_nothing_in_alfworld_is_irreversible(studies):
    assert "irreversible" in studies("alfworld").text("report.html")


@pytest.mark.parametrize("study", STUDIES)
def test_the_jobs_of_a_study_can_be_told_without_its_data_and_models(make_workspace, study):
    workspace = make_workspace(f"plan-{study}")
    planned = workspace.run("--dry-run", configfile=f"config/studies/{study}.yaml")
    assert "build_database" in planned
