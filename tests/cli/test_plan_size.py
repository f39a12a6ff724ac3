"""`repairstudy plan-size`: from assumptions, from a pilot, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pytest

from repairstudy.cli.main import main
from repairstudy.cli.sizing.basis import Basis
from repairstudy.cli.sizing.sizes import by_executor
from repairstudy.estimators.sizing import Costs, Design

ROOT = Path(__file__).parents[2]
ASSUMED = ["plan-size", "--sd", "0.2", "--loss", "0.06"]


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def asked(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table_of_the_statistics_section(capsys):
    """Section 7 at 10 rollouts: 69 failures alone, 124 in a family of 8."""
    found = asked(capsys, *ASSUMED, "--tests", "8", "--rollouts", "10")
    [only] = found["designs"]["any"]
    assert (only["failures"], only["failures_holm"], only["rollouts"]) == (69, 124, 10)
    assert only["total"] == 124 * (7 * 10 + 2)
    assert found["cheapest"] == only


def test_rollouts_pay_only_where_they_are_the_noise(capsys):
    cheapest = {
        share: asked(capsys, *ASSUMED, "--noise-share", share)["cheapest"]["rollouts"]
        for share in ("0", "1")
    }
    assert cheapest["0"] == 6
    assert cheapest["1"] >= 15


def test_costs_that_do_not_depend_on_rollouts_favour_fewer_failures(capsys):
    few = asked(capsys, *ASSUMED)["cheapest"]
    many = asked(capsys, *ASSUMED, "--evaluator-rollouts", "40")["cheapest"]
    assert many["failures_holm"] < few["failures_holm"]


def test_the_table_marks_the_cheapest(capsys):
    assert main([*ASSUMED, "--tests", "8"]) == 0
    text = capsys.readouterr().out
    assert "Holm's worst case over 8 tests" in text
    assert sum("cheapest" in line for line in text.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--loss", "0.06"], "--pilot DATABASE, or --sd"),
        (["--loss", "-1", "--sd", "0.2"], "--loss: '-1' is no number above 0"),
        (["--loss", "0.06", "--sd", "0.2", "--rollouts", "5,10"], "--rollouts: 5 leaves none"),
        (["--loss", "0.06", "--sd", "0.2", "--alpha", "1"], "--alpha: '1' is not below 1"),
        (["--loss", "0.06", "--sd", "0.2", "--tests", "0"], "--tests: '0' is no number above 0"),
        (["--loss", "0.06", "--sd", "0.2", "--rollouts", "6.5"], "no whole number"),
        (["--loss", "0.06", "--sd", "0.2", "--noise-share", "2"], "no share"),
        (["--loss", "0.06", "--pilot", "nowhere.duckdb"], "nowhere.duckdb: there is no such"),
    ],
)
def test_what_cannot_be_used_is_named(capsys, words, said):
    assert main(["plan-size", *words]) == 1
    assert said in capsys.readouterr().err


def test_rollouts_by_executor_are_those_of_a_configuration_of_that_size():
    """Tiny with 24 failures instead of 12 and 20 label rollouts: twice and four times as many."""
    from repairstudy.cli.studies import read_study

    study = read_study("config/studies/tiny.yaml")
    sizes = [
        by_executor(
            study, Design(n, 0.2, failures, failures, 0, 0.06),
            Basis({}, Costs(1), 4.0, 2.0, ()),
        )
        for n, failures in ((10, 12), (10, 24))
    ]  # fmt: skip
    assert sizes[1]["careful"] == pytest.approx(2 * sizes[0]["careful"], rel=0.01)
    more = by_executor(study, Design(20, 0.2, 12, 12, 0, 0.06), Basis({}, Costs(1), 4.0, 2.0, ()))
    labels = more["blind"] - sizes[0]["blind"]
    assert labels > 0
    assert more["careful"] == sizes[0]["careful"]
    assert np.isclose(labels % 10, 0)
