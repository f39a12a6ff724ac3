"""Labels of failures in the explorer and in the report."""

from __future__ import annotations

import re

import polars as pl
import pytest
from test_report_page import Outline

from repairstudy.records import TABLES
from repairstudy.report.explorer import failures, render_explorer
from repairstudy.report.sections import sections

HOSTILE = "x} body {display: none} </style><script>alert(1)</script>"


@pytest.fixture(scope="module")
def labelled(frames):
    """The first failure loops, the second has a hostile label, and both are the agent's doing."""
    first, second = (view.failure_id for view in failures(frames)[:2])
    rows = [
        (first, "failure_type", "loop", "steps 1 to 5"),
        (second, "failure_type", HOSTILE, HOSTILE),
        *((failure, "source", "agent", "why") for failure in (first, second)),
    ]
    table = pl.DataFrame(rows, TABLES["failure_labels"].schema, orient="row")
    return {**frames, "failure_labels": table}


def test_a_failure_shows_its_labels_with_their_evidence(labelled):
    first = failures(labelled)[0]
    assert [(item.axis, item.label, item.evidence) for item in first.labels] == [
        ("failure type", "loop", "steps 1 to 5"), ("source", "agent", "why"),
    ]  # fmt: skip
    assert failures(labelled)[2].labels == ()


def rows_of(html):
    """Of each row of the list, the places of its labels among those that can be asked for."""
    return re.findall(r'<li data-executor="[^>]* data-labels="([^"]*)"', html)


def test_a_label_can_be_asked_for_by_its_place(labelled):
    html = render_explorer(labelled)
    asked = re.search(r'<select id="labels">(.*?)</select>', html)[1]
    options = re.findall(r'<option value="(\d*)"[^>]*>([^<]*)<', asked)
    assert [text for _, text in options][:2] == ["any", "failure type: loop (1)"]
    assert options[3] == ("2", "source: agent (2)")
    assert rows_of(html)[:3] == ["0 2", "1 2", ""]


def test_a_models_labels_stand_beside_those_of_the_rules(labelled):
    first = failures(labelled)[0].failure_id
    said = [(first, "big", "failure_type", "ping_pong")]
    table = pl.DataFrame(said, TABLES["llm_labels"].schema, orient="row")
    views = failures({**labelled, "llm_labels": table})
    assert [(item.axis, item.label, item.evidence) for item in views[0].labels][-1] == (
        "failure type by big", "ping pong", "says big",
    )  # fmt: skip


def test_the_page_stays_well_formed_and_hostile_labels_stay_text(labelled):
    html = render_explorer(labelled)
    outline = Outline(html)
    assert not outline.open
    assert len(set(outline.ids)) == len(outline.ids)
    assert HOSTILE not in html
    assert "&lt;script&gt;" in html


def test_without_labels_there_are_no_filters(frames):
    html = render_explorer(frames)
    assert '<select id="labels">' not in html
    assert "by-label" not in {section.anchor for section in sections(frames)}


def test_agreement_of_a_labeller_is_shown_where_there_is_one(frames):
    assert "language model read the same runs" not in by_label_text(frames)
    row = frames["results"].head(1).with_columns(
        analysis=pl.lit("label_agreement"), evaluator=pl.lit("failure_type: loop|big"),
        estimand=pl.lit("kappa"), estimate=pl.lit(0.25), confirmatory=pl.lit(value=False),
    )  # fmt: skip
    results = pl.concat([frames["results"], row])
    [section] = [s for s in sections({**frames, "results": results}) if s.anchor == "by-label"]
    assert "language model read the same runs" in section.lead
    grid = section.grids[-1]
    assert grid.title == "Agreement of a language model with the rules"
    assert [cells[1:4] for cells in grid.rows] == [["failure_type: loop | big", "kappa", "0.25"]]


def by_label_text(frames):
    return " ".join(s.lead for s in sections(frames) if s.anchor == "by-label")
