"""Freezing: the first plan stays, later ones are amendments, and late ones are known as such."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from analysis_worlds import MOMENT, a_plan, frozen

from repairstudy.analysis import Registration, read_registration, register, write_registration
from repairstudy.analysis.registration import to_frame
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
