"""Every check holds for sound worlds, and fails for the defect that was made for it."""

from __future__ import annotations

from itertools import count

import pytest
from audit_worlds import SMALL, WORLDS, corridor, gridworld
from corridor import Corridor, Unplanned, WithVariants

from repairstudy.audit import CHECKS, Sample, audit_environment, trusted
from repairstudy.audit.audit import COMPARABLE
from repairstudy.audit.defects import errors, history, plant, state, verdicts
from repairstudy.audit.defects.base import Wrapper
from repairstudy.environments import Outcome
from repairstudy.errors import ConfigError

NAMES = [COMPARABLE.name, *(check.name for check in CHECKS)]


class MovesOnAtTheEnd(Wrapper):
    """Once an episode is over, scoring it starts the next one."""

    def score(self):
        answer = self.inner.outcome()
        if self.asked == 3 and not self.inner.admissible_actions():
            self.inner.reset(self.task_id)
        return answer


class RejectsEverything(Wrapper):
    def score(self):
        return Outcome(False, 0.0)


class WantsTheShortestWay(Wrapper):
    """Rejects a solution with a detour: the state alone does not say how it was reached."""

    def score(self):
        answer, here = self.inner.outcome(), self.inner.snapshot()
        try:
            self.inner.reset(self.task_id)
            shortest = len(self.inner.plan())
        finally:
            self.inner.restore(here)
        return answer if self.steps <= shortest else Outcome(False, 0.0)


def failed(make, sample=SMALL):
    return {finding.check for finding in audit_environment(make, sample) if not finding.passed}


def with_defect(defect, make=None):
    make = make or gridworld()
    return failed(plant(defect, make, make().tasks()))


@pytest.mark.parametrize("world", WORLDS)
def test_a_sound_world_passes_every_check(world):
    findings = audit_environment(WORLDS[world](), SMALL)
    assert [finding.check for finding in findings] == NAMES
    assert [finding.passed for finding in findings] == [True] * len(NAMES)
    assert trusted(findings)


@pytest.mark.parametrize(
    ("check", "defect"),
    [
        ("exceptions in scoring come out", errors.SwallowedAsFailure),
        ("state restored after an exception", state.LeftAfterErrors),
        ("scoring preserves the state", state.BlanksTheNextObservation),
        ("same answer when asked twice", history.EverySecondFails),
        ("order of scoring is of no account", history.SuccessSticks),
        ("terminal state stays the agent's", MovesOnAtTheEnd),
        ("does nothing: rejected", verdicts.AlwaysSolved),
        ("falls short: rejected", verdicts.SolvedAfterActions),
        ("reference solution: accepted", RejectsEverything),
        ("permitted variants: accepted", WantsTheShortestWay),
    ],
)
def test_every_check_fails_for_the_defect_made_for_it(check, defect):
    assert check in with_defect(defect)


@pytest.mark.parametrize(
    ("only", "defect"),
    [
        ("exceptions in scoring come out", errors.TimeoutsAreFailures),
        ("state restored after an exception", state.LeftAfterErrors),
        ("order of scoring is of no account", history.WhoActedLastInThisThread),
        ("permitted variants: accepted", WantsTheShortestWay),
    ],
)
def test_some_defects_are_seen_by_one_check_alone(only, defect):
    assert with_defect(defect) == {only}


def test_states_that_cannot_be_compared_fail_once_and_settle_nothing_else():
    class Numbered(Corridor):
        """Its signature is another one in each instance."""

        made = count()

        def __init__(self):
            super().__init__()
            self._number = next(self.made)

        def signature(self):
            return f"{self._number} {self._room}"

    first, *others = audit_environment(Numbered)
    assert (first.check, first.passed) == (COMPARABLE.name, False)
    assert "signature" in first.detail
    assert {finding.passed for finding in others} == {None}
    assert all("cannot be compared" in finding.detail for finding in others)


def test_without_a_planner_the_controls_say_why_they_were_not_made():
    findings = {finding.check: finding for finding in audit_environment(Unplanned, SMALL)}
    for check in NAMES[-3:]:
        assert findings[check].passed is None
        assert "no plan()" in findings[check].detail
    assert all(findings[check].passed for check in NAMES[:-3])


def test_solutions_that_an_environment_names_are_tried_without_a_planner():
    findings = {finding.check: finding for finding in audit_environment(WithVariants, SMALL)}
    variants = findings["permitted variants: accepted"]
    assert (variants.passed, variants.detail) == (True, "2 solutions")
    assert findings["reference solution: accepted"].passed is None

    class Wrong(WithVariants):
        def permitted_variants(self):
            return {"a way that ends in front of the door": ("forward",)}

    assert failed(Wrong) >= {"permitted variants: accepted"}


def test_what_an_environment_lacks_is_named():
    class Half:
        name = "half"

        def tasks(self):
            return ("one",)

    with pytest.raises(ConfigError, match=r"'half' lacks version, .*signature.*docs/audit.md"):
        audit_environment(Half)


def test_an_environment_without_tasks_is_refused():
    class Empty(Corridor):
        def tasks(self):
            return ()

    with pytest.raises(ConfigError, match="no tasks"):
        audit_environment(Empty)


def test_a_scorer_that_raises_fails_the_checks_and_ends_nothing():
    class Broken(Corridor):
        def outcome(self):
            if self._room == 1:
                raise OSError("the judge is away")
            return super().outcome()

    findings = audit_environment(Broken, SMALL)
    assert len(findings) == len(NAMES)
    assert any("the judge is away" in finding.detail for finding in findings)


def test_a_check_that_hangs_fails_after_its_time():
    class Hanging(Corridor):
        def outcome(self):
            while self._room == 1:
                pass
            return super().outcome()

    findings = {f.check: f for f in audit_environment(Hanging, SMALL, seconds=0.3)}
    assert findings["scoring preserves the state"].passed is False
    assert "did not end within 0.3 s" in findings["scoring preserves the state"].detail


def test_rewards_outside_their_range_are_no_rejection():
    class Generous(Corridor):
        def outcome(self):
            return Outcome(False, -1.0 if self._room == 0 else 0.0)

    assert "does nothing: rejected" in failed(Generous)


def test_tasks_are_drawn_by_the_seed_and_kept_in_their_order():
    def looked_at(seed):
        from repairstudy.audit.ground import Ground

        return Ground(gridworld(layouts=9), Sample(tasks=4, seed=seed)).tasks

    assert looked_at(1) == looked_at(1) == tuple(sorted(looked_at(1)))
    assert len({looked_at(seed) for seed in range(6)}) > 1


def test_findings_are_the_same_the_second_time():
    make = corridor()
    assert audit_environment(make, SMALL) == audit_environment(make, SMALL)
