"""Sound environments keep every check of the kit; each check fails for the faults made for it."""

from __future__ import annotations

import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from hall import Hall
from hall_faults import FAULTS

from repairstudy.audit import CHECKS as AUDIT_CHECKS
from repairstudy.audit import Sample
from repairstudy.conformance import CHECKS, assert_conforms, check_environment, conforms
from repairstudy.environments.gridworld import Gridworld

SMALL = Sample(tasks=2, walks=2, length=8)
PROCESS, THREADS = "another process sees the same", "threads see the same"
LISTED = "listed states agree with playing"
PLANTED = [(check, fault) for check, faults in FAULTS.items() for fault in faults]


def verdicts(make, sample=SMALL):
    return {finding.check: finding.passed for finding in check_environment(make, sample)}


def failed(make):
    return {check for check, passed in verdicts(make).items() if passed is False}


def here(fault):
    """Makes instances, and cannot be sent to another process: that would cost a second a test."""
    return lambda: fault()


def test_a_sound_world_that_offers_everything_keeps_every_check():
    assert verdicts(Hall) == dict.fromkeys(CHECKS, True)


@pytest.mark.parametrize(("check", "fault"), PLANTED, ids=[fault.__name__ for _, fault in PLANTED])
def test_a_check_fails_for_the_fault_that_was_made_for_it(check, fault):
    make = fault if check == PROCESS else here(fault)
    assert check in failed(make)


def test_every_check_has_a_fault():
    """Those of the audit are planted in its own tests; one here shows that they count."""
    own = [check for check in CHECKS if check not in {c.name for c in AUDIT_CHECKS}]
    assert set(own) <= set(FAULTS)


def test_nothing_is_played_where_tasks_cannot_be_told():
    [fault] = [one for one in FAULTS["tasks are different and in a fixed order"]
               if one.__name__ == "HasNoTasks"]  # fmt: skip
    findings = check_environment(here(fault))
    assert [finding.check for finding in findings] == list(CHECKS)
    assert [finding.passed for finding in findings] == [True, False, *[None] * (len(CHECKS) - 2)]
    assert "first mend 'tasks are different and in a fixed order'" in findings[-1].detail
    assert not conforms(findings)


def test_users_assert_it_in_their_own_tests():
    assert_conforms(here(Hall), SMALL)
    [(_, fault)] = [pair for pair in PLANTED if pair[1].__name__ == "LocksADoor"]
    with pytest.raises(AssertionError, match="'back' is offered, but was not valid"):
        assert_conforms(here(fault), SMALL)


def test_the_gridworld_conforms():
    found = verdicts(partial(Gridworld, layouts=4, width=4, height=3, max_distance=4))
    assert found == dict.fromkeys(CHECKS, True) | {THREADS: None}


@pytest.mark.parametrize("observation", ["text", "text_rich"])
def test_the_shop_conforms(observation):
    sys.path.insert(0, str(Path(__file__).parents[1] / "environments/webshop"))
    from webshop_shops import invented_folder

    from repairstudy.environments.webshop import Webshop

    found = verdicts(partial(Webshop, data=invented_folder(), observation=observation))
    assert found == dict.fromkeys(CHECKS, True) | {THREADS: None, LISTED: None}


@pytest.mark.skipif(find_spec("textworld") is None, reason="make alfworld has not been run")
def test_alfworld_conforms_on_games_made_here(tmp_path):
    from repairstudy.environments.alfworld import Alfworld
    from repairstudy.environments.alfworld.generate import generate
    from repairstudy.environments.alfworld.workers import close_pools

    generate(tmp_path / "games", "valid_unseen", games=4, scenes=3, seed=0)
    folders = {"games": str(tmp_path / "games"), "translations": str(tmp_path / "translations")}
    try:
        found = verdicts(partial(Alfworld, **folders, workers=1))
    finally:
        close_pools()
    assert found == dict.fromkeys(CHECKS, True) | {LISTED: None}
