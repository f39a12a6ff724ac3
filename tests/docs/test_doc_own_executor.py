"""docs/own-executor.md as it stands: its endpoint, prompt and key, at a server of the tests.

The whole study, in which the endpoint is deployed, evaluates for another and judges, takes a minute
or two: it is run with REPAIRSTUDY_SLOW=1.
"""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
import yaml
from documented import BLOCKS, ROOT, project_at

sys.path.insert(0, str(ROOT / "tests/engines"))
from engine_fakes import FakeServer

PAGE = [block for block in BLOCKS if block.page == "docs/own-executor.md"]
KEY = "a-key-of-the-reader"


@pytest.fixture
def workspace(tmp_path):
    """Step 1: copies of the miniature study and its plan; step 3: the prompt."""
    project_at(tmp_path)
    for block in PAGE:
        if block.file.startswith("prompts/"):
            (tmp_path / block.file).parent.mkdir()
            (tmp_path / block.file).write_text(block.content, "utf-8")
    return tmp_path


def study_with(url):
    """Steps 2 and 5: the page's endpoint and its uses, in a copy of the miniature study."""
    study = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text("utf-8"))
    endpoint, *_, use = [yaml.safe_load(b.content) for b in PAGE if b.language == "yaml"]
    endpoint["models"]["hosted"]["url"] = url
    for part in ("models", "executors"):
        study[part] |= endpoint[part]
    study["pools"] |= {"hosted": use["pools"]["hosted"] | {"size": 2}}
    study["evaluators"]["executors"] |= use["evaluators"]["executors"]
    study["evaluators"]["judge"] = use["evaluators"]["judge"]
    return study | {"study": "mine", "plan": "config/plans/mine.yaml"}


def run(workspace, server, *targets):
    """Snakemake on the reader's study; what it said, after a look for the key in all of it."""
    plan = {"study": "mine", "date": "2026-11-30"}
    for kind, content in (("studies", study_with(server.url)), ("plans", plan)):
        text = yaml.safe_dump(content)
        (workspace / f"config/{kind}/mine.yaml").write_text(text, "utf-8")
    command = [Path(sys.executable).with_name("snakemake"), *targets, "--cores", "1"]
    done = subprocess.run(
        [*command, "--configfile", "config/studies/mine.yaml"],
        cwd=workspace, env=os.environ | {"MY_API_KEY": KEY, "HOME": str(workspace)},
        capture_output=True, text=True,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-3000:]
    assert KEY not in said
    for path in (workspace / "results").rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def asked_of(server):
    return [body for path, _, body in server.requests if path == "/v1/chat/completions"]


def test_the_endpoint_of_the_page_acts(workspace):
    target = "results/mine/collected/hosted.steps.parquet"
    with FakeServer(models=("their-model",), key=KEY) as server:
        run(workspace, server, target)
    steps = pl.read_parquet(workspace / target)
    assert set(steps["action"]) == {"up"}  # all that this server ever says
    asked = asked_of(server)[-1]
    prompt = asked["messages"][0]["content"]
    assert "Possible actions:\nup\ndown\nleft\nright\n" in prompt
    assert "{" not in prompt
    assert asked["max_tokens"] == 256


@pytest.mark.skipif(not os.environ.get("REPAIRSTUDY_SLOW"), reason="set REPAIRSTUDY_SLOW=1")
def test_a_study_with_the_endpoint_in_every_part_runs_to_its_report(workspace):
    with FakeServer(models=("their-model",), key=KEY) as server:
        run(workspace, server)
    with duckdb.connect(workspace / "results/mine/study.duckdb", read_only=True) as study:
        rows = study.sql("SELECT DISTINCT pool, evaluator FROM results WHERE analysis = 'losses'")
        found = set(rows.fetchall())
    assert {("blind", "executor:hosted"), ("blind", "judge"), ("hosted", "greedy")} <= found
    assert (workspace / "results/mine/report.html").exists()
