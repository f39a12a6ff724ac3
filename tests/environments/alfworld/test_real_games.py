"""The real engine behind the environment, on a few official games."""

import os
import signal

import pytest
from alfworld_worlds import official
from real_games import needs_engine

from repairstudy.environments.alfworld import Alfworld
from repairstudy.environments.alfworld.games import read_game
from repairstudy.environments.alfworld.workers import close_pools
from repairstudy.environments.replay import replay_steps

OFFICIAL = official()
pytestmark = [
    needs_engine,
    pytest.mark.skipif(
        OFFICIAL is None, reason="official games: no folder $REPAIRSTUDY_DATA/alfworld"
    ),
]


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Makes environments over two official games, with one worker and shared translations."""
    translations = tmp_path_factory.mktemp("translations")

    def alfworld(**options):
        defaults = {
            "games": str(OFFICIAL),
            "task_types": ["look_at_obj_in_light", "pick_and_place_simple"],
            "limit": 2,
            "workers": 1,
            "translations": str(translations),
        }
        return Alfworld(**{**defaults, **options})

    yield alfworld
    close_pools()


def walkthrough(world, task):
    return read_game(world.game(task).path)["walkthrough"]


def test_walkthroughs_win_and_are_as_long_as_the_plans(make):
    world = make()
    for task in world.tasks():
        first = world.reset(task)
        assert first.startswith("You are in the middle of a room.")
        assert world.instruction() in first
        assert "help" not in world.admissible_actions()
        actions = walkthrough(world, task)
        assert len(world.plan()) == len(actions)
        steps = [world.step(action) for action in actions]
        assert [step.valid for step in steps] == [True] * len(steps)
        assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]
        assert world.outcome().success
        assert world.admissible_actions() == ()


def test_a_plan_from_anywhere_wins(make):
    world = make()
    world.reset(world.tasks()[1])
    for number in (3, 0, 7, 5):
        actions = world.admissible_actions()
        world.step(actions[number % len(actions)])
    left = len(world.plan())
    assert world.solvable(left)
    assert not world.solvable(left - 1)
    for action in world.plan():
        world.step(action)
    assert world.outcome().success


def test_whichever_worker_answers_and_whatever_is_remembered_the_game_is_the_same(make):
    remembering, forgetful = make(), make(memo=1)
    task = remembering.tasks()[0]
    actions = ["look", "fly", *walkthrough(remembering, task)[:3], "inventory"]
    first = replay_steps(remembering, task, actions)
    os.kill(*forgetful._shared.pool.pids(), signal.SIGKILL)
    again = replay_steps(forgetful, task, actions, remembering.signature())
    assert again == first
    assert forgetful.admissible_actions() == remembering.admissible_actions()
    os.kill(*forgetful._shared.pool.pids(), signal.SIGKILL)
    assert forgetful.step("look") == remembering.step("look")
    assert forgetful.signature() == remembering.signature()


def test_games_in_turn_share_a_worker(make):
    """A worker that holds one game open must leave and come back, to the same states."""
    many, one = make(), make(open_games=1)
    seen = []
    for world in (many, one):
        kept, shown = {}, []
        for task in world.tasks():
            world.reset(task)
            kept[task] = world.snapshot()
        for number in range(3):
            for task in world.tasks():
                world.restore(kept[task])
                shown.append(world.step(world.admissible_actions()[number]).observation)
                kept[task] = world.snapshot()
        seen.append(shown)
    assert seen[0] == seen[1]


def test_the_state_can_be_described_to_a_person(make):
    world = make()
    world.reset(world.tasks()[0])
    assert len(world.describe().splitlines()) > 3
