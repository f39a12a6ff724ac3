"""The configuration refuses what it does not understand, and says how to mend it."""

import copy
from pathlib import Path

import pytest
import yaml

from repairstudy.config import OutcomesConfig, parse_study, read_yaml
from repairstudy.config.frozen import frozen_settings
from repairstudy.errors import ConfigError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def content():
    return copy.deepcopy(read_yaml(ROOT / "config/config.yaml"))


def put(content, path, value):
    *parents, last = path.split(".")
    for key in parents:
        content = content[key]
    content[last] = value


STUDIES = [ROOT / "config/config.yaml", *sorted((ROOT / "config/studies").glob("*.yaml"))]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_shipped_study_is_valid(path):
    assert parse_study(read_yaml(path), path).study == (
        "gridworld" if path.stem == "config" else path.stem
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("models.smollm2.chat", "messages", "models.smollm2.chat: messages needs kind openai"),
        ("executors.smollm2.prompt", None, "executors.smollm2: `protocol` and `prompt` are requi"),
        ("models.smollm2.kind", "scripted", "judge.model: a scripted model writes no text"),
        ("models.smollm2.kind", "scripted", "smollm2.protocol: a scripted model has none"),
        ("models.smollm2.kind", "scripted", "'smollm2' is scripted and has no temperature"),
        ("budgget", 3, "budgget: unknown key (accepted: study, seed"),
        ("environment.budgett", 3, "environment.budgett: unknown key; did you mean 'budget'?"),
        ("pools.smollm2.sise", 3, "pools.smollm2.sise: unknown key; did you mean 'size'?"),
        ("models.smollm2.kind", "vlm", "or 'scripted'; did you mean 'vllm'? (found 'vlm')"),
        ("pools.smollm2.deployed", "smollm", "'smollm' is not defined; did you mean 'smollm2'?"),
        ("pools.smollm2", None, "pools.smollm2: takes keys (accepted: deployed, size, screen)"),
        ("environment.budget", "20", "environment.budget: Input should be a valid integer"),
        ("environment.budget", 0, "environment.budget: Input should be greater than or equal to 1"),
        ("metric", "points", "metric: Input should be 'success' or 'reward'"),
        ("executors.smollm2.model", "gpt", "executors.smollm2.model: 'gpt' is not defined"),
        ("executors.smollm2.decoding.top_p", 1.5, "executors.smollm2.decoding.top_p: Input"),
        ("pools.smollm2.deployed", "nobody", "pools.smollm2.deployed: 'nobody' is not defined"),
        ("models.smollm2.path", None, "models.smollm2.path: required for kind vllm"),
        ("evaluators.judge.model", "gpt", "evaluators.judge.model: 'gpt' is not defined"),
        ("evaluators.executors.smollm2.equal_budget", 50, "equal_budget: 50 is more than its 20"),
        ("study", "../../elsewhere", "study: String should match pattern"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_remedy(content, path, value, expected):
    put(content, path, value)
    with pytest.raises(ConfigError) as raised:
        parse_study(content, "config/mine.yaml")
    message = str(raised.value)
    assert message.startswith("config/mine.yaml: ")
    assert expected in message


def test_a_missing_section_is_named(content):
    del content["environment"]
    with pytest.raises(ConfigError, match="environment: required and missing"):
        parse_study(content, "mine.yaml")


def test_all_mistakes_are_reported_at_once(content):
    content["seed"] = "one"
    content["metric"] = 3
    with pytest.raises(ConfigError) as raised:
        parse_study(content, "mine.yaml")
    assert len(str(raised.value).splitlines()) == 2


def test_a_table_of_outcomes_needs_nothing_else():
    content = {"study": "elsewhere", "plan": "p.yaml", "outcomes": "table.csv"}
    study = parse_study(content, "mine.yaml")
    assert isinstance(study, OutcomesConfig)
    assert study.deployed == "deployed"


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: [", "\x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path, text):
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"broken\.yaml"):
        read_yaml(path)


def test_one_executor_under_two_names_is_refused(content):
    content["executors"]["again"] = copy.deepcopy(content["executors"]["smollm2"])
    with pytest.raises(ConfigError, match=r"executors\.again: the same executor as 'smollm2'"):
        parse_study(content, "mine.yaml")


def test_yaml_round_trip_keeps_the_configuration(content):
    assert parse_study(yaml.safe_load(yaml.safe_dump(content)), "a") == parse_study(content, "b")


LABELLER = {"model": "smollm2", "prompt": "resources/prompts/label_failures.txt"}


def test_there_is_no_labeller_unless_it_is_asked_for(content):
    assert parse_study(content, "mine.yaml").labeller is None


@pytest.mark.parametrize(
    ("kind", "model", "expected"),
    [
        ("vllm", "gpt", "labeller.model: 'gpt' is not defined"),
        ("scripted", "reader", "labeller.model: a scripted model writes no text"),
        ("transformers", "reader", "labeller.model: kind transformers writes no text"),
    ],
)
def test_a_labeller_writes_text(content, kind, model, expected):
    content["models"]["reader"] = {"kind": kind, "path": "somewhere"}
    content["labeller"] = LABELLER | {"model": model}
    with pytest.raises(ConfigError, match=expected):
        parse_study(content, "mine.yaml")


def test_a_labeller_is_not_among_the_frozen_settings(content):
    without = frozen_settings(parse_study(content, "mine.yaml"))
    content["labeller"] = LABELLER
    assert frozen_settings(parse_study(content, "mine.yaml")) == without
