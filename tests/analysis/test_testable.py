"""A plan that tests what the study does not measure is refused before the first rollout."""

from pathlib import Path

import pytest
import yaml

from repairstudy.analysis.plan import read_plan
from repairstudy.analysis.testable import read_plan_of, require_testable, untestable
from repairstudy.config import parse_study, read_yaml
from repairstudy.config.frozen import frozen_settings
from repairstudy.errors import PlanError

ROOT = Path(__file__).parents[2]
TINY = "config/studies/tiny.yaml"


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def settings(**evaluators):
    content = read_yaml(TINY)
    content["evaluators"] |= evaluators
    return frozen_settings(parse_study(content, TINY))


def plan_with(folder, **family):
    content = read_yaml("config/plans/tiny.yaml")
    content["families"][0] |= family
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


STUDIES = [ROOT / "config/config.yaml", *Path(ROOT, "config/studies").glob("*.yaml")]


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_shipped_plan_is_carried_out_by_its_study(path):
    study = parse_study(read_yaml(path), path)
    assert not untestable(read_plan(study.plan), frozen_settings(study))


def test_evaluators_by_own_rollouts_need_no_entry(tmp_path):
    own = ["own_3", "random", "accept_2_of_3", "flip_1"]
    assert untestable(read_plan(plan_with(tmp_path, evaluators=own)), settings()) == []


@pytest.mark.parametrize(
    ("family", "evaluators", "said"),
    [
        ({"pool": "blnd"}, {}, "families.target-blind.pool: the study has no pool 'blnd'; did you"),
        ({"evaluators": ["executor:carefull@5"]}, {},
         "families.target-blind.evaluators: the study has no 'executor:carefull@5'; did you mean "
         "'executor:careful'? (it has greedy, "),
        ({"evaluators": ["temperature_0.5"]}, {}, "no 'temperature_0.5'; did you mean 'temp"),
        ({"evaluators": ["judge"]}, {"judge": None}, "the study has no 'judge' (it has greedy,"),
        ({"evaluators": ["greedy"]}, {"greedy": 0}, "the study's evaluators leave out 'greedy'"),
        ({"evaluators": ["planner"]}, {"planner": False}, "leave out 'planner'"),
        ({"evaluators": ["executor:careful"]},
         {"executors": {"careful": {"pools": ["blind-screened"]}}},
         "'executor:careful' does not evaluate pool blind"),
    ],
)  # fmt: skip
def test_what_is_not_measured_is_named(tmp_path, family, evaluators, said):
    path = plan_with(tmp_path, **family)
    with pytest.raises(PlanError) as raised:
        require_testable(read_plan(path), settings(**evaluators), path)
    assert str(raised.value).startswith(f"{path}: families.target-blind.")
    assert said in str(raised.value)


def test_the_plan_of_another_study_is_refused():
    with pytest.raises(PlanError, match="the plan is for 'tiny', this is 'mine'"):
        read_plan_of("config/plans/tiny.yaml", "mine")


def test_settings_of_outcomes_made_elsewhere_forbid_nothing():
    plan = read_plan("config/plans/tiny.yaml")
    assert untestable(plan, {"shared": {}, "pools": {}, "evaluators": {}}) == []
