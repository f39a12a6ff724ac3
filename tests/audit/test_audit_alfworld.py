"""The audit of ALFWorld with the real engine, on games made here.

All planted defects take half a minute of a core: they are tried with REPAIRSTUDY_SLOW=1, else a
few of them.
"""

from __future__ import annotations

import os
from functools import partial
from importlib.util import find_spec

import pytest

from repairstudy.audit import Sample, audit_environment, audit_the_audit
from repairstudy.audit.defects import DEFECTS, errors, history, state, verdicts
from repairstudy.audit.ground import Ground

pytestmark = pytest.mark.skipif(
    find_spec("textworld") is None, reason="make alfworld has not been run"
)
FEW = (
    state.LeftAfterErrors, state.ReferenceUndone, history.WhoActedLastInThisThread,
    errors.TimeoutsAreFailures, verdicts.KeptByObservation, verdicts.SolvedByAnyReward,
)  # fmt: skip
SLOW = bool(os.environ.get("REPAIRSTUDY_SLOW"))


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Makes environments over ten games of all five types, with one worker."""
    from repairstudy.environments.alfworld import Alfworld
    from repairstudy.environments.alfworld.generate import generate
    from repairstudy.environments.alfworld.workers import close_pools

    folder = tmp_path_factory.mktemp("alfworld")
    generate(folder / "games", "valid_unseen", games=10, scenes=3, seed=0)
    yield partial(
        Alfworld, games=str(folder / "games"), translations=str(folder / "translations"), workers=1
    )
    close_pools()


def test_alfworld_passes_every_check(make):
    findings = audit_environment(make, Sample(tasks=4, walks=2, length=10))
    assert {finding.check: finding.passed for finding in findings} == {
        finding.check: True for finding in findings
    }


def test_the_walkthrough_of_a_game_is_accepted_as_well_as_the_plan(make):
    ground = Ground(make, Sample(tasks=3, walks=1, length=5))
    for task in ground.tasks:
        assert "the game's own walkthrough" in dict(ground.permitted[task])


def test_planted_defects_that_make_a_difference_are_caught(make):
    # Several types of task: only some can be done in the wrong order and look done.
    sample = Sample(tasks=6 if SLOW else 4, walks=2, length=10)
    planted = list(audit_the_audit(make, sample, DEFECTS if SLOW else FEW))
    assert [row.defect for row in planted if not row.right] == []
    different = {row.defect for row in planted if row.difference}
    # Rewards are 0 or 1 here, so that these two are the same.
    assert "solved by any reward" not in different
    assert {"left after errors", "kept by observation", "timeouts are failures"} <= different
