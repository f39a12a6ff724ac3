"""Mistakes on Snakemake's command line end in an error that names what was written there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def snakemake(folder, *words):
    for name in ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config"):
        (folder / name).symlink_to(ROOT / name)
    program = Path(sys.executable).with_name("snakemake")
    return subprocess.run(
        [program, *words, "--configfile", "config/studies/tiny.yaml"], cwd=folder,
        env=os.environ | {"HOME": str(folder)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["audit", "--config", "environment={nam: webshop}"],
         "--config environment: nam: unknown key; did you mean 'name'?"),
        (["--config", "seed=many"],
         "tiny.yaml, --config: seed: Input should be a valid integer (found 'many')"),
        (["--config", "plan=config/plans/tinny.yaml"],
         "tiny.yaml, --config: plan: there is no file 'config/plans/tinny.yaml'; did you mean"),
    ],
    ids=["environment", "value", "file"],
)  # fmt: skip
def test_it_is_told_before_any_job(tmp_path, words, said):
    done = snakemake(tmp_path, "-n", *words)
    assert done.returncode == 1
    lines = (done.stdout + done.stderr).splitlines()
    assert any(said in line for line in lines), lines
    assert "Traceback" not in done.stderr
    assert "Left of study" not in done.stderr


def test_the_error_of_a_job_is_told_once_more_at_the_end(tmp_path):
    """Of another study's plan, which the first job finds out, below all that Snakemake says."""
    target = "results/mine/preregistration.json"
    done = snakemake(tmp_path, target, "--cores", "1", "--config", "study=mine")
    assert done.returncode == 1
    told = done.stderr.splitlines()
    place = told.index("results/mine/logs/freeze_plan.log:")
    assert told[place + 1].startswith(
        "  error: config/plans/tiny.yaml: study: the plan is for 'tiny', this is 'mine'; a plan for"
    )
    assert not any("error: " in line for line in told[place + 2 :])
