"""docs/extend.md: which change of a configuration leaves which tests confirmatory."""

from datetime import UTC, datetime

import pytest
import yaml
from documented import ROOT

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.registration import register
from repairstudy.config import parse_study
from repairstudy.config.frozen import frozen_settings

STUDY = yaml.safe_load((ROOT / "config/studies/tiny.yaml").read_text("utf-8"))
PAGE = (ROOT / "docs/extend.md").read_text("utf-8")
ALL = {
    (pool, evaluator)
    for pool in ("blind", "blind-screened")
    for evaluator in ("greedy", "planner", "temperature_0.3", "executor:careful")
}


def of_others(evaluator):
    return {test for test in ALL if test[1] != evaluator}


# Key as the table has it -> a change of it, and the tests that stay confirmatory.
CHANGES = {
    "rollouts.fresh": ({"rollouts": {"fresh": 30}}, ALL),
    "rollouts.control": ({"rollouts": {"control": 10}}, ALL),
    "labeller": (
        {"labeller": {"model": "careful", "prompt": "resources/prompts/label_failures.txt"}},
        ALL,
    ),
    "evaluators.executors.NAME.rollouts": (
        {"evaluators": {"executors": {"careful": {"rollouts": 40}}}},
        of_others("executor:careful"),
    ),
    "evaluators.greedy": ({"evaluators": {"greedy": 4}}, of_others("greedy")),
    "evaluators.low_temperature": (
        {"evaluators": {"low_temperature": 20}},
        of_others("temperature_0.3"),
    ),
    "a further evaluator": ({"evaluators": {"executors": {"blind": {"rollouts": 5}}}}, ALL),
    "a further pool": ({"pools": {"other": {"deployed": "careful", "size": 12}}}, ALL),
    "pools.NAME.size": (
        {"pools": {"blind": {"size": 24}}},
        {test for test in ALL if test[0] != "blind"},
    ),
    "rollouts.label": ({"rollouts": {"label": 20}}, set()),
    "positions": ({"positions": {"per_failure": 3}}, set()),
    "candidates": ({"candidates": {"random": 2}}, set()),
    "seed": ({"seed": 8}, set()),
}


def changed(whole, part):
    if not (isinstance(whole, dict) and isinstance(part, dict)):
        return part
    return whole | {key: changed(whole.get(key), value) for key, value in part.items()}


@pytest.mark.parametrize("key", CHANGES)
def test_the_table_says_which_tests_stay_confirmatory(key):
    change, expected = CHANGES[key]
    assert key in PAGE
    families = [
        {"name": f"{pool} {evaluator}", "pool": pool, "evaluators": [evaluator]}
        for pool, evaluator in sorted(ALL)
    ]
    plan = Plan.model_validate({"study": "tiny", "date": "2026-11-30", "families": families})
    registration = None
    for hour, content in enumerate((STUDY, changed(STUDY, change))):
        registration = register(
            plan,
            at=datetime(2026, 11, 30, hour, tzinfo=UTC),
            commit="unknown",
            rollouts_exist=hour > 0,
            previous=registration,
            settings=frozen_settings(parse_study(content, "tiny.yaml")),
        )
    stay = {
        (hypothesis.pool, hypothesis.evaluator)
        for hypothesis in plan.hypotheses()
        if registration.is_confirmatory(hypothesis)
    }
    assert stay == expected


def test_the_table_has_a_row_for_each_change():
    rows = PAGE.split("| --- | --- |")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in rows.splitlines() if row]
    keys = {key.strip(" `") for cell in cells for key in cell.split(",")}
    assert keys == set(CHANGES)
