"""Which games a folder holds, in what order, and what is said of broken ones."""

import pytest
from alfworld_worlds import official, write_game

from repairstudy.environments.alfworld.games import (
    TASK_TYPES,
    Game,
    balanced,
    find_games,
    manifest,
    read_game,
)
from repairstudy.errors import DataError

OFFICIAL = official()
needs_data = pytest.mark.skipif(
    OFFICIAL is None, reason="official games: no folder $REPAIRSTUDY_DATA/alfworld"
)


@pytest.fixture
def folder(tmp_path):
    for name in (
        "valid_seen/look_at_obj_in_light-Book-None-DeskLamp-301/trial_b",
        "train/pick_and_place_simple-Mug-None-Desk-7/trial_z",
        "train/pick_and_place_simple-Mug-None-Desk-7/trial_a",
        "train/pick_two_obj_and_place-CD-None-Safe-308/trial_a",
    ):
        write_game(tmp_path, name)
    return tmp_path


def test_games_are_sorted_by_path_and_pick_two_is_left_out(folder):
    assert [game.task_id for game in find_games(folder)] == [
        "train/pick_and_place_simple-Mug-None-Desk-7/trial_a",
        "train/pick_and_place_simple-Mug-None-Desk-7/trial_z",
        "valid_seen/look_at_obj_in_light-Book-None-DeskLamp-301/trial_b",
    ]


def test_a_games_path_says_its_split_type_and_scene(folder):
    game = find_games(folder, ["valid_seen"])[0]
    assert (game.split, game.task_type, game.scene) == ("valid_seen", "look_at_obj_in_light", "301")


def test_the_folder_of_the_download_is_looked_into(folder, tmp_path_factory):
    outer = tmp_path_factory.mktemp("downloaded")
    (outer / "json_2.1.1").symlink_to(folder)
    assert [g.task_id for g in find_games(outer)] == [g.task_id for g in find_games(folder)]


def test_types_may_be_chosen(folder):
    assert len(find_games(folder, None, ["pick_and_place_simple"])) == 2


@pytest.mark.parametrize(
    ("splits", "types", "message"),
    [
        (["valid_unseen"], TASK_TYPES, "no folder of split 'valid_unseen'"),
        (["train"], ["look_at_obj_in_light"], "of the types look_at_obj_in_light in it"),
    ],
)
def test_absent_games_are_one_error_that_says_what_to_do(folder, splits, types, message):
    with pytest.raises(DataError, match=message) as error:
        find_games(folder, splits, types)
    assert "snakemake resources/alfworld/official/manifest.json" in str(error.value)


def test_an_absent_folder_is_the_same_error(tmp_path):
    with pytest.raises(DataError, match=r"nowhere: no such folder.*snakemake"):
        find_games(tmp_path / "nowhere")


def test_sums_are_of_the_bytes(folder):
    games = find_games(folder)
    before = manifest(games)
    assert list(before) == [game.task_id for game in games]
    games[0].path.write_bytes(games[0].path.read_bytes() + b" ")
    after = manifest(games)
    assert [task for task in before if before[task] != after[task]] == [games[0].task_id]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not valid JSON"),
        ("\udcff", "is not valid JSON"),
        ("[]", "holds no JSON object"),
        ("{}", "is not a game file: 'pddl_domain' is missing"),
        ('{"pddl_domain": "", "grammar": 1}', "'grammar' is missing or no str"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(folder, content, message):
    path = find_games(folder)[0].path
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=message) as error:
        read_game(path)
    assert error.value.path == str(path)


def test_a_missing_file_is_named(folder):
    game = find_games(folder)[0]
    game.path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        manifest([game])
    with pytest.raises(DataError, match="cannot be read"):
        read_game(game.path)


def made_up(folder, *kinds):
    """Games given as TYPE-SCENE."""
    return [
        Game(f"train/{kind}/trial_{number}", folder, "train", *kind.split("-"))
        for number, kind in enumerate(kinds)
    ]


def test_a_limited_choice_takes_types_in_turn_and_there_new_scenes_first(tmp_path):
    games = made_up(tmp_path, *["a-1"] * 5, "a-2", "b-1", "b-3", "c-1")
    chosen = balanced(games, 5)
    assert sorted(game.task_type for game in chosen) == ["a", "a", "b", "b", "c"]
    assert {game.scene for game in chosen} == {"1", "2", "3"}
    assert list(chosen) == sorted(chosen)


def test_a_limited_choice_does_not_depend_on_the_order_of_files(tmp_path):
    games = made_up(tmp_path, *(f"t{number % 3}-{number % 7}" for number in range(40)))
    assert balanced(games, 10) == balanced(games[::-1], 10)
    assert balanced(games, 100) == tuple(sorted(games))


@needs_data
def test_the_official_games():
    unseen = find_games(OFFICIAL, ["valid_unseen"])
    assert len(unseen) == 117
    assert {game.scene for game in unseen} == {"10", "219", "308", "424"}
    assert {game.task_type for game in find_games(OFFICIAL)} == set(TASK_TYPES)
    chosen = balanced(unseen, 20)
    counts = [sum(game.task_type == kind for game in chosen) for kind in TASK_TYPES]
    assert counts == [4] * 5
    assert read_game(chosen[0].path)["solvable"]
