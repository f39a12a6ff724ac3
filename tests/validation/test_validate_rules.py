"""`snakemake validate` is a target of its own: no study needs it, and no study runs it.

With REPAIRSTUDY_SLOW=1 the whole suite and a study that shows it are run too (ten minutes).
"""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).parents[2]
LINKED = ("Snakefile", "workflow", "resources", "notebooks", "profiles", "tests", "config")
SUITE = ("measure_validation", "collect_validation", "write_validation")


@pytest.fixture
def folder(tmp_path):
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def snakemake(folder, *arguments):
    program = Path(sys.executable).with_name("snakemake")
    command = [program, "--cores", "2", "--configfile", "config/studies/tiny.yaml", *arguments]
    environment = os.environ | {"HOME": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout + done.stderr


def files_of(folder, target):
    """Every rule behind a target with its files, as Snakemake draws them."""
    return snakemake(folder, "--filegraph", target)


def test_a_study_needs_no_validation(folder):
    files = files_of(folder, "all")
    assert "build_database" in files
    assert not any(name in files for name in (*SUITE, "validation.parquet"))


def test_a_study_takes_what_was_measured_and_measures_nothing(folder):
    measured = folder / "results/validation/validation.parquet"
    measured.parent.mkdir(parents=True)
    measured.touch()
    files = files_of(folder, "all")
    assert str(measured) in files
    assert not any(rule in files for rule in SUITE)


def test_the_suite_needs_no_study(folder):
    files = files_of(folder, "validate")
    assert all(rule in files for rule in SUITE)
    assert not any(rule in files for rule in ("freeze_plan", "run_rollouts", "build_database"))


@pytest.mark.skipif("REPAIRSTUDY_SLOW" not in os.environ, reason="ten minutes; REPAIRSTUDY_SLOW=1")
def test_the_whole_suite_and_a_study_that_shows_it(folder):
    snakemake(folder)
    snakemake(folder, "validate")
    assert (folder / "results/validation/figures/coverage.pdf").exists()
    again = snakemake(folder)
    assert "build_database" in again
    assert "run_rollouts" not in again
    with duckdb.connect(str(folder / "results/tiny/study.duckdb"), read_only=True) as connection:
        verdicts = dict(
            connection.sql(
                "SELECT verdict, count(*) FROM validation WHERE NOT contrast GROUP BY verdict"
            ).fetchall()
        )
    assert verdicts["met"] > verdicts["missed"] > 0
    assert "Validation of the statistics" in (folder / "results/tiny/report.html").read_text()
