"""`repairstudy check-environment`: what it says of sound and broken environments."""

from __future__ import annotations

import json

import pytest

from repairstudy.cli.main import main
from repairstudy.conformance import CHECKS
from repairstudy.environments import Outcome, registry
from repairstudy.environments.gridworld import Gridworld

SMALL = '{"layouts": 2, "width": 4, "height": 3, "walls": 1, "pits": 1, "max_distance": 4}'
COMMAND = ["check-environment", "gridworld", "--options", SMALL, "--tasks", "1"]


class Generous(Gridworld):
    """Whoever stays alive has succeeded."""

    def outcome(self):
        return Outcome(True, 1.0)


class Unmade(Gridworld):
    def __init__(self, **options):
        raise OSError("no display")


class Entry:
    """An entry point, as an installed package would bring it."""

    def __init__(self, loaded):
        self.load = lambda: loaded


def installed(monkeypatch, loaded):
    monkeypatch.setattr(registry, "_installed", lambda: {"gridworld": Entry(loaded)})


def test_a_line_a_check_and_the_verdict(capsys):
    assert main(COMMAND) == 0
    *lines, verdict = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == [
        "-" if check == "threads see the same" else "holds" for check in CHECKS
    ]
    assert all(check in line for check, line in zip(CHECKS, lines, strict=True))
    assert verdict == (
        f"gridworld conforms: {len(CHECKS) - 1} checks hold, 0 failed, 1 not applicable"
    )


def test_the_document_has_the_same(capsys):
    assert main([*COMMAND, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["environment"] == "gridworld"
    assert found["options"]["layouts"] == 2
    assert found["conforms"] is True
    assert [check["check"] for check in found["checks"]] == list(CHECKS)


def test_a_broken_environment_ends_with_an_error(capsys, monkeypatch):
    installed(monkeypatch, Generous)
    assert main(COMMAND) == 1
    shown = capsys.readouterr()
    assert "does not conform" in shown.out.splitlines()[-1]
    assert "does nothing: rejected" in shown.err
    assert any(line.startswith("FAILED  does nothing: rejected") for line in shown.out.splitlines())


def test_one_that_cannot_be_made_is_a_finding(capsys, monkeypatch):
    installed(monkeypatch, Unmade)
    assert main([*COMMAND, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["conforms"] is False
    assert "OSError: no display" in found["checks"][0]["detail"]
    assert {check["passed"] for check in found["checks"][1:]} == {None}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "no environment 'nowhere' (installed: alfworld, gridworld, webshop"),
        (["gridworld", "--options", '{"depth": 3}'], "environment.options.depth"),
        (["gridworld", "--options", "[1"], "--options: '[1' is no JSON"),
        (["gridworld", "--options", "7"], "accepted: a JSON object"),
        (["gridworld", "--tasks", "0"], "--tasks: 0; accepted: 1 or more"),
    ],
)
def test_what_the_user_can_mend_is_said_in_one_line(capsys, words, said):
    assert main(["check-environment", *words]) == 1
    shown = capsys.readouterr()
    assert said in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not shown.out
