"""ALFWorld as an environment: played through workers, remembered, restored anywhere."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from alfworld_worlds import write_game

from repairstudy.environments import Environment, Outcome, Step
from repairstudy.environments.alfworld import Alfworld
from repairstudy.environments.alfworld.workers import WorkerLost, close_pools
from repairstudy.environments.replay import replay
from repairstudy.errors import ConfigError, DataError, ReplayMismatch

SIMPLE = "valid_unseen/pick_and_place_simple-Mug-None-Desk-308/trial_1"
OTHER = "valid_unseen/look_at_obj_in_light-Mug-None-DeskLamp-10/trial_2"


@pytest.fixture(scope="module", autouse=True)
def _pools():
    """The workers serve all tests of this module, as they serve all environments of a process."""
    yield
    close_pools()


@pytest.fixture
def make(tmp_path):
    """Makes environments over two small games that the fake engine plays."""
    write_game(tmp_path, SIMPLE, length=3, task="put a mug in desk.")
    write_game(tmp_path, OTHER, length=3, task="look at mug under the desklamp.")

    def alfworld(**options):
        defaults = {"games": str(tmp_path), "workers": 1, "translations": None}
        return Alfworld(engine="fake_engine:Engine", **{**defaults, **options})

    return alfworld


@pytest.fixture
def world(make):
    return make()


def test_is_an_environment_whose_calls_may_wait(world):
    assert isinstance(world, Environment)
    assert world.name == "alfworld"
    assert world.blocking


def test_tasks_are_sorted_by_path_and_clustered_by_scene(world):
    assert world.tasks() == (OTHER, SIMPLE)
    assert [world.cluster(task) for task in world.tasks()] == ["scene-10", "scene-308"]


def test_an_episode_ends_when_it_is_won(world):
    assert world.reset(SIMPLE).startswith("You stand in room 0.")
    assert world.instruction() == "put a mug in desk."
    assert "right" in world.admissible_actions()
    assert world.step("right") == Step("You stand in room 1.", False, True)
    assert world.outcome() == Outcome(False, 0.0)
    world.step("right")
    assert world.step("right") == Step("You stand in room 3.", True, True)
    assert world.outcome() == Outcome(True, 1.0)
    assert world.admissible_actions() == ()
    assert world.plan() == ()
    signature = world.signature()
    assert world.step("left") == Step("You stand in room 3.", True, False)
    assert world.signature() == signature


def test_an_inadmissible_action_changes_nothing(world):
    world.reset(SIMPLE)
    before = world.signature(), world.admissible_actions()
    assert world.step("fly") == Step("Nothing happens.", False, False)
    assert (world.signature(), world.admissible_actions()) == before
    assert world.snapshot().path == ()


def test_what_was_seen_once_is_not_asked_again(make):
    first, second = make(), make()
    for world in (first, second):
        world.reset(SIMPLE)
        for action in ("right", "wait", "right", "fly"):
            world.step(action)
    counts = second.counts()
    assert (counts["memo_hits"], counts["memo_misses"]) == (4, 4)
    assert counts["memo_held"] == 4


def test_plans_are_made_once_and_say_what_is_solvable(world):
    world.reset(SIMPLE)
    world.step("right")
    assert world.plan() == ("right", "right")
    assert world.solvable(2)
    assert not world.solvable(1)
    assert (world.counts()["plan_hits"], world.counts()["plan_misses"]) == (2, 1)


def test_a_snapshot_is_restored_by_any_instance_and_any_worker(make):
    first = make()
    first.reset(SIMPLE)
    first.step("right")
    kept = first.snapshot()
    first.step("right")
    other = make(memo=1)  # other options: nothing in common with the first
    other.restore(kept)
    assert other.signature() != first.signature()
    assert other.describe().startswith("room 1 of 3")
    assert other.step("right").observation == "You stand in room 2."
    assert other.signature() == first.signature()
    first.restore(kept)
    assert first.step("left").observation == "You stand in room 0."


def test_an_episode_outlives_its_worker(world):
    world.reset(SIMPLE)
    world.step("right")
    lost = world.counts()["workers_lost"]
    os.kill(*world._shared.pool.pids(), signal.SIGKILL)
    assert world.step("right").observation == "You stand in room 2."
    assert world.counts()["workers_lost"] == lost + 1


def test_a_lost_request_is_no_error_of_the_study_and_leaves_the_episode(world):
    world.reset(SIMPLE)
    with pytest.raises(WorkerLost, match="3 workers died of it"):
        world.step("crash")
    assert world.step("right").observation == "You stand in room 1."


def test_games_with_the_same_state_have_signatures_of_their_own(world):
    world.reset(SIMPLE)
    signature = world.signature()
    world.reset(OTHER)
    assert world.signature() != signature


def test_replay_checks_what_was_recorded(world):
    world.reset(SIMPLE)
    world.step("right")
    signature = world.signature()
    assert replay(world, SIMPLE, ["right"], signature)[-1] == "You stand in room 1."
    with pytest.raises(ReplayMismatch):
        replay(world, SIMPLE, ["wait"], signature)


def test_64_episodes_in_threads_of_their_own(make):
    make(workers=2)

    def episode(number):
        world = make(workers=2)
        world.reset(world.tasks()[number % 2])
        return [world.step(action).observation for action in ("right", "left", "fly", "right")]

    with ThreadPoolExecutor(64) as threads:
        shown = list(threads.map(episode, range(64)))
    rooms = ["You stand in room 1.", "You stand in room 0.", "Nothing happens."]
    assert shown == [[*rooms, "You stand in room 1."]] * 64
    assert make(workers=2).counts()["memo_misses"] == 2 * 3


def test_the_version_depends_on_the_games_and_not_on_the_machine(make, tmp_path):
    version = make().version
    assert make(workers=2, step_timeout_s=1.0).version == version
    assert make(limit=1).version != version
    write_game(tmp_path, SIMPLE, length=4)
    assert make(open_games=1).version != version


def test_a_limit_keeps_types_and_scenes_apart(make, tmp_path):
    write_game(tmp_path, "valid_unseen/pick_and_place_simple-Pen-None-Desk-308/trial_3")
    chosen = make(limit=2).tasks()
    assert len({task.split("/")[1].split("-")[0] for task in chosen}) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "x"}, "game: no such option; accepted: games, splits"),
        ({"limit": 0}, "limit: 0; accepted: a whole number from 1"),
        ({"workers": 1.5}, "workers: 1.5; accepted: a whole number"),
        ({"splits": "train"}, "splits: 'train'; accepted: a list"),
        ({"splits": []}, r"splits: \[\]; accepted: a list"),
        ({"task_types": ["pick_two_obj_and_place"]}, "task_types: 'pick_two_obj_and_place'; acc"),
        ({"plan_timeout_s": 0}, "plan_timeout_s: 0; accepted: a number of seconds above 0"),
        ({"games": ""}, "games: ''; accepted: a text"),
    ],
)
def test_impossible_options_are_refused(make, options, message):
    with pytest.raises(ConfigError, match=f"environment.options.{message}"):
        make(**options)


def test_an_unknown_task_is_named(world):
    with pytest.raises(DataError, match="no task 'valid_unseen/x' among the 2 chosen games"):
        world.reset("valid_unseen/x")


def test_a_broken_game_is_named(world, tmp_path):
    (tmp_path / SIMPLE / "game.tw-pddl").write_text("{")
    with pytest.raises(DataError, match=r"trial_1/game\.tw-pddl: is not valid JSON"):
        world.reset(SIMPLE)


def test_nothing_may_be_asked_before_a_reset(world):
    with pytest.raises(RuntimeError, match="reset or restore"):
        world.step("right")


def test_importing_needs_no_game_engine():
    code = "import sys, repairstudy.environments.alfworld; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"textworld", "fast_downward", "alfworld", "jericho"} & set(shown.stdout.split())


def test_making_one_starts_no_process(make):
    before = threading.active_count()
    make(open_games=3)
    assert threading.active_count() == before
    assert make(open_games=3).counts()["workers_started"] == 0
