"""Numbers can be traced to their rollouts, verified from them, and made again byte for byte."""

import contextlib
import io
import json
import shutil

import duckdb
import polars as pl
import pytest
import yaml
from conftest import ROOT
from workflow_scripts import load_script

from repairstudy.cli import verification as standalone
from repairstudy.cli.main import main
from repairstudy.cli.recompute import computed_tables
from repairstudy.config import parse_study
from repairstudy.config.frozen import frozen_settings
from repairstudy.errors import DataError
from repairstudy.report import load_frames

pytestmark = pytest.mark.workflow
DATABASE = "results/tiny/study.duckdb"


@pytest.fixture(scope="module")
def stored(tiny):
    return load_frames(tiny.path(DATABASE))


def test_every_number_lists_its_rollouts(tiny, stored):
    with duckdb.connect(tiny.path(DATABASE), read_only=True) as database:
        for row in stored["results"].iter_rows(named=True):
            found = database.sql(row["rollouts_query"]).pl()
            assert found.height == row["n_rollouts"], row
    assert stored["results"]["n_rollouts"].max() > 500


def test_a_loss_is_recomputed_from_the_rollouts_that_it_lists(tiny, stored):
    """Greedy replay's, by the definition: matched minus greedy, over the failures."""
    [row] = (
        stored["results"]
        .filter(pool="blind", analysis="losses", evaluator="greedy", estimand="net_gain")
        .to_dicts()
    )
    with duckdb.connect(tiny.path(DATABASE), read_only=True) as database:
        rollouts = database.sql(row["rollouts_query"]).pl().explode("arms").unnest("arms")
    arm = ["failure_id", "t", "candidate_id"]
    success = pl.col("success").mean()
    labels = rollouts.filter(role="label").group_by(*arm, "is_original").agg(success)
    scores = rollouts.filter(role="evaluate").group_by(arm).agg(score=success)
    assert set(rollouts.filter(role="evaluate")["executor"]) == {"blind@greedy"}
    best = scores.filter(pl.col("score") == pl.col("score").max().over("failure_id"))
    chosen = best.join(labels, on=arm).group_by("failure_id").agg(success)
    originals = labels.filter("is_original")["success"].mean()
    assert row["estimate"] == pytest.approx(chosen["success"].mean() - originals, abs=1e-12)


def test_provenance_names_packages_models_data_machines_and_commands(stored):
    [row] = stored["provenance"].to_dicts()
    told = {name: json.loads(row[name]) for name in
            ("versions", "models", "data", "machines", "commands", "tables")}  # fmt: skip
    assert {"python", "polars", "duckdb", "snakemake", "repairstudy"} <= set(told["versions"])
    assert set(told["models"]) == {"blind", "careful"}
    assert all(len(model["weights"]) >= 32 for model in told["models"].values())
    assert all(len(hashes) == 1 for hashes in told["data"].values())
    assert "resources/prompts/policy.txt" in told["data"]
    [machine] = told["machines"]
    assert machine["models"] == ["blind", "careful"]
    assert machine["cores"] >= 1
    assert machine["cpu"]
    assert "--configfile config/studies/tiny.yaml" in told["commands"][0]
    [build] = stored["build"].to_dicts()
    assert json.loads(build["machine"])["cores"] == machine["cores"]


def test_verifying_says_a_line_a_table(tiny):
    output = tiny.run("verify-results", quiet=False)
    for table in ("rollouts", "candidates", "selections", "values", "results", "costs",
                  "exact_values", "preregistration", "provenance"):  # fmt: skip
        assert f"{table}: " in output
    assert output.count("recomputed, the same") >= 15
    assert "DIFFERS" not in output


@pytest.fixture(scope="module")
def computed(tiny):
    """The tables that `verify-results` recomputes."""
    with contextlib.chdir(tiny.folder):
        content = yaml.safe_load(tiny.path("config/studies/tiny.yaml").read_text())
        return computed_tables(
            config=content,
            settings=frozen_settings(parse_study(content, "tiny")),
            scripts=ROOT / "workflow/scripts",
            results="results/tiny",
            witness="results/cache/records/tiny",
            files={},
        )


PLAN = """UPDATE preregistration SET plan = replace(plan, '"alpha":0.05', '"alpha":0.1')"""
TAMPERINGS = {
    "a changed estimate": (
        "UPDATE results SET estimate = estimate + 1e-9 WHERE pool = 'blind' AND "
        "analysis = 'losses' AND evaluator = 'greedy' AND estimand = 'loss'",
        "results: row pool blind, analysis losses, evaluator greedy, estimand loss, column "
        "estimate",
    ),
    "a hidden test": (
        "UPDATE results SET reject = true WHERE evaluator = 'planner' AND confirmatory",
        "results: row pool blind, analysis losses, evaluator planner, estimand loss, column "
        "reject",
    ),
    "a deleted rollout": (
        "DELETE FROM rollouts WHERE rollout_key = (SELECT min(rollout_key) FROM rollouts)",
        "is missing from the database",
    ),
    "a turned outcome": (
        "UPDATE rollouts SET success = NOT success WHERE role = 'label' AND replicate = 3",
        "column success: ",
    ),
    "an added row": (
        "INSERT INTO selections SELECT * REPLACE ('invented' AS evaluator) FROM selections LIMIT 1",
        "evaluator invented, scope ",
    ),
    "a changed plan": (PLAN, "preregistration: row plan_hash"),
    "a failure of another rank": ("UPDATE failures SET rank = rank + 1", "failures: row pool"),
}  # fmt: skip


def tampered(tiny, tmp_path, statement):
    shutil.copy2(tiny.path(DATABASE), tmp_path / "study.duckdb")
    with duckdb.connect(tmp_path / "study.duckdb") as database:
        database.execute(statement)
    return load_frames(tmp_path / "study.duckdb")


@pytest.mark.parametrize("what", TAMPERINGS)
def test_verifying_names_what_was_tampered_with(tiny, computed, tmp_path, what):
    statement, line = TAMPERINGS[what]
    out = io.StringIO()
    with pytest.raises(DataError, match="are not what they follow from"):
        load_script("verify_results").verify(tampered(tiny, tmp_path, statement), computed, out)
    assert line in out.getvalue()


@pytest.mark.parametrize("what", TAMPERINGS)
def test_a_database_alone_betrays_tampering_by_its_hashes(tiny, tmp_path, what):
    frames = tampered(tiny, tmp_path, TAMPERINGS[what][0])
    assert standalone.hash_problems(frames)


def test_a_database_alone_is_recomputed_from_its_rollouts(tiny, stored, tmp_path, capsys):
    assert main(["verify", str(tiny.path(DATABASE))]) == 0
    assert "recomputed, the same" in capsys.readouterr().out
    turned = "UPDATE rollouts SET success = NOT success WHERE role = 'control'"
    frames = tampered(tiny, tmp_path, turned)
    lines = standalone.differences(frames, standalone.recomputed(frames))["results"].lines
    assert any("column estimate" in line for line in lines)


def test_a_command_that_finds_tampering_fails(make_workspace, tiny):
    workspace = make_workspace("tampered")
    shutil.copytree(tiny.path("results"), workspace.path("results"))
    with duckdb.connect(workspace.path(DATABASE)) as database:
        database.execute(TAMPERINGS["a changed estimate"][0])
    output = workspace.run("verify-results", expect=1)
    assert "results: row pool blind, analysis losses, evaluator greedy, estimand loss" in output


BYTES = ("*.parquet", "preregistration.json", "*.html", "figures/[!.]*", "tables/**/[!.]*")


def test_two_runs_from_one_cache_are_the_same_byte_for_byte(make_workspace, tiny):
    again = make_workspace("again")
    shutil.copytree(tiny.path("results/cache"), again.path("results/cache"))
    again.run()
    first, second = tiny.path("results/tiny"), again.path("results/tiny")
    paths = sorted(path.relative_to(first) for kind in BYTES for path in first.glob(kind)
                   if path.is_file())  # fmt: skip
    assert {path.suffix for path in paths} == {
        ".svg", ".png", ".pdf", ".txt", ".rst", ".csv", ".tex", ".parquet", ".html", ".json",
    }  # fmt: skip
    differing = [p for p in paths if (first / p).read_bytes() != (second / p).read_bytes()]
    assert not differing
    # DuckDB writes a random identifier into each file: of a database the content is the same.
    found = load_frames(second / "study.duckdb")
    for name, frame in load_frames(first / "study.duckdb").items():
        assert name == "build" or frame.equals(found[name]), name
