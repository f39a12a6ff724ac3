"""Which environment `snakemake audit` takes, as Snakemake's --config hands it over."""

from __future__ import annotations

from pathlib import Path

import pytest
from snakemake.cli import parse_config

from repairstudy.config import parse_study, read_yaml
from repairstudy.config.audited import audited_environment, typed
from repairstudy.errors import ConfigError

ROOT = Path(__file__).parents[2]
STUDY = parse_study(read_yaml(ROOT / "config/config.yaml"), "config.yaml")
OUTCOMES = parse_study(
    {"study": "mine", "plan": "plan.yaml", "outcomes": "mine.csv"}, "outcomes.yaml"
)


@pytest.mark.parametrize(
    "written",
    [
        "environment={name: gridworld, options: {layouts: 12, slip: 0.1, note: null,"
        " deep: [1, b]}}",
        'environment={"name": "gridworld", "options": {"layouts": 12, "slip": 0.1, "note": null,'
        ' "deep": [1, "b"]}}',
    ],
    ids=["YAML", "JSON"],
)
def test_options_on_the_command_line_have_the_types_that_were_written(written):
    environment = audited_environment(STUDY, parse_config([written])["environment"])
    assert environment.name == "gridworld"
    assert environment.options == {"layouts": 12, "slip": 0.1, "note": None, "deep": [1, "b"]}
    assert environment.budget == 20


def test_a_budget_can_be_given_too():
    given = parse_config(["environment={name: mine, budget: 7}"])["environment"]
    assert audited_environment(STUDY, given).budget == 7


def test_without_any_it_is_the_studys_own():
    assert audited_environment(STUDY, None) == STUDY.environment
    assert audited_environment(OUTCOMES, None) is None


def test_a_study_of_outcomes_can_audit_a_named_one():
    assert audited_environment(OUTCOMES, {"name": "gridworld"}).name == "gridworld"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("gridworld", r"--config environment: 'gridworld'; accepted: \{name: NAME"),
        ({"options": {}}, "name: required and missing"),
        ({"name": "mine", "budget": "0"}, "budget: .*greater than or equal to 1"),
        ({"name": "mine", "data": "x"}, "data: unknown key"),
    ],
)
def test_what_is_wrong_is_said(given, said):
    with pytest.raises(ConfigError, match=said):
        audited_environment(STUDY, given)


def test_a_text_that_is_no_yaml_stays_as_it_is():
    assert typed("click[< prev]: {") == "click[< prev]: {"
