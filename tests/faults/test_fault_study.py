"""A whole study acted by a standing server that misbehaves, goes away, and comes back as another.

Opt-in, as it runs Snakemake several times: REPAIRSTUDY_SLOW=1 (about two minutes).
"""

import importlib.util
import json
import os
from pathlib import Path

import duckdb
import pytest
import yaml
from fault_server import FaultServer, status

SLOW = os.environ.get("REPAIRSTUDY_SLOW") == "1"
ROOT = Path(__file__).parents[2]
SECRET = "sk-never-to-be-seen"


def workspace(folder):
    spec = importlib.util.spec_from_file_location("w", ROOT / "tests/workflow/conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Workspace(folder)


def configure(project, url):
    """The miniature study, its deployed executor acted by the server."""
    content = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text())
    content["models"]["blind"] = {
        "kind": "openai",
        "url": url,
        "served_name": "small",
        "api_key_env": "STUDY_KEY",
        "patience": 5.0,
    }
    content["executors"]["blind"]["decoding"] = {"mode": "text", "max_tokens": 4}
    content["candidates"]["proposers"]["blind"]["decoding"] = {"mode": "text", "max_tokens": 4}
    content["pools"] = {"blind": {"deployed": "blind", "size": 12}}
    project.path("config/studies/served.yaml").write_text(yaml.safe_dump(content))
    return "config/studies/served.yaml"


@pytest.mark.workflow
@pytest.mark.skipif(not SLOW, reason="REPAIRSTUDY_SLOW=1 runs a whole study")
def test_a_study_over_a_faulty_server(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDY_KEY", SECRET)
    script = lambda number: status(500) if number % 10 == 3 else None  # noqa: E731
    with FaultServer(script) as server:
        server.key, server.texts = SECRET, ("go right", "LEFT", "up", "down")
        project = workspace(tmp_path / "project")
        file = configure(project, server.url)
        project.run(configfile=file)
        record = json.loads(project.path("results/tiny/servers/blind.json").read_text())
    database = project.path("results/tiny/study.duckdb")
    with duckdb.connect(str(database), read_only=True) as study:
        (identity,) = study.execute(
            "SELECT identity FROM executors WHERE name = 'blind'"
        ).fetchone()
    assert json.loads(identity)["model"]["weights"] == record["fingerprint"]
    written = [p for p in tmp_path.rglob("*") if p.is_file() and ROOT not in p.resolve().parents]
    assert len(written) > 50
    assert [p for p in written if SECRET.encode() in p.read_bytes()] == []

    # The server is gone; figures need neither it nor its record.
    kept = project.path("results/tiny/servers").rename(tmp_path / "servers")
    project.run("figures", "--forcerun", "draw_figures", configfile=file)
    kept.rename(project.path("results/tiny/servers"))

    for shard in project.path("results/cache/rollouts").rglob("*.parquet"):
        shard.unlink()
    with FaultServer(port=server.port) as other:
        other.key, other.card = SECRET, {"root": "/models/other"}
        output = project.run("--forcerun", "run_rollouts", configfile=file, expect=1)
        assert "the server has another model than results/tiny/servers/blind.json" in output
        assert other.completions == 0
