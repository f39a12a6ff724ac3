"""A world with Gymnasium's interface as an environment; the world here needs no package."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from repairstudy.audit import Sample
from repairstudy.conformance import CHECKS, check_environment
from repairstudy.environments import Environment, Outcome, Step
from repairstudy.environments.gymnasium_text import GymnasiumText
from repairstudy.environments.searched import Searched
from repairstudy.errors import ReplayMismatch, StudyError

GOAL, HOLE = 3, -2


@dataclass
class Line:
    """Cells in a row with Gymnasium's interface; the goal pays 1, the hole ends it."""

    start: int
    at: int = 0
    calls: list[str] = field(default_factory=list)
    closed: bool = False
    fails: bool = False

    def reset(self, *, seed=None, options=None):
        self.at = self.start
        self.calls.append(f"reset {seed}")
        return self.at, {"commands": ["go left", "go right"]}

    def step(self, action):
        if self.fails:
            raise OSError("lost")
        self.at += action
        self.calls.append(f"step {action}")
        over = self.at in (GOAL, HOLE)
        return self.at, float(self.at == GOAL), over, False, {}

    def close(self):
        self.closed = True


class OnALine(GymnasiumText):
    """Cells by their number, actions by name; a signature for each way."""

    name = "line"
    version = "1"

    def __init__(self):
        super().__init__()
        self.opened = []

    def tasks(self):
        return ("near", "far")

    def open(self, task_id):
        self.opened.append(Line({"near": 1, "far": 0}[task_id]))
        return self.opened[-1]

    def actions_of(self, game, turn):
        return {"left": -1, "right": 1}

    def instruction_of(self, game, turn):
        return f"Go from {turn.observation} to {GOAL}."

    def text_of(self, game, turn):
        return f"You are at {turn.observation}."


class Planned(Searched, OnALine):
    """The same with a signature for each cell, so that plans can be searched."""

    def state_of(self, game, turn):
        return turn.observation


@pytest.fixture
def world():
    return OnALine()


def do(world, *actions):
    return [world.step(action) for action in actions]


def test_an_episode_is_told_in_words(world):
    assert world.reset("near") == "You are at 1."
    assert world.instruction() == "Go from 1 to 3."
    assert world.admissible_actions() == ("left", "right")
    assert world.outcome() == Outcome(False, 0.0)
    assert world.step("right") == Step("You are at 2.", False, True)
    assert world.describe() == "You are at 2."
    assert world.step("right") == Step("You are at 3.", True, True)
    assert world.outcome() == Outcome(True, 1.0)
    assert world.admissible_actions() == ()
    assert world.instruction() == "Go from 1 to 3."


def test_an_end_without_reward_is_no_success(world):
    world.reset("far")
    assert do(world, "left", "left")[-1].done
    assert world.outcome() == Outcome(False, 0.0)


def test_what_is_not_offered_does_not_reach_the_game(world):
    world.reset("near")
    assert world.step("jump") == Step("You are at 1.", False, False)
    do(world, "right", "right")
    assert world.step("left") == Step("You are at 3.", True, False)
    assert world.opened[0].calls == ["reset 0", "step 1", "step 1"]


def test_restoring_plays_the_way_again_and_only_when_it_is_needed(world):
    world.reset("near")
    do(world, "left")
    kept = world.snapshot()
    do(world, "left")
    game = world.opened[0]
    game.calls.clear()
    world.restore(kept)
    assert (world.describe(), world.outcome()) == ("You are at 0.", Outcome(False, 0.0))
    assert game.calls == []
    assert world.step("right").observation == "You are at 1."
    assert game.calls == ["reset 0", "step -1", "step 1"]
    world.restore(world.snapshot())
    world.step("right")
    assert game.calls[3:] == ["step 1"]  # it stood there already


def test_a_snapshot_goes_to_another_instance_and_another_task_opens_another_game(world):
    world.reset("far")
    do(world, "right")
    other = OnALine()
    other.reset("near")
    other.restore(world.snapshot())
    assert other.step("right").observation == "You are at 2."
    assert [game.closed for game in other.opened] == [True, False]


def test_signatures_tell_ways_apart_or_states(world):
    planned = Planned()
    for one, same in ((world, False), (planned, True)):
        one.reset("near")
        before = one.signature()
        do(one, "left", "right")
        assert (one.signature() == before) is same


def test_a_game_that_plays_another_way_is_told(world):
    world.reset("near")
    do(world, "right")
    kept = world.snapshot()
    do(world, "left")
    world.opened[0].start = 0
    world.restore(kept)
    with pytest.raises(ReplayMismatch, match=r"near after \['right'\] shows 'You are at 1\.'"):
        world.step("left")


def test_after_an_error_of_the_game_it_is_played_again(world):
    world.reset("near")
    do(world, "left")
    world.opened[0].fails = True
    with pytest.raises(OSError, match="lost"):
        world.step("right")
    world.opened[0].fails = False
    assert world.describe() == "You are at 0."
    assert world.step("right") == Step("You are at 1.", False, True)


def test_a_time_limit_of_the_game_ends_the_episode_without_success():
    class Limited(Line):
        def step(self, action):
            observation, _, _, _, info = super().step(action)
            return observation, 1.0, False, True, info

    world = OnALine()
    world.open = lambda task_id: Limited(0)
    world.reset("far")
    assert world.step("right").done
    assert world.outcome() == Outcome(False, 0.0)
    assert world.admissible_actions() == ()


def test_commands_of_a_text_game_are_its_actions():
    class Commands(Line):
        def step(self, action):
            steps = {"go left": -1, "go right": 1}
            observation, *rest, _ = super().step(steps.get(action, 0))
            return observation, *rest, {"commands": [*steps, "say <words>"]}

    class InWords(OnALine):
        def actions_of(self, game, turn):
            return turn.info["commands"]

    world = InWords()
    world.open = lambda task_id: Commands(0)
    world.reset("far")
    assert world.admissible_actions() == ("go left", "go right")
    assert world.step("go right") == Step("You are at 1.", False, True)
    assert world.admissible_actions()[-1] == "say <words>"
    assert world.step("say open sesame").valid
    assert not world.step("say <words>").valid


def test_an_observation_that_is_no_text_needs_a_method_that_tells_it():
    world = OnALine()
    world.text_of = lambda game, turn: GymnasiumText.text_of(world, game, turn)
    with pytest.raises(StudyError, match="observation 1 is no text; give OnALine a method text_of"):
        world.reset("near")


def test_plans_are_searched(world):
    assert not hasattr(world, "plan")
    planned = Planned()
    assert isinstance(planned, Environment)
    planned.reset("far")
    do(planned, "left")
    assert planned.plan() == ("right",) * 4
    assert [planned.solvable(budget) for budget in (0, 3, 4)] == [False, False, True]
    assert planned.describe() == "You are at -1."  # nothing has moved
    do(planned, "left")
    assert planned.plan() is None
    assert not planned.solvable(99)
    planned.reset("near")
    do(planned, "right", "right")
    assert planned.plan() == ()


def test_a_search_that_finds_no_end_says_so(world):
    planned = Planned()
    planned.search_limit = 3
    planned.reset("far")
    with pytest.raises(StudyError, match="more than 3 states to search for a plan"):
        planned.plan()
    assert planned.describe() == "You are at 0."


@pytest.mark.parametrize(("kind", "plans"), [(OnALine, False), (Planned, True)])
def test_both_conform(kind, plans):
    make = lambda: kind()  # noqa: E731 (not to be sent to another process)
    found = {f.check: f.passed for f in check_environment(make, Sample(tasks=2, length=8))}
    needs_plan = dict.fromkeys(
        (
            "plans and solvability agree", "falls short: rejected",
            "reference solution: accepted", "permitted variants: accepted",
        ),
        True if plans else None,
    )  # fmt: skip
    elsewhere = dict.fromkeys(
        ("listed states agree with playing", "another process sees the same",
         "threads see the same")
    )  # fmt: skip
    assert found == dict.fromkeys(CHECKS, True) | needs_plan | elsewhere
