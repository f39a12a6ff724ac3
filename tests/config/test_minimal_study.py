"""The shortest configuration: a person can write it from memory, and it runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repairstudy.analysis.plan import read_plan
from repairstudy.config import parse_study, read_yaml
from repairstudy.config.files import require_named

ROOT = Path(__file__).parents[2]
MINIMAL = ROOT / "config/studies/minimal.yaml"


def test_it_is_short_and_complete(monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = [line for line in MINIMAL.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) <= 12
    study = parse_study(read_yaml(MINIMAL), MINIMAL)
    require_named(study, MINIMAL)
    assert read_plan(study.plan).hypotheses() == []  # nothing is tested that nobody planned


def test_an_evaluator_s_name_alone_is_enough():
    content = read_yaml(MINIMAL)
    named = parse_study(content, MINIMAL)
    content["evaluators"]["executors"] = {"careful": None}  # as YAML reads `careful:`
    assert parse_study(content, MINIMAL) == named


@pytest.mark.workflow
@pytest.mark.skipif(
    os.environ.get("REPAIRSTUDY_SLOW") != "1", reason="about a minute of CPU: REPAIRSTUDY_SLOW=1"
)
def test_it_runs_to_its_report(tmp_path):
    """The whole workflow; other tests do so with the miniature study, which has every part."""
    for name in ("Snakefile", "workflow", "resources", "notebooks", "profiles", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    program = Path(sys.executable).with_name("snakemake")
    done = subprocess.run(
        [program, "--cores", "2", "--configfile", "config/studies/minimal.yaml"],
        cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "wrote results/minimal/report.html" in done.stderr
    assert "exploratory" in (tmp_path / "results/minimal/report.html").read_text("utf-8")
