"""A table of outcomes made elsewhere becomes a study with one command; bad tables say why."""

import json
import shutil

import duckdb
import polars as pl
import pytest
from golden import golden_file

pytestmark = pytest.mark.workflow

CONFIG = "config/studies/outcomes.yaml"


def run_outcomes(workspace, table, expect=0):
    settings = ["--config", "study=elsewhere", f"outcomes={table}", "deployed=mine"]
    return workspace.run(*settings, configfile=CONFIG, expect=expect)


@pytest.fixture(scope="module")
def workspace(make_workspace):
    return make_workspace("outcomes")


@pytest.fixture(scope="module")
def golden():
    rows = pl.read_parquet(golden_file("outcomes_binary.parquet"))
    return rows.with_columns(pl.col("executor").replace({"deployed": "mine"}))


def test_the_golden_table_gives_its_exact_values_through_the_whole_workflow(workspace, golden):
    golden.write_parquet(workspace.path("table.parquet"))
    run_outcomes(workspace, "table.parquet")
    expected = json.loads(golden_file("expected_binary.json").read_text())
    with duckdb.connect(
        workspace.path("results/elsewhere/study.duckdb"), read_only=True
    ) as database:
        values = database.sql("SELECT * FROM values").pl().filter(scope="position")
    for row in expected:
        found = values.filter(failure_id=row["failure_id"])
        found = dict(found.select("evaluator", "value").iter_rows())
        for evaluator in ("random", "matched", "own_1", "own_5", "executor:larger"):
            assert found[evaluator] == pytest.approx(row[evaluator], abs=1e-9)
        assert found["executor:larger@5"] == pytest.approx(row["executor:larger@5"], abs=1e-9)
    for product in ("report.html", "figures", "tables", "notebooks/tour.html"):
        assert workspace.path(f"results/elsewhere/{product}").exists()


def spoilt(rows, kind):
    match kind:
        case "missing column":
            return rows.drop("outcome")
        case "outcome outside [0, 1]":
            return rows.with_columns(outcome=pl.col("outcome") + 1)
        case "unequal numbers":
            return rows.slice(1)
        case "no deployed executor":
            return rows.with_columns(executor=pl.lit("larger"))
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("missing column", "bad.parquet: missing column outcome"),
        ("outcome outside [0, 1]", "bad.parquet: column outcome, row"),
        ("unequal numbers", "bad.parquet: unequal numbers of rollouts"),
        ("no deployed executor", "bad.parquet: no row is of the deployed executor 'mine'"),
    ],
)
def test_a_bad_table_is_explained(workspace, golden, kind, message):
    spoilt(golden, kind).write_parquet(workspace.path("bad.parquet"))
    output = run_outcomes(workspace, "bad.parquet", expect=1)
    assert message in output
    assert "Traceback" not in output


def test_a_truncated_table_is_explained(workspace, golden):
    golden.write_parquet(workspace.path("bad.parquet"))
    whole = workspace.path("bad.parquet").read_bytes()
    workspace.path("bad.parquet").write_bytes(whole[: len(whole) // 2])
    output = run_outcomes(workspace, "bad.parquet", expect=1)
    assert "bad.parquet: the file is truncated or is no Parquet file" in output


def test_an_unknown_key_stops_before_anything_runs(make_workspace):
    workspace = make_workspace("typo")
    output = workspace.run("--config", "outcomess=1", configfile=CONFIG, expect=1)
    assert f"{CONFIG}, --config: outcomess: unknown key; did you mean 'outcomes'?" in output
    assert not workspace.path("results").exists()


def test_a_changed_plan_becomes_an_amendment_and_is_never_confirmatory(make_workspace, tiny):
    workspace = make_workspace("amended")
    shutil.copytree(tiny.path("results"), workspace.path("results"))
    plan = workspace.path("config/plans/tiny.yaml")
    plan.write_text(plan.read_text().replace("[greedy, ", "[greedy, judge, "))
    workspace.run("--forcerun", "freeze_plan", "--", "results/tiny/results.parquet")
    registration = json.loads(workspace.path("results/tiny/preregistration.json").read_text())
    assert len(registration["amendments"]) == 1
    results = pl.read_parquet(workspace.path("results/tiny/results.parquet"))
    judge = results.filter(pool="blind", analysis="losses", evaluator="judge", estimand="loss")
    assert not judge["confirmatory"].item()
    assert judge["p_holm"].item() is None


def test_a_broken_shard_of_the_cache_is_named_and_nothing_is_guessed(make_workspace, tiny):
    workspace = make_workspace("broken")
    shutil.copytree(tiny.path("results"), workspace.path("results"))
    shard = max(
        workspace.path("results/cache/rollouts").rglob("*.parquet"), key=lambda p: p.stat().st_size
    )
    shard.write_bytes(shard.read_bytes()[:-20])
    workspace.path("results/tiny/work/main/rollouts.parquet").unlink()
    output = workspace.run("--", "results/tiny/work/main/rollouts.parquet", expect=1)
    assert shard.name in output
    assert "Traceback" not in output
