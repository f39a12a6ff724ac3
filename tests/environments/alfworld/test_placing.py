"""Games are put in place whole and checked, or there is one error that says what to do."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from alfworld_worlds import official, write_game

from repairstudy.environments.alfworld.games import find_games
from repairstudy.environments.alfworld.placing import (
    MANIFEST,
    check_sums,
    game_sums,
    place_games,
    read_sums,
)
from repairstudy.errors import DataError

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "workflow/scripts/alfworld_data.py"
FIRST = "train/pick_and_place_simple-Mug-None-Desk-7/trial_a"
SECOND = "valid_seen/look_at_obj_in_light-Book-None-DeskLamp-301/trial_b"
OFFICIAL = official()


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "downloaded"
    for name in (FIRST, SECOND):
        write_game(folder / "json_2.1.1", name)
    write_game(folder / "json_2.1.1", "valid_train/other-X-None-Y-1/trial_c")
    return folder


def test_placed_games_are_the_sources_read_only_with_a_manifest(source, tmp_path):
    target = tmp_path / "resources/official"
    sums = game_sums(source)
    place_games(source, target, sums)
    assert json.loads((target / MANIFEST).read_text()) == sums == game_sums(target)
    assert [game.task_id for game in find_games(target)] == [FIRST, SECOND]
    for game in find_games(target):
        assert stat.S_IMODE(game.path.stat().st_mode) == 0o444


def test_games_placed_before_are_replaced_and_anything_else_is_left_alone(source, tmp_path):
    target = tmp_path / "official"
    target.mkdir()
    (target / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="holds something else"):
        place_games(source, target, game_sums(source))
    (target / "notes.txt").unlink()
    place_games(source, target, game_sums(source))
    (source / "json_2.1.1" / SECOND / "game.tw-pddl").unlink()
    place_games(source, target, game_sums(source))
    assert [game.task_id for game in find_games(target)] == [FIRST]


def test_sums_are_read_as_sha256sum_writes_them(tmp_path):
    file = tmp_path / "sums"
    file.write_text(f"{'a' * 64}  x/game.tw-pddl\n")
    assert read_sums(file) == {"x/game.tw-pddl": "a" * 64}
    file.write_text(f"{'a' * 64}  x\nnonsense\n")
    with pytest.raises(DataError, match="line 2 is not a SHA-256 sum"):
        read_sums(file)


def test_known_games_must_be_there_and_be_the_known_ones(source):
    found = game_sums(source)
    first = next(iter(found))
    check_sums(source, found, {first: found[first]})  # the other is not known: not judged
    with pytest.raises(DataError, match=rf"SHA-256 sum of {first} is not the official"):
        check_sums(source, found, {first: "0" * 64})
    expected = {f"train/x/{number}": "0" for number in range(5)}
    with pytest.raises(DataError, match="and 2 more missing of 5 known games"):
        check_sums(source, found, expected)


def run(*arguments, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in ("ALFWORLD_DATA", "REPAIRSTUDY_DATA")}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**kept, **environment}, check=False
    )


def test_the_script_takes_the_folder_named_by_the_user(source, tmp_path):
    sums = tmp_path / "sums"
    sums.write_text("".join(f"{s}  {path}\n" for path, s in game_sums(source).items()))
    out = tmp_path / "official"
    done = run("official", "--out", out, "--sums", sums, ALFWORLD_DATA=str(source))
    assert done.returncode == 0, done.stderr
    assert "2 games, 2 of them checked" in done.stdout
    assert (out / MANIFEST).is_file()


def test_the_script_says_what_to_fetch_and_where_to_put_it(tmp_path):
    done = run("official", "--out", tmp_path / "official", "--source", tmp_path / "nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith(f"alfworld_data: {tmp_path / 'nowhere'}: no such folder")
    assert "json_2.1.2_tw-pddl.zip and unpack it; then set ALFWORLD_DATA" in done.stderr
    assert not (tmp_path / "official").exists()


@pytest.mark.skipif(OFFICIAL is None, reason="official games: no folder $REPAIRSTUDY_DATA/alfworld")
def test_the_committed_sums_are_of_the_official_games():
    known = read_sums(ROOT / "resources/alfworld.sha256")
    assert len(known) == 337
    check_sums(OFFICIAL, game_sums(OFFICIAL), known)
