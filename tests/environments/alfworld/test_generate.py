"""Generated games: a function of the seed, in the official format, won by their walkthroughs."""

import importlib.util
from collections import Counter
from itertools import pairwise

import pytest
from real_games import needs_engine

from repairstudy.environments.alfworld import generate as generation
from repairstudy.environments.alfworld import houses
from repairstudy.environments.alfworld.games import TASK_TYPES, find_games, manifest, read_game
from repairstudy.environments.alfworld.generate import (
    check_walkthroughs,
    generate,
    make_task,
    scene_numbers,
    walkthrough,
)
from repairstudy.environments.alfworld.problem import pddl
from repairstudy.errors import ConfigError, DataError

TASKS = [make_task(seed, "train", 6, number) for seed in range(4) for number in range(25)]
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("alfworld") is None,
    reason="requirements/alfworld.lock is not installed",
)


def test_types_come_in_turn_and_then_scenes():
    assert [task.task_type for task in TASKS[:5]] == list(TASK_TYPES)
    scenes = Counter((task.task_type, task.scene) for task in TASKS[:25])
    places = {scene for kind, scene in scenes if kind == "pick_and_place_simple"}
    assert len(places) == 5
    assert max(scenes.values()) <= 3


def test_tasks_are_functions_of_the_seed():
    assert make_task(1, "train", 4, 7) == make_task(1, "train", 4, 7)
    assert len({str(make_task(seed, "train", 4, 7)) for seed in range(10)}) > 5


def test_a_scene_is_one_room_whatever_is_done_there():
    rooms = {}
    for task in TASKS[:25]:
        assert rooms.setdefault(task.scene, task.room) == task.room


def test_splits_share_no_scene():
    assert not set(scene_numbers("train", 20)) & set(scene_numbers("valid_unseen", 20))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.folder)
def test_a_task_is_to_be_done_and_can_be(task):
    at = task.lying[task.wanted]
    assert at.kind != task.goal
    if task.task_type in generation.APPLIANCES:
        assert task.goal != generation.APPLIANCES[task.task_type][1]
    assert sum(thing.kind == task.wanted.kind for thing in task.lying) == 1
    for thing, piece in task.lying.items():
        assert piece in task.room.furniture
        assert thing.kind == houses.LAMP or thing.kind in houses.HOLDS[piece.kind]
    if task.goal is not None:
        assert task.wanted.kind in houses.HOLDS[task.goal]
        assert task.room.of_kind(task.goal)
        assert task.goal.lower() in task.sentence
    assert task.wanted.kind.lower() in task.sentence
    assert 2 <= len(walkthrough(task)) <= 9


def test_a_room_has_two_neighbours_on_one_spot():
    room = TASKS[0].room
    assert len(set(room.places)) == len(room.places) - 1


def test_the_problem_declares_what_it_uses():
    task = TASKS[2]
    text = pddl(task, "name")
    assert text.count("(") == text.count(")")
    for kind in ("Fridge", "Microwave", "SinkBasin"):
        assert f"{kind}Type - rtype" in text
    assert f"{task.wanted.kind}_bar_8999 - object" in text
    assert "(isClean ?o)" in text


def test_a_walkthrough_does_not_go_to_where_it_stands():
    steps = [walkthrough(task) for task in TASKS]
    for task, actions in zip(TASKS, steps, strict=True):
        pieces = {piece.name: task.room.place(piece) for piece in task.room.furniture}
        visited = [pieces[a.removeprefix("go to ")] for a in actions if a.startswith("go to ")]
        assert all(a != b for a, b in pairwise(visited))


def test_too_few_scenes_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="5 in 2 scenes; accepted: at least 1 game and 3 scenes"):
        generate(tmp_path, "train", games=5, scenes=2, seed=0)


def test_without_the_package_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(generation, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"is not installed\. Run: pip install"):
        generation.logic()


@needs_package
def test_files_are_byte_for_byte_a_function_of_the_seed(tmp_path):
    for name in ("a", "b"):
        generate(tmp_path / name, "train", games=10, scenes=4, seed=3)
    first, second = (manifest(find_games(tmp_path / name)) for name in ("a", "b"))
    assert len(first) == 10
    assert first == second
    for game in find_games(tmp_path / "a"):
        content = read_game(game.path)
        assert "UNKNOWN" not in content["grammar"]
        assert content["solvable"]


@needs_engine
def test_walkthroughs_win(tmp_path):
    from repairstudy.environments.alfworld.engine import Engine

    generate(tmp_path, "valid_unseen", games=5, scenes=3, seed=0)
    check_walkthroughs(find_games(tmp_path), Engine(None))
