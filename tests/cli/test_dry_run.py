"""`snakemake -n` says what the study would still take, and nothing else says it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from repairstudy.cli import dry_run
from repairstudy.cli.dry_run import is_dry_run, summary, tell_who_watches
from repairstudy.cli.main import main
from repairstudy.config import parse_study

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


def study_of(name, folder, **changed):
    content = yaml.safe_load(Path(f"config/studies/{name}.yaml").read_text("utf-8"))
    content |= {"cache": f"{folder}/cache", "results": f"{folder}/results"}
    return parse_study(content | changed, name)


@pytest.mark.parametrize(
    ("words", "dry"),
    [
        (["snakemake", "-n"], True),
        (["snakemake", "--cores", "1", "--dry-run"], True),
        (["snakemake", "--dryrun"], True),
        (["snakemake", "-np"], True),
        (["snakemake", "--nolock", "-c1"], False),
        (["snakemake", "--mode", "subprocess"], False),
    ],
)
def test_a_dry_run_is_known_by_the_command_line(words, dry):
    assert is_dry_run(words) is dry


def test_the_sums_are_those_of_the_command(tmp_path, capsys):
    """Whose every part is checked by hand in test_cost.py."""
    told = summary(study_of("tiny", tmp_path))
    content = yaml.safe_load(Path("config/studies/tiny.yaml").read_text("utf-8"))
    content |= {"cache": f"{tmp_path}/cache", "results": f"{tmp_path}/results"}
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    assert main(["cost", str(tmp_path / "tiny.yaml"), "--json"]) == 0
    costs = json.loads(capsys.readouterr().out)["costs"]
    for name in ("rollouts", "calls", "tokens_in", "tokens_out"):
        assert f"{sum(cost[name] for cost in costs):,.0f} " in told
    assert told.startswith("Left of study tiny: about ")
    assert "0.0 GPU hours" in told


def test_without_the_environment_s_data_rollouts_are_told_but_no_tokens(tmp_path):
    lines = summary(study_of("alfworld_qwen", tmp_path)).splitlines()
    assert lines[0].startswith("Left of study alfworld_qwen: about ")
    assert lines[1].startswith("  tokens and hours cannot be told before the data are there: ")
    assert "hours of jobs" not in "".join(lines)


def test_what_cannot_be_told_is_a_note(tmp_path):
    executors = {"blind": {"model": "blind", "protocol": "ego/1", "prompt": "no/such/file.txt"}}
    evaluators, candidates = {"planner": True}, {"random": 1}
    told = summary(study_of(
        "tiny", tmp_path, executors=executors, evaluators=evaluators, candidates=candidates,
    ))  # fmt: skip
    assert told.startswith("What study tiny would take cannot be told: ")
    assert "no/such/file.txt" in told
    told = summary(study_of("webshop_qwen", tmp_path))
    assert told.startswith("What study webshop_qwen would take cannot be told before the data")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_at_the_start_of_a_run_a_person_is_told_and_a_log_is_not(tmp_path):
    study = study_of("tiny", tmp_path)
    terminal, log = Terminal(), io.StringIO()
    tell_who_watches(study, terminal)
    tell_who_watches(study, log)
    assert terminal.getvalue() == f"{summary(study)}\n"
    assert not log.getvalue()


def test_a_prediction_that_fails_keeps_no_study_from_running(tmp_path, monkeypatch):
    def broken(study):
        raise ZeroDivisionError

    monkeypatch.setattr(dry_run, "summary", broken)
    terminal = Terminal()
    tell_who_watches(study_of("tiny", tmp_path), terminal)
    assert terminal.getvalue() == (
        "What study tiny would take cannot be told: ZeroDivisionError()\n"
    )


def snakemake(folder, *words):
    for name in ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config"):
        (folder / name).symlink_to(ROOT / name)
    command = [Path(sys.executable).with_name("snakemake"), "--cores", "1", *words]
    return subprocess.run(
        [*command, "--configfile", "config/studies/tiny.yaml"], cwd=folder, check=True,
        env=os.environ | {"HOME": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip


def test_a_dry_run_says_it_once_below_the_jobs(tmp_path):
    done = snakemake(tmp_path, "-n")
    assert "freeze_plan" in done.stdout  # the jobs are on the other stream
    assert "Reason: " not in done.stdout  # by the profile
    assert done.stderr.count("Left of study tiny: about ") == 1
    assert done.stderr.rstrip().endswith("repairstudy cost CONFIG")


def test_a_run_does_not_say_it(tmp_path):
    done = snakemake(tmp_path, "results/tiny/preregistration.json")
    assert "Left of study" not in done.stdout + done.stderr
