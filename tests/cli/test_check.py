"""`repairstudy check`: one clear line for each mistake in a study's files."""

from pathlib import Path

import pytest
import yaml

from repairstudy.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def changed(folder, path, value):
    content = yaml.safe_load(Path("config/studies/tiny.yaml").read_text("utf-8"))
    *parents, last = path.split(".")
    section = content
    for key in parents:
        section = section[key]
    section[last] = value
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def test_a_sound_study_is_summed_up(capsys):
    assert main(["check", "config/studies/tiny.yaml"]) == 0
    assert capsys.readouterr().out == (
        "study tiny: blind deployed, 18 failures in pools blind, blind-screened, 4 hypotheses in "
        "config/plans/tiny.yaml\n"
    )


def test_what_the_workflow_may_still_fetch_is_no_error(capsys, tmp_path):
    model = {"kind": "vllm", "path": "resources/models/nope"}
    assert main(["check", str(changed(tmp_path, "models.blind", model))]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "not there yet: models.blind.path: resources/models/nope/model.safetensors"
    assert main(["check", "config/studies/alfworld_qwen.yaml"]) == 0
    if not Path("resources/alfworld/official").exists():
        assert capsys.readouterr().out.startswith("not there yet: environment: ")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("evaluatrs", {}, "evaluatrs: unknown key; did you mean 'evaluators'?"),
        ("plan", "no.yaml", "plan: there is no file 'no.yaml'"),
        ("environment.options.layout", 3, "environment.options.layout: no such option; accepted: "),
        ("models.blind.parameters.pitblind", True,
         "models.blind.parameters.pitblind: unknown; did you mean 'pit_blind'?"),
        ("models.robot", {"kind": "scripted", "parameters": {"policy": "rndm"}},
         "models.robot.parameters.policy: no policy 'rndm'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_file_and_key(capsys, tmp_path, path, value, said):
    file = changed(tmp_path, path, value)
    assert main(["check", str(file)]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"error: {file}: {said}")
    assert told.count("\n") == 1


def test_a_table_of_outcomes_must_be_there(capsys):
    assert main(["check", "config/studies/outcomes.yaml"]) == 1
    assert "outcomes: there is no file 'outcomes.parquet'" in capsys.readouterr().err


def test_a_plan_that_does_not_fit_is_named(capsys, tmp_path):
    assert main(["check", str(changed(tmp_path, "study", "mine"))]) == 1
    assert "config/plans/tiny.yaml: study: the plan is for 'tiny'" in capsys.readouterr().err
