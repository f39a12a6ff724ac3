"""The audit in a report: what failed comes first, what could not be checked is no success."""

from __future__ import annotations

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.report.audit_section import audit_section, audit_warnings


def frames(*rows):
    names = ("environment", "check", "passed", "detail")
    table = pl.DataFrame(
        [dict(zip(names, row, strict=True)) for row in rows], schema=TABLES["audit"].schema
    )
    return {"audit": table}


GOOD = ("gridworld", "does nothing: rejected", True, "24 episodes")
SILENT = ("gridworld", "reference solution: accepted", None, "not applicable: no plan()")
BAD = ("gridworld", "order of scoring is of no account", False, "1 problems in 9 answers: one")
CAUGHT = ("gridworld", "planted: mutates on read", True, "7 planted, 6 behave differently")
MISSED = ("gridworld", "planted: swallows exceptions", False, "9 planted, 8 caught")


def test_nothing_is_said_at_the_top_where_no_check_failed():
    assert audit_warnings(frames()) == []
    assert audit_warnings(frames(GOOD, SILENT, CAUGHT)) == []


def test_a_failed_check_is_said_with_its_name_and_its_consequence():
    (said,) = audit_warnings(frames(GOOD, BAD))
    assert "not to be trusted" in said
    assert "gridworld" in said
    assert "order of scoring is of no account" in said


def test_an_audit_that_misses_defects_is_another_warning_than_a_scorer_that_fails():
    first, second = audit_warnings(frames(BAD, MISSED))
    assert "results of this study are not to be trusted" in first
    assert "swallows exceptions" not in first
    assert "audit of gridworld is not to be relied on" in second
    assert "swallows exceptions" in second


def test_the_section_shows_the_checks_and_the_planted_defects_apart():
    section = audit_section(frames(GOOD, SILENT, CAUGHT))
    checks, planted = section.grids
    assert [row[2] for row in checks.rows] == ["holds", "not applicable"]
    assert [row[1] for row in planted.rows] == ["mutates on read"]
    assert section.tally == "2 checks hold, 1 cannot be made in this environment."


@pytest.mark.parametrize(
    ("rows", "tally"),
    [((GOOD, BAD), "1 of 2 checks FAILS."), ((GOOD,), "1 check holds."), ((), "no check holds.")],
)
def test_the_tally(rows, tally):
    assert audit_section(frames(*rows)).tally == tally


def test_a_study_that_was_not_audited_has_no_tables():
    assert audit_section({}).grids == ()
