"""Freezing: the first plan stays, later ones are amendments, and late ones are known as such."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from analysis_worlds import MOMENT, a_plan, frozen

from repairstudy.analysis import Registration, read_registration, register, write_registration
from repairstudy.analysis.registration import Evidence
from repairstudy.analysis.registration_file import from_row, to_frame
from repairstudy.errors import PlanError
from repairstudy.records import TABLES
from repairstudy.store import check

LATER = MOMENT + timedelta(hours=1)
FAMILY = {"name": "f", "pool": "p", "evaluators": ["greedy", "judge"]}
WIDER = FAMILY | {"evaluators": ["greedy", "judge", "planner"]}
FIRST = frozen(families=[FAMILY])


def changed(previous: Registration, rollouts_exist: bool = True, **parts: object) -> Registration:
    return register(
        a_plan(**parts), at=LATER, commit="f00d", rollouts_exist=rollouts_exist, previous=previous
    )


def test_a_plan_that_says_the_same_changes_nothing() -> None:
    assert changed(FIRST, families=[FAMILY]) is FIRST
    assert FIRST.frozen_at == MOMENT


def test_before_the_first_rollout_a_plan_may_change() -> None:
    again = changed(FIRST, rollouts_exist=False, families=[WIDER])
    assert (again.frozen_at, again.commit, again.amendments) == (LATER, "f00d", ())
    assert again.plan.families[0].evaluators == ("greedy", "judge", "planner")


def test_after_rollouts_a_change_is_an_amendment_with_its_date_and_difference() -> None:
    amended = changed(FIRST, families=[WIDER])
    assert (amended.plan, amended.frozen_at) == (FIRST.plan, MOMENT)
    [amendment] = amended.amendments
    assert (amendment.at, amendment.commit) == (LATER, "f00d")
    assert "+  - planner" in amendment.diff.splitlines()
    assert "-  - planner" not in amendment.diff
    assert amended.current == a_plan(families=[WIDER])


def test_what_an_amendment_adds_or_changes_is_never_confirmatory() -> None:
    turned = FAMILY | {"direction": "less"}
    for family in (WIDER, turned):
        amended = changed(FIRST, families=[family])
        first, now = amended.plan.hypotheses(), amended.current.hypotheses()
        assert all(map(amended.is_confirmatory, first))
        added = [hypothesis for hypothesis in now if amended.added(hypothesis)]
        assert added == [hypothesis for hypothesis in now if hypothesis not in first]
        assert added
        assert not any(map(amended.is_confirmatory, added))


def test_amendments_pile_up_and_going_back_is_one_too() -> None:
    amended = changed(changed(FIRST, families=[WIDER]), families=[FAMILY])
    assert [item.plan.families[0].evaluators for item in amended.amendments] == [
        ("greedy", "judge", "planner"),
        ("greedy", "judge"),
    ]
    # Rollouts that were deleted do not make the plan young again.
    assert len(changed(amended, rollouts_exist=False, families=[WIDER]).amendments) == 3


def test_a_plan_first_frozen_after_the_rollouts_is_late() -> None:
    late = register(a_plan(families=[FAMILY]), at=MOMENT, commit="c", rollouts_exist=True)
    assert late.late
    assert not any(map(late.is_confirmatory, late.plan.hypotheses()))
    stated = register(
        a_plan(families=[FAMILY], outcomes_unseen=True), at=MOMENT, commit="c", rollouts_exist=True
    )
    assert stated.late
    assert all(map(stated.is_confirmatory, stated.plan.hypotheses()))
    # The statement cannot be added afterwards.
    added = changed(late, families=[FAMILY], outcomes_unseen=True)
    assert not any(map(added.is_confirmatory, added.plan.hypotheses()))


def test_a_registration_survives_its_file(tmp_path: Path) -> None:
    amended = changed(FIRST, families=[WIDER])
    for registration in (FIRST, amended):
        write_registration(registration, tmp_path / "plan.json")
        assert read_registration(tmp_path / "plan.json") == registration


def test_a_plan_edited_after_freezing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_registration(FIRST, path)
    path.write_text(path.read_text().replace('"alpha": 0.05', '"alpha": 0.1'))
    with pytest.raises(PlanError, match=r"plan\.json: the frozen plan was edited: its hash is "):
        read_registration(path)


def test_a_plan_that_is_absent_or_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    with pytest.raises(PlanError, match=r"plan\.json: no plan is frozen"):
        read_registration(path)
    write_registration(FIRST, path)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(PlanError, match=r"plan\.json: the frozen plan is damaged"):
        read_registration(path)


def test_the_table_holds_plan_and_amendments_as_json() -> None:
    amended = changed(FIRST, families=[WIDER])
    row = check(to_frame(amended), TABLES["preregistration"], "here").row(0, named=True)
    assert row["plan_hash"] == FIRST.plan.plan_hash
    assert row["frozen_at"] == MOMENT
    assert json.loads(row["plan"])["families"][0]["evaluators"] == ["greedy", "judge"]
    [amendment] = json.loads(row["amendments"])
    assert amendment["at"] == LATER.isoformat()
    assert amendment["plan_hash"] == amended.current.plan_hash


POOLS: dict[str, object] = {"p": {"size": 60}, "q": {"size": 60}}
EVALUATORS: dict[str, object] = {"greedy": {"rollouts": 2}, "executor:big": {"rollouts": 20}}
SETTINGS: dict[str, object] = {
    "shared": {"seed": 1, "label_rollouts": 10},
    "pools": POOLS,
    "evaluators": EVALUATORS,
}
P = {"p greedy", "p executor:big@5", "p own_1"}
PLAN = a_plan(
    families=[
        {"name": "p", "pool": "p", "evaluators": ["greedy", "executor:big@5", "own_1"]},
        {"name": "q", "pool": "q", "evaluators": ["greedy"]},
    ]
)
SETTLED = register(PLAN, at=MOMENT, commit="c", rollouts_exist=False, settings=SETTINGS)


def with_settings(**changes: dict[str, object]) -> Registration:
    """After these groups of the settings were changed, with rollouts there."""
    return register(
        PLAN,
        at=LATER,
        commit="f00d",
        rollouts_exist=True,
        previous=SETTLED,
        settings=SETTINGS | changes,
    )


def test_the_difference_of_settings_is_what_changed_in_whatever_order_they_were_kept() -> None:
    kept = json.loads(json.dumps(SETTINGS, sort_keys=True))
    before = register(PLAN, at=MOMENT, commit="c", rollouts_exist=False, settings=kept)
    changed = {"shared": {"label_rollouts": 10, "seed": 2}}
    now = dict(reversed((SETTINGS | changed).items()))
    after = register(
        PLAN, at=LATER, commit="f00d", rollouts_exist=True, previous=before, settings=now
    )
    lines = after.amendments[0].diff.splitlines()[2:]
    assert [line for line in lines if line[0] in "+-"] == ["-    seed: 1", "+    seed: 2"]


@pytest.mark.parametrize(
    ("changes", "spoilt"),
    [
        ({"shared": {"seed": 2, "label_rollouts": 10}}, {*P, "q greedy"}),
        ({"pools": POOLS | {"p": {"size": 61}}}, P),
        ({"evaluators": EVALUATORS | {"executor:big": {"rollouts": 40}}}, {"p executor:big@5"}),
        ({"evaluators": EVALUATORS | {"greedy": {"rollouts": 3}}}, {"p greedy", "q greedy"}),
        ({"evaluators": {"executor:big": {"rollouts": 20}}}, {"p greedy", "q greedy"}),
        ({"evaluators": EVALUATORS | {"executor:new": {"rollouts": 1}}}, set()),
        ({"pools": POOLS | {"r": {"size": 5}}}, set()),
    ],
)
def test_a_change_of_settings_spoils_what_it_governs_and_nothing_else(
    changes: dict[str, dict[str, object]], spoilt: set[str]
) -> None:
    changed = with_settings(**changes)
    assert [item.reason for item in changed.amendments] == [
        "the configuration changed after rollouts existed"
    ]
    assert {
        f"{item.pool} {item.evaluator}"
        for item in PLAN.hypotheses()
        if not changed.is_confirmatory(item)
    } == spoilt


def test_executors_that_moved_spoil_the_tests_they_take_part_in() -> None:
    moved = replace(SETTLED, evidence=Evidence(moved={"big": "big is another", "dep": "dep is"}))
    first, second, third = PLAN.families[0].hypotheses()
    assert moved.objections(first) == []
    assert moved.objections(second) == ["big is another"]
    assert moved.objections(third, "dep") == ["dep is"]
    world = replace(SETTLED, evidence=Evidence(moved={"environment": "the world is another"}))
    assert not any(map(world.is_confirmatory, PLAN.hypotheses()))


def test_rollouts_older_than_the_plan_make_it_late() -> None:
    before, after = MOMENT - timedelta(seconds=1), MOMENT + timedelta(seconds=1)
    assert replace(SETTLED, evidence=Evidence(before)).late
    assert not replace(SETTLED, evidence=Evidence(after)).late
    assert not SETTLED.late


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(PlanError, match="Set the clock right"):
        register(PLAN, at=MOMENT - timedelta(days=1), commit="c", rollouts_exist=False,
                 previous=SETTLED, settings=SETTINGS)  # fmt: skip


def test_a_file_of_an_earlier_version_gets_its_settings_as_an_amendment(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_registration(SETTLED, path)
    content = json.loads(path.read_text())
    for name in ("settings", "content_hash", "registration"):
        del content[name]
    path.write_text(json.dumps(content))
    again = register(PLAN, at=LATER, commit="c", rollouts_exist=True,
                     previous=read_registration(path), settings=SETTINGS)  # fmt: skip
    [amendment] = again.amendments
    assert amendment.reason.startswith("the settings were frozen after the plan")
    assert all(map(again.is_confirmatory, PLAN.hypotheses()))


@pytest.mark.parametrize("part", ["frozen_at", "commit", "settings", "amendments"])
def test_no_part_of_a_registration_can_be_edited_unnoticed(tmp_path: Path, part: str) -> None:
    path = tmp_path / "plan.json"
    write_registration(with_settings(pools={}), path)
    content = json.loads(path.read_text())
    content[part] = {"frozen_at": LATER.isoformat(), "commit": "other", "settings": {},
                     "amendments": []}[part]  # fmt: skip
    path.write_text(json.dumps(content))
    with pytest.raises(PlanError, match=r"plan\.json: the registration was edited"):
        read_registration(path)


def test_the_table_gives_the_registration_back() -> None:
    evidence = Evidence(MOMENT - timedelta(days=1), {"big": "executor big is another"})
    registration = replace(with_settings(pools={}), evidence=evidence)
    row = to_frame(registration).row(0, named=True)
    again = from_row(row, evidence.first_rollout)
    assert (again, again.evidence) == (registration, evidence)
    assert again.identity == registration.identity == row["registration"] == SETTLED.identity
