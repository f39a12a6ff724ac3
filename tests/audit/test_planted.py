"""Every planted defect that behaves differently from the sound scorer is caught, and no other."""

from __future__ import annotations

from collections import Counter

import pytest
from audit_worlds import SMALL, WORLDS, corridor, gridworld
from corridor import Unplanned

from repairstudy.audit import audit, audit_the_audit, page, summary
from repairstudy.audit.comparison import difference_of, states_of
from repairstudy.audit.defects import DEFECTS, FAMILIES, errors
from repairstudy.audit.ground import Ground
from repairstudy.environments.gridworld.search import reachable

HARMLESS = {defect for defect in DEFECTS if defect.harmless}


@pytest.fixture(scope="module", params=WORLDS)
def planted(request):
    """What became of every defect in one of the worlds."""
    return list(audit_the_audit(WORLDS[request.param](), SMALL))


def test_there_are_enough_defects_of_every_class():
    harmful = Counter(defect.kind for defect in DEFECTS if not defect.harmless)
    assert len(harmful) == 7
    assert min(harmful.values()) >= 5
    assert harmful.total() >= 21
    assert {defect.kind for defect in HARMLESS} == set(harmful)


def test_all_that_behave_differently_are_caught_and_no_others(planted):
    assert len(planted) == len(DEFECTS)
    assert [row.defect for row in planted if not row.right] == []


def test_at_least_three_of_every_class_make_a_difference(planted):
    different = Counter(row.kind for row in planted if row.difference)
    assert set(different) == {family.kind for family in FAMILIES}
    assert min(different.values()) >= 3


def test_a_harmless_wrapper_makes_no_difference(planted):
    by_description = {" ".join((d.__doc__ or "").split()): d for d in DEFECTS}
    quiet = {by_description[row.description] for row in planted if row.difference is None}
    assert quiet >= HARMLESS


def test_the_summary_counts_them_by_class(planted):
    findings = summary(planted)
    assert [finding.check for finding in findings] == [f"planted: {f.kind}" for f in FAMILIES]
    assert all(finding.passed for finding in findings)
    swallowing = next(f for f in findings if f.check == "planted: swallows exceptions")
    assert swallowing.detail == (
        "10 planted, 9 behave differently, 9 of these caught, 0 false alarms"
    )


def test_the_page_shows_every_defect(planted):
    text = page("a world", summary(planted), planted)
    assert "No check failed." in text
    assert "MISSED" not in text
    assert "ALARM" not in text
    assert all(f"| {row.defect} |" in text for row in planted)


def test_an_audit_that_cannot_see_is_found_out(monkeypatch):
    """Without its exceptions the audit misses what swallows them, and says so."""
    seeing = [check for check in audit.CHECKS if check.name != "exceptions in scoring come out"]
    monkeypatch.setattr(audit, "CHECKS", tuple(seeing))
    planted = list(audit_the_audit(corridor(), SMALL, [errors.TimeoutsAreFailures]))
    assert planted[0].difference
    assert planted[0].caught_by is None
    finding = next(f for f in summary(planted) if f.passed is not None)
    assert not finding.passed
    assert "timeouts are failures" in finding.detail
    assert "**FAILED**" in page("a world", summary(planted), planted)


def test_without_reference_solutions_the_audit_misses_some_and_says_why():
    planted = list(audit_the_audit(Unplanned, SMALL))
    missed = {row.defect for row in planted if row.difference and not row.caught_by}
    assert "solved after actions" in missed
    assert not [row.defect for row in planted if row.caught_by and not row.difference]
    findings = {f.check: f for f in summary(planted)}
    assert findings["planted: swallows exceptions"].passed is True
    blind = findings["planted: returns success always"]
    assert blind.passed is None
    assert blind.detail.startswith("not applicable without a reference solution: ")
    assert "solved after actions" in blind.detail
    assert "**MISSED**" in page("a world", list(findings.values()), planted)


def test_a_false_alarm_is_found_out(monkeypatch):
    alarm = audit.Check("alarms always", lambda ground: iter(["a problem"]), "things")
    monkeypatch.setattr(audit, "CHECKS", (alarm,))
    planted = list(audit_the_audit(corridor(), SMALL, [errors.PassedOnWithANote]))
    finding = next(f for f in summary(planted) if f.passed is not None)
    assert not finding.passed
    assert "1 false alarms" in finding.detail


def test_the_comparison_lists_every_state_of_a_layout():
    make = gridworld()
    world = make()
    for task in world.tasks():
        layout = world.layout(task)
        found = set()
        for spot in states_of(make, task):
            world.reset(task)
            for action in spot.actions:
                world.step(action)
            found.add(world.signature())
        assert len(found) == len(reachable(layout, layout.initial()))


def test_the_comparison_tells_where_two_scorers_come_apart():
    make = corridor()
    tasks = Ground(make, SMALL).tasks
    told = difference_of(errors.SwallowedAsSuccess, make, tasks)
    assert told == "outcome: Outcome(success=True, reward=1.0) in place of RuntimeError"
