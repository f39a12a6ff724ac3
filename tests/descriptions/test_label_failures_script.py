"""The labeller's script: failures of the pools in, table `llm_labels` and its counts out."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
from test_describe import frames
from workflow_scripts import load_script

from repairstudy.config import read_yaml
from repairstudy.engines import Completion
from repairstudy.records import TABLES
from repairstudy.store import read_table, write_table

ROOT = Path(__file__).parents[2]
EMPTY = {pl.String(): "", pl.Int64(): 0, pl.Float64(): 0.0}
PROMPT = str(ROOT / "resources/prompts/label_failures.txt")


class Engine:
    def __init__(self):
        self.closed, self.prompts = False, []

    async def complete(self, request):
        self.prompts.append(request.prompt)
        return Completion(" ping_pong, bad luck", "stop", 1, 1)

    async def score(self, prompt, choices):
        raise AssertionError("a labeller writes text")

    async def close(self):
        self.closed = True


def test_every_failure_is_asked_about_once_with_the_shipped_prompt(tmp_path, monkeypatch):
    module, engine, said = load_script("label_failures"), Engine(), io.StringIO()
    monkeypatch.setattr(module, "engine_of", lambda *_: engine)
    files = {name: tmp_path / f"{name}.parquet" for name in module.READ}
    for name, frame in frames().items():
        known = [pl.col(c.name).fill_null(EMPTY[c.dtype]) for c in TABLES[name].columns
                 if c.dtype in EMPTY and not c.nullable]  # fmt: skip
        write_table(frame.with_columns(known), files[name], TABLES[name])
    config = read_yaml(ROOT / "config/studies/tiny.yaml")
    config |= {"labeller": {"model": "blind", "prompt": PROMPT}}
    module.main(config, files, tmp_path / "labels.parquet", None, said)
    labels = read_table(tmp_path / "labels.parquet", TABLES["llm_labels"])
    assert labels.rows() == [("f", "blind", "failure_type", "ping_pong")]
    assert said.getvalue() == (
        "1 failures asked about, 0 answers name no label, 1 parts of answers ignored\n"
    )
    assert engine.closed
    [prompt] = engine.prompts
    assert "ping_pong: To and fro between two states" in prompt
    assert prompt.endswith("Labels:")
