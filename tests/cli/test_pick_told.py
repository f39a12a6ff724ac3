"""What `repairstudy pick` says of what it was given."""

import json

import pytest
from pick_runs import FAILED, GOOD, ROOT, cached, configured, lines, picked

from repairstudy.cli.main import main


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ({"task_id": "layout-006", "actions": ["up"], "t": 0}, "failure_id: required and missing"),
        (GOOD | {"step": 0}, "step: unknown key"),
        (GOOD | {"t": "0"}, "t: Input should be a valid integer"),
        (GOOD | {"t": 2}, "t: 2 is no step of 2 actions"),
        (GOOD | {"t": None}, "t: needed where candidates name no steps"),
        (GOOD | {"t": None, "candidates": ["up"]}, "t: needed, since"),
        (GOOD | {"actions": []}, "actions: List should have at least 1"),
        (GOOD | {"candidates": []}, "candidates: List should have at least 1"),
        (GOOD | {"candidates": ["up", 3]}, "candidates: number 1 is neither"),
        (GOOD | {"candidates": [{"t": 5, "action": "up"}]}, "t: 5 is no step"),
        (GOOD | {"candidates": ["dance"]}, "candidates: 'dance' is not admissible at step 0"),
        (GOOD | {"candidates": ["down"]}, "candidates: none is another action"),
        (GOOD | {"task_id": "layout-999"}, "task_id: environment gridworld has no task"),
        (GOOD | {"actions": ["up"] * 30, "t": 25}, "t: step 25 is beyond the study's budget of 20"),
        (GOOD | {"actions": ["down", "down", "up", "up"], "t": 3}, "actions: "),
        (GOOD | {"failure_id": "first"}, "failure_id: 'first' is that of"),
    ],
)
def test_a_bad_line_is_told_with_file_line_and_field(tmp_path, capsys, line, told):
    path, study = configured(tmp_path)
    first = json.dumps(GOOD | {"failure_id": "first"})
    bad = line if isinstance(line, str) else json.dumps(line)
    failures = tmp_path / "f.jsonl"
    failures.write_text(f"{first}\n\n{bad}\n", encoding="utf-8")
    assert main(["pick", str(failures), "--study", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {failures}, line 3: {told}")
    assert error.count("\n") == 1
    assert cached(study).is_empty()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--pool", "none"], "--pool: no pool 'none' (known: blind, blind-screened)"),
        (["--executor", "none"], "--executor: no executor 'none' (known: blind, careful)"),
        (["--budget", "0"], "--budget: 0 is below 1"),
        (["--confirm", "0"], "--confirm: 0 is below 1"),
        (["--level", "1"], "--level: 1.0 is not between 0 and 1"),
        (["--margin", "-1"], "--margin: -1.0 is not from 0 to 1"),
        (["--json", "/nowhere/out.json"], "--json /nowhere/out.json: cannot be written"),
    ],
)
def test_a_bad_option_is_told_before_any_rollout(tmp_path, capsys, options, told):
    path, study = configured(tmp_path)
    failures = lines(tmp_path / "f.jsonl", FAILED)
    assert main(["pick", str(failures), "--study", str(path), *options]) == 1
    assert capsys.readouterr().err == f"error: {told}\n"
    assert cached(study).is_empty()


def test_with_several_deployed_executors_one_must_be_named(tmp_path, capsys):
    pools = {"a": {"deployed": "blind", "size": 1}, "b": {"deployed": "careful", "size": 1}}
    path, _ = configured(tmp_path, pools=pools)
    failures = lines(tmp_path / "f.jsonl", FAILED[:1])
    assert main(["pick", str(failures), "--study", str(path)]) == 1
    assert "give --pool or --executor: the study deploys blind, careful" in capsys.readouterr().err
    assert picked(failures, path, "--pool", "b")["executor"] == "careful"


def test_an_empty_or_missing_file_is_told(tmp_path, capsys):
    path, _ = configured(tmp_path)
    empty = lines(tmp_path / "f.jsonl", [])
    assert main(["pick", str(empty), "--study", str(path)]) == 1
    assert capsys.readouterr().err == f"error: {empty}: no failed run in it\n"
    assert main(["pick", str(tmp_path / "no.jsonl"), "--study", str(path)]) == 1
    assert "no.jsonl: cannot be read" in capsys.readouterr().err
