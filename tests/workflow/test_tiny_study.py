"""The miniature study, whole: what a user finds after one command."""

import shutil
import time

import duckdb
import polars as pl
import pytest

from repairstudy.records import TABLES

pytestmark = pytest.mark.workflow

IN_DATABASE = [
    "executors",
    "trajectories",
    "steps",
    "failures",
    "positions",
    "candidates",
    "rollouts",
    "scores",
    "selections",
    "values",
    "results",
    "preregistration",
    "audit",
    "provenance",
]


def read(workspace, table, study="tiny"):
    with duckdb.connect(workspace.path(f"results/{study}/study.duckdb"), read_only=True) as con:
        return con.sql(f'SELECT * FROM "{table}"').pl()


@pytest.mark.parametrize("table", IN_DATABASE)
def test_the_database_keeps_the_data_contract(tiny, table):
    frame = read(tiny, table)
    assert set(frame.columns) >= set(TABLES[table].names)
    assert frame.n_unique(TABLES[table].key) == frame.height
    assert frame.height


def test_every_evaluator_of_the_protocol_has_selections_that_add_up(tiny):
    selections = read(tiny, "selections").filter(pool="blind", scope="position")
    weights = selections.group_by("evaluator", "failure_id", "t").agg(pl.col("weight").sum())
    assert (weights["weight"] - 1).abs().max() < 1e-9
    expected = {
        "matched", "random", "greedy", "temperature_0.3", "solvability", "planner", "judge",
        "own_1", "own_2", "own_3", "own_4", "own_5", "accept_2_of_3", "flip_1",
        "executor:careful", "executor:careful@5",
    }  # fmt: skip
    assert expected <= set(selections["evaluator"])
    across = read(tiny, "values").filter(pool="blind", scope="failure")
    assert {"earliest_success", "latest_significant", "matched"} <= set(across["evaluator"])


def test_losses_are_what_values_say(tiny):
    values = read(tiny, "values")
    assert (values["matched_value"] - values["value"] - values["loss"]).abs().max() < 1e-12
    primary = read(tiny, "positions").filter("is_primary").select("failure_id", "t")
    by_hand = (
        values.filter(pool="blind", scope="position", evaluator="greedy")
        .join(primary, on=["failure_id", "t"], how="semi")["loss"]
        .mean()
    )
    reported = read(tiny, "results").filter(
        pool="blind", analysis="losses", evaluator="greedy", estimand="loss"
    )
    assert reported["estimate"].item() == pytest.approx(by_hand, abs=1e-12)


def test_only_hypotheses_of_the_frozen_plan_are_confirmatory(tiny):
    confirmatory = read(tiny, "results").filter(pl.col("confirmatory"), estimand="loss")
    assert set(confirmatory["evaluator"]) == {
        "greedy", "solvability", "planner", "executor:careful",
    }  # fmt: skip
    assert set(confirmatory["pool"]) == {"blind"}


def test_estimates_agree_with_exact_values_within_their_noise(tiny):
    """Own rollouts of the planted executor against dynamic programming, arm by arm."""
    exact = read(tiny, "exact_values").filter(executor="blind")
    labels = (
        read(tiny, "rollouts")
        .filter(role="label")
        .group_by("failure_id", "t", "candidate_id")
        .agg(pl.col("success").mean(), pl.len())
        .join(exact, on=["failure_id", "t", "candidate_id"])
    )
    assert (labels["len"] == 10).all()
    noise = (labels["success"] - labels["value"]).to_numpy()
    spread = (labels["value"] * (1 - labels["value"]) / 10).sum() ** 0.5
    assert abs(noise.sum()) < 4 * spread
    certain = labels.filter((pl.col("value") < 1e-12) | (pl.col("value") > 1 - 1e-12))
    assert (certain["success"] == certain["value"].round()).all()


def test_rollouts_of_different_roles_are_different_draws(tiny):
    rollouts = read(tiny, "rollouts")
    assert rollouts.group_by("rollout_key").agg(pl.col("role").n_unique())["role"].max() == 1
    assert set(rollouts["role"]) >= {"label", "screen", "evaluate", "control"}


def test_the_scoring_of_the_world_was_audited_and_the_report_says_so(tiny):
    audit = read(tiny, "audit")
    assert set(audit["environment"]) == {"gridworld"}
    assert audit["passed"].all()
    html = tiny.path("results/tiny/report.html").read_text(encoding="utf-8")
    assert f"{audit.height} checks hold." in html
    assert "not to be trusted" not in html


def test_the_report_and_the_figures_are_there(tiny):
    html = tiny.path("results/tiny/report.html").read_text(encoding="utf-8")
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "<script" not in html
    plan_hash = read(tiny, "preregistration")["plan_hash"].item()
    assert plan_hash[:12] in html
    figures = {path.suffix for path in tiny.path("results/tiny/figures").iterdir()}
    assert {".svg", ".png"} <= figures
    assert list(tiny.path("results/tiny/tables").glob("*.csv"))
    notebooks = tiny.path("results/tiny/notebooks").iterdir()
    pages = {path.stem: path.stat().st_size for path in notebooks}
    assert set(pages) == {path.stem for path in tiny.path("notebooks").glob("*.ipynb")}
    assert min(pages.values()) > 10_000


def test_snakemakes_own_report_has_every_figure_and_table_with_its_caption(tiny):
    """It needs no network either; on an idle machine it takes a few seconds."""
    tiny.run("--report", "report.html")
    html = tiny.path("report.html").read_text(encoding="utf-8")
    figures = [path.stem for path in tiny.path("results/tiny/figures").glob("*.svg")]
    tables = [path.stem for path in tiny.path("results/tiny/tables/paper").glob("*.csv")]
    assert len(figures) > 10
    assert len(tables) > 15
    paths = [f"figures/{name}.svg" for name in figures]
    paths += [f"tables/paper/{name}.csv" for name in tables]
    for path in paths:
        assert f'"results/tiny/{path}": {{"name"' in html, path
    for category in ("Report", "Figures", "Tables", "Notebooks"):
        assert f'"{category}": {{' in html, category
    for name in figures:
        caption = tiny.path(f"results/tiny/figures/{name}.txt").read_text(encoding="utf-8")
        assert caption.split("\n", 1)[0] in html, name
    assert html.count("What it shows") >= len(figures)
    assert "system-message" not in html


def test_a_second_run_does_nothing_and_is_quick(tiny):
    before = {p: p.stat().st_mtime_ns for p in tiny.path("results").rglob("*") if p.is_file()}
    started = time.monotonic()
    tiny.run()
    assert time.monotonic() - started < 10
    after = {p: p.stat().st_mtime_ns for p in tiny.path("results").rglob("*") if p.is_file()}
    assert after == before


def test_figures_are_redrawn_from_gathered_rollouts_without_a_model(make_workspace, tiny):
    """A copy of the published tables is enough: no model, no cache, no environment run."""
    copy = make_workspace("figures")
    copy.path("results/tiny").mkdir(parents=True)
    for pattern in ("*.parquet", "*.json"):
        for path in tiny.path("results/tiny").glob(pattern):
            shutil.copy2(path, copy.path("results/tiny"))
    copy.run("figures")
    assert list(copy.path("results/tiny/figures").glob("*.svg"))
    assert not copy.path("results/cache").exists()
    assert read(copy, "results").equals(read(tiny, "results"))
