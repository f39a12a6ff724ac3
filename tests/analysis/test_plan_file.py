"""The plan file: what it may say, and what an error tells."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from repairstudy.analysis import read_plan
from repairstudy.errors import ConfigError

PLANS = Path(__file__).parents[2] / "config" / "plans"
FAMILY = {"name": "f", "pool": "p", "evaluators": ["greedy", "executor:big@5"]}


def written(folder: Path, **parts: object) -> Path:
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump({"study": "s", "date": "2026-11-29", **parts}))
    return path


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.yaml")), ids=lambda path: path.stem)
def test_plans_that_come_with_the_project_are_valid(path: Path) -> None:
    read_plan(path)


def test_the_default_plan_tests_every_evaluator_of_position_scope_in_both_pools() -> None:
    tested = read_plan(PLANS / "gridworld.yaml").hypotheses()
    for pool, other in (("smollm2", "policy-strong"), ("policy-strong", "smollm2")):
        found = {item.evaluator for item in tested if item.pool == pool}
        assert found == {
            "greedy", "temperature_0.3", "solvability", "planner", "judge",
            f"executor:{other}", f"executor:{other}@5", "executor:policy-weak",
            "executor:policy-weak@5", "own_1", "own_2", "own_3", "own_4", "accept_2_of_3", "flip_1",
        }  # fmt: skip
    assert all(item.scope == "position" and item.direction == "greater" for item in tested)


def test_the_plan_for_foreign_tables_names_no_hypothesis() -> None:
    assert read_plan(PLANS / "outcomes.yaml").hypotheses() == []


def test_what_is_not_said_is_as_in_the_protocol(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, families=[FAMILY]))
    assert (plan.alpha, plan.bootstrap.replicates, plan.matched_rollouts) == (0.05, 2000, 5)
    assert (plan.positive_control.threshold, plan.positive_control.gate) == (0.10, "point")
    assert [item[:4] for item in plan.hypotheses()] == [
        ("p", "greedy", "loss", "position"),
        ("p", "executor:big@5", "loss", "position"),
    ]


def test_the_hash_is_of_what_the_plan_says_not_of_its_layout(tmp_path: Path) -> None:
    plain = read_plan(written(tmp_path))
    path = written(tmp_path, alpha=0.05, families=[])
    path.write_text("# a comment\n" + path.read_text())
    assert read_plan(path).plan_hash == plain.plan_hash
    assert read_plan(written(tmp_path, alpha=0.04)).plan_hash != plain.plan_hash


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"alpa": 0.05}, r"alpa: unknown key; did you mean 'alpha'\? \(accepted: study, date, "),
        ({"alpha": "0.05"}, r"alpha: .*valid number \(found '0\.05'\)"),
        ({"alpha": 0.7}, "alpha: .*less than or equal to 0.5"),
        ({"date": "soon"}, "date: .*found 'soon'"),
        ({"ties": "first"}, "ties: .*'uniform' .*found 'first'"),
        ({"keep_original": True}, "keep_original: .*False .*found True"),
        ({"bootstrap": {"replicates": 10}}, "bootstrap.replicates: .*100"),
        ({"bootstrap": {"unit": "rollout"}}, "bootstrap.unit: .*'cluster' or 'failure'"),
        ({"interval": {"type": "bca"}}, "interval.type: .*'percentile', 'bootstrap_t' or 't'"),
        ({"positive_control": {"gate": "none"}}, "positive_control.gate: .*'point' or 'bound'"),
        ({"families": [FAMILY | {"evaluators": []}]}, "families.0.evaluators: .*at least 1"),
        (
            {"families": [FAMILY | {"evaluators": ["greedi"]}]},
            r"families.0.evaluators.0: accepted: greedy, .*own_N.* \(found 'greedi'\)",
        ),
        ({"families": [FAMILY | {"pol": "p"}]}, "families.0.pol: unknown key; .*name, pool"),
        ({"families": [{"name": "f", "pool": "p"}]}, "families.0.evaluators: required and missing"),
        (
            {"families": [FAMILY | {"evaluators": ["earliest_success"]}]},
            "earliest_success exists in scope failure only",
        ),
        (
            {"families": [FAMILY | {"evaluators": ["own_3"], "scope": "failure"}]},
            "own_3 exists in scope position only",
        ),
        ({"families": [FAMILY, FAMILY | {"pool": "q"}]}, "two families have the same name"),
        ({"families": [FAMILY, FAMILY | {"name": "g"}]}, "greedy of pool p is tested twice"),
    ],
)
def test_a_wrong_plan_names_file_key_and_what_is_accepted(
    tmp_path: Path, parts: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=rf"plan\.yaml: .*{message}"):
        read_plan(written(tmp_path, **parts))


def test_a_plan_without_its_date_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("study: s\n")
    with pytest.raises(ConfigError, match="date: required and missing"):
        read_plan(tmp_path / "plan.yaml")
