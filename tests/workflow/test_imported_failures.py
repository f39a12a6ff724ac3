"""A study of failures from a file (docs/own-failures.md): the miniature study's own.

Nothing after them differs.
"""

import json
import shutil

import duckdb
import pytest
import yaml

from repairstudy.analysis.export.runs import failed_runs
from repairstudy.analysis.export.tables import FAILED_RUNS
from repairstudy.cli.main import main
from repairstudy.config.frozen import sha256
from repairstudy.imported import Run, read_runs, write_runs
from repairstudy.report import load_frames
from repairstudy.report.page import render_report
from repairstudy.report.published import read_published
from repairstudy.store.jsonl import write_jsonl

pytestmark = pytest.mark.workflow

CONFIG = "config/studies/own.yaml"
DATABASE = "results/own/study.duckdb"
SOLVED = "solved <script>alert(1)</script>"


def read(workspace, table, study):
    path = workspace.path(f"results/{study}/study.duckdb")
    with duckdb.connect(path, read_only=True) as database:
        return database.sql(f'SELECT * FROM "{table}"').pl()


@pytest.fixture(scope="module")
def own(make_workspace, tiny):
    """The miniature study's failures exported, imported, and studied with its rollouts at hand.

    One run more is in the file: it succeeded, and the study leaves it out.
    """
    workspace = make_workspace("own")
    shutil.copytree(tiny.path("results/cache"), workspace.path("results/cache"))
    shutil.rmtree(workspace.path("results/cache/records"))
    frames = load_frames(tiny.path("results/tiny/study.duckdb"))
    exported, runs = workspace.path("failed_runs.jsonl"), workspace.path("own.jsonl")
    write_jsonl(failed_runs(frames), exported, FAILED_RUNS)
    study = str(tiny.path("config/studies/tiny.yaml"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tiny.folder)
        assert main(["import-runs", str(exported), "--study", study, "--out", str(runs)]) == 0
    solved = Run(failure_id=SOLVED, task_id="layout-009", actions=["up", "right", "right"])
    write_runs([solved, *(line.run for line in read_runs(runs))], runs)
    config = yaml.safe_load(workspace.path("config/studies/tiny.yaml").read_text())
    config |= {"study": "own", "plan": "config/plans/own.yaml"}
    config["collection"] = {"runs": {"blind": "own.jsonl"}, "drop_unusable": True}
    workspace.path(CONFIG).write_text(yaml.safe_dump(config))
    plan = workspace.path("config/plans/tiny.yaml").read_text().replace("study: tiny", "study: own")
    workspace.path("config/plans/own.yaml").write_text(plan)
    workspace.output = workspace.run("--", DATABASE, configfile=CONFIG)
    return workspace


@pytest.mark.parametrize("table", ["positions", "candidates", "rollouts", "values", "selections"])
def test_everything_after_the_failures_is_the_collected_study_s(own, tiny, table):
    assert read(own, table, "own").equals(read(tiny, table, "tiny"))


def test_the_failures_are_the_same_runs_under_the_same_names(own, tiny):
    def failures(workspace, study):
        runs = read(workspace, "trajectories", study).drop("order", "seed")
        steps = read(workspace, "steps", study)
        rows = read(workspace, "failures", study)
        return (
            rows.join(runs, on="trajectory_id")
            .join(steps, on="trajectory_id", how="left")
            .drop("trajectory_id")
            .sort("pool", "rank", "t")
        )

    assert failures(own, "own").equals(failures(tiny, "tiny"))
    assert "[collect" not in own.output
    assert "[import blind] importing for blind: 13 runs in own.jsonl (SHA-256" in own.output


def test_results_differ_only_in_what_older_rollouts_make_exploratory(own, tiny):
    """The rollouts of the collected study are there already: no plan can precede them."""
    hidden = ["confirmatory", "p_holm", "reject", "note"]
    ours, theirs = read(own, "results", "own"), read(tiny, "results", "tiny")
    assert ours.drop(hidden).equals(theirs.drop(hidden))
    assert not ours["confirmatory"].any()


def test_the_database_and_the_report_say_that_the_failures_were_imported(own):
    rows = read(own, "imported_runs", "own")
    assert rows["verdict"].to_list() == ["success"] + ["failure"] * 12
    assert rows["trajectory_id"].null_count() == 1
    sha256 = rows["sha256"].unique().item()
    data = json.loads(read(own, "provenance", "own")["data"].item())
    assert data["imported runs of blind"] == [sha256]
    published = read_published(own.path("resources/published.yaml"))
    html = render_report(load_frames(own.path(DATABASE)), {}, published)
    assert (
        f"The failures of blind were imported, not collected: own.jsonl, SHA-256 {sha256}. "
        "Of its 13 runs 12 replay and failed" in html
    )
    assert "Left out: 1 (solved the task: 1)." in html
    assert "verdict: success" in html  # among the sources, with the reason
    assert "run: solved &lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_every_table_can_be_recomputed_from_the_file(own):
    output = own.run("--", "verify-results", configfile=CONFIG)
    assert "[verify] imported_runs: 13 rows, recomputed, the same" in output
    assert "[verify] trajectories: 12 rows, recomputed, the same" in output
    assert "DIFFERS" not in output


def test_a_file_that_changes_later_is_an_amendment_and_a_new_import(own, make_workspace):
    changed = make_workspace("changed")
    for name in ("results", ".snakemake"):  # the latter knows which file was frozen
        shutil.copytree(own.path(name), changed.path(name))
    shutil.copytree(own.path("config"), changed.path("config"), dirs_exist_ok=True)
    runs = [line.run for line in read_runs(own.path("own.jsonl"))]
    write_runs([*runs[1:], runs[0]], changed.path("own.jsonl"))
    target = "results/own/collected/blind.trajectories.parquet"
    output = changed.run("--", target, configfile=CONFIG)
    assert "importing for blind: 13 runs" in output
    registration = json.loads(changed.path("results/own/preregistration.json").read_text())
    assert len(registration["amendments"]) == len(registration_of(own)["amendments"]) + 1
    diff = registration["amendments"][-1]["diff"].splitlines()
    changes = [line for line in diff[2:] if line[0] in "+-"]
    hashes = [sha256(which.path("own.jsonl")) for which in (own, changed)]
    assert [line.split() for line in changes] == [
        ["-", "blind:", hashes[0]], ["+", "blind:", hashes[1]],
    ]  # fmt: skip


def registration_of(workspace):
    return json.loads(workspace.path("results/own/preregistration.json").read_text())


def test_a_file_with_other_runs_stops_the_study_before_any_rollout(own, make_workspace):
    strict = make_workspace("strict")
    shutil.copytree(own.path("config"), strict.path("config"), dirs_exist_ok=True)
    shutil.copy(own.path("own.jsonl"), strict.path("own.jsonl"))
    config = yaml.safe_load(strict.path(CONFIG).read_text())
    del config["collection"]["drop_unusable"]
    strict.path(CONFIG).write_text(yaml.safe_dump(config))
    output = strict.run("--", "results/own/positions.parquet", configfile=CONFIG, expect=1)
    assert "own.jsonl: 1 of 13 runs are no failures of this study" in output
    assert f"own.jsonl, line 1, run '{SOLVED}': success: it solved the task" in output
    assert "Traceback" not in output
    assert not strict.path("results/cache").joinpath("rollouts").exists()
