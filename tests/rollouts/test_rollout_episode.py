"""One rollout: its budget, its statuses, and the checks of its prefix."""

from __future__ import annotations

import asyncio

import pytest
from rollout_toys import BUDGET, Corridor, HashEngine, actor, spec

from repairstudy.environments import Outcome
from repairstudy.errors import ReplayMismatch, StudyError
from repairstudy.rollouts import Decision, Episode, run_episode
from repairstudy.rollouts.world import EnvironmentCrash


class Script:
    """Acts as told; remembers what it saw and with which seeds."""

    def __init__(self, *texts, limit=2):
        self.executor = actor(limit=limit).executor
        self.executor_id = self.executor.executor_id
        self.texts, self.views, self.seeds = list(texts), [], []

    async def act(self, view, seed):
        self.views.append(view)
        self.seeds.append(seed)
        text = self.texts.pop(0)
        return Decision(text if text in view.admissible else None, text, 10, 1)


def episode(script, environment=None, **changes):
    return asyncio.run(run_episode(environment or Corridor(), script, spec(**changes)))


def test_success_is_recorded_with_what_was_done_after_the_prefix():
    assert episode(Script("right", "right"), forced="right") == Episode(
        status="success",
        success=True,
        reward=1.0,
        steps=3,
        invalid_actions=0,
        tokens_in=20,
        tokens_out=2,
        actions=("right", "right", "right"),
    )


def test_an_episode_that_ends_elsewhere_is_a_failure():
    ended = episode(Script("left", "left"), forced="left")
    assert (ended.status, ended.success, ended.reward) == ("failure", False, 0.0)


def test_the_budget_counts_the_prefix_and_the_forced_action():
    ended = episode(Script(*["wait"] * 20))
    assert (ended.status, ended.steps, ended.reward) == ("budget_exhausted", BUDGET - 2, 0.5)


def test_a_forced_action_may_spend_the_budget():
    ended = episode(Script(), budget=3)
    assert (ended.status, ended.actions, ended.tokens_in) == ("budget_exhausted", ("wait",), 0)


def test_success_at_the_last_action_is_a_success():
    assert episode(Script("right", "right"), forced="right", budget=5).status == "success"
    assert episode(Script("right"), forced="right", budget=4).status == "budget_exhausted"


def test_a_collected_run_has_no_prefix_and_no_forced_action():
    script = Script("right", "right", "right")
    ended = episode(script, prefix=(), forced=None, role="collect")
    assert (ended.status, ended.steps) == ("success", 3)
    assert script.seeds[0] == spec(prefix=(), forced=None, role="collect").step_seed(0)


def test_the_agent_sees_the_whole_episode_and_gets_the_seed_of_the_step():
    script = Script("left", "right", *["wait"] * 20)
    episode(script)
    first, second = script.views[:2]
    assert first.observations == ("cell 3", "cell 2", "cell 3", "cell 3")
    assert first.actions == ("left", "right", "wait")
    assert first.instruction == "Walk to cell 6."
    assert first.admissible == ("left", "right", "wait")
    assert second.actions == ("left", "right", "wait", "left")
    assert script.seeds[:2] == [spec().step_seed(3), spec().step_seed(4)]


def test_invalid_text_costs_a_step_and_is_done_as_written():
    script = Script("  fly away \n", "right", "right", "right")
    ended = episode(script)
    assert (ended.status, ended.steps, ended.invalid_actions) == ("success", 5, 1)
    assert ended.actions == ("wait", "fly away", "right", "right", "right")
    assert script.views[1].observations[-1] == "nothing happens"


def test_more_invalid_actions_than_the_limit_end_the_run():
    ended = episode(Script("a", "b", "c", "right", limit=2))
    assert (ended.status, ended.steps, ended.invalid_actions) == ("invalid_limit", 4, 3)
    survived = episode(Script("a", "b", "right", "right", "right", limit=2))
    assert (survived.status, survived.invalid_actions) == ("success", 2)


def test_invalid_actions_of_the_prefix_count_towards_the_limit_but_are_not_the_rollouts():
    ended = episode(Script("a", "right", limit=2), prefix=("fly", "dig"), observation=None)
    assert (ended.status, ended.steps, ended.invalid_actions) == ("invalid_limit", 2, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"signature": "s4"}, "failure f0, step 2: replay led to state s3, recorded was s4"),
        ({"observation": "cell 4"}, "failure f0, step 2: replay shows 'cell 3'"),
        ({"prefix": ("left",) * 4}, "failure f0, step 2: the episode ended after 3 of 4"),
        (
            {"prefix": ("left",) * 3, "signature": "s0", "observation": "cell 0"},
            "failure f0, step 2: the prefix ended the episode",
        ),
        ({"environment_version": "0"}, "made for corridor version 0, but this is .* version 1"),
    ],
)
def test_a_prefix_that_leads_elsewhere_is_never_a_rollout(changes, message):
    with pytest.raises(ReplayMismatch, match=message):
        episode(Script(), **changes)


@pytest.mark.parametrize("method", ["reset", "step", "admissible_actions", "outcome"])
def test_an_error_of_the_environment_is_told_from_the_agents(method, monkeypatch):
    def crash(*_):
        raise OSError("game process died")

    monkeypatch.setattr(Corridor, method, crash)
    with pytest.raises(EnvironmentCrash, match="environment corridor: OSError: game process died"):
        episode(Script("right", "right", "right"))


def test_an_episode_without_admissible_actions_that_goes_on_is_a_crash():
    class Stuck(Corridor):
        def admissible_actions(self):
            return () if self.cell == 4 else ("left", "right", "wait")

    with pytest.raises(EnvironmentCrash, match="no admissible action"):
        episode(Script("right", "right"), Stuck(), forced="right")


@pytest.mark.parametrize("reward", [1.5, -0.1, float("nan")])
def test_a_reward_outside_its_range_stops_the_job(reward):
    class Generous(Corridor):
        def outcome(self):
            return Outcome(False, reward)

    with pytest.raises(StudyError, match=r"reward .* is outside \[0, 1\]") as caught:
        episode(Script(*["wait"] * 10), Generous())
    assert not isinstance(caught.value, EnvironmentCrash)


def test_a_decision_that_takes_too_long_is_a_timeout():
    slow = actor(HashEngine(delay_s=lambda call: 5.0))
    with pytest.raises(TimeoutError):
        asyncio.run(run_episode(Corridor(), slow, spec(), timeout_s=0.01))
