"""The real engine: steps, states that are gone back to, signatures, refusals."""

import json
import os
import subprocess
import sys

import pytest
from real_games import needs_engine, wander

from repairstudy.environments.alfworld.generate import generate
from repairstudy.errors import ConfigError, DataError, ReplayMismatch

pytestmark = needs_engine


@pytest.fixture(scope="module")
def games(folder):
    """Look at, place, clean."""
    return generate(folder / "games", "train", games=3, scenes=3, seed=1)


def walkthrough(game):
    return json.loads(game.read_text())["walkthrough"]


def play(engine, game, actions):
    return [engine.open(game), *(engine.step(action) for action in actions)]


def test_walkthroughs_win_at_their_last_step(engine, games):
    for game in games:
        points = play(engine, game, walkthrough(game))
        assert [point.won for point in points] == [False] * (len(points) - 1) + [True]
        assert all(point.valid for point in points)
        assert engine.task in points[0].observation


def test_what_is_not_admissible_changes_nothing(engine, games):
    start = engine.open(games[1])
    for action in ("go to nowhere 1", "LOOK", "look.", "help", "", walkthrough(games[1])[-1]):
        position = engine.step(action)
        assert (position.observation, position.valid) == ("Nothing happens.", False)
        assert position.signature == start.signature
        assert position.admissible == start.admissible
    assert "help" not in start.admissible
    assert engine.step(" look ").valid  # surrounding spaces do not count


def test_looking_is_a_hidden_change(engine, games):
    start = engine.open(games[0])
    looked = engine.step("look")
    assert looked.signature != start.signature
    assert looked.admissible == start.admissible
    assert engine.step("look").signature == looked.signature


def test_two_ways_to_one_state_have_one_signature(engine, games):
    start = engine.open(games[1])
    here, there = [action for action in start.admissible if action.startswith("go to")][:2]
    straight = play(engine, games[1], [there])[-1]
    roundabout = play(engine, games[1], [here, there])[-1]
    assert straight == roundabout


@pytest.mark.parametrize("seed", range(3))
def test_going_back_equals_straight_play(engine, games, seed):
    game = games[seed]
    engine.open(game)
    track = [(None, engine.position), *wander(engine, 25, seed)]
    for at in (20, 5, 0, 12):
        restored = engine.go_to(track[at][1].signature)
        assert restored.admissible == track[at][1].admissible
        for action, position in track[at + 1 :]:
            assert engine.step(action) == position
    straight = play(engine, game, [action for action, _ in track[1:]])
    assert straight == [position for _, position in track]


def test_states_are_forgotten_with_the_game_and_when_there_are_too_many(folder, games):
    from repairstudy.environments.alfworld.engine import Engine

    engine = Engine(folder / "translations", states=3)
    start = engine.open(games[0])
    seen = [start, *(position for _, position in wander(engine, 12, seed=5))]
    known = [signature for signature in {p.signature for p in seen} if engine.knows(signature)]
    assert start.signature in known
    assert len(known) == 4
    last = seen[-1].signature
    engine.open(games[1])
    assert not engine.knows(last)
    with pytest.raises(KeyError):
        engine.go_to(last)


def test_a_state_that_the_planner_lost_is_noticed(engine, games):
    from dataclasses import replace

    engine.open(games[0])
    *_, (_, position) = wander(engine, 6, seed=2)
    state = engine._known[position.signature]
    engine._known[position.signature] = replace(state, number=engine._start.number)
    with pytest.raises(ReplayMismatch, match="lost"):
        engine.go_to(position.signature)
    engine._known.clear()


SIGNATURES = """
import sys
from pathlib import Path
from repairstudy.environments.alfworld.engine import Engine
engine = Engine(Path(sys.argv[1]))
print(engine.open(Path(sys.argv[2])).signature)
for action in sys.argv[3:]:
    print(engine.step(action).signature)
"""


def test_signatures_are_the_same_in_every_process(engine, folder, games):
    actions = walkthrough(games[2])
    ours = [position.signature for position in play(engine, games[2], actions)]
    arguments = [sys.executable, "-c", SIGNATURES, folder / "translations", games[2], *actions]
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    run = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ours


def test_the_translator_leaves_arguments_and_output_alone(games, capsys):
    from repairstudy.environments.alfworld.engine import Engine

    before, output = list(sys.argv), sys.stdout
    Engine().open(games[0])
    assert (sys.argv, sys.stdout) == (before, output)
    assert capsys.readouterr().out == ""


def test_a_damaged_translation_is_made_anew(folder, games):
    from repairstudy.environments.alfworld.translation import Translations

    source = json.loads(games[0].read_text())
    texts = source["pddl_domain"], source["pddl_problem"]
    good = Translations(folder / "other").get(*texts)
    (file,) = (folder / "other").rglob("*.z")
    assert Translations(folder / "other").get(*texts) == good
    content = file.read_bytes()
    file.write_bytes(content[:100])
    assert Translations(folder / "other").get(*texts) == good
    assert file.read_bytes() == content


def test_what_is_no_game_is_refused(engine, games, tmp_path):
    path = tmp_path / "game.tw-pddl"
    with pytest.raises(DataError, match="cannot be read"):
        engine.open(path)
    path.write_text("[]")
    with pytest.raises(DataError, match="not an ALFWorld game"):
        engine.open(path)
    assert engine.open(games[0]).valid


def test_a_game_whose_texts_would_run_code_is_refused(engine, games, tmp_path):
    path = tmp_path / "game.tw-pddl"
    game = json.loads(games[0].read_text())
    game["grammar"] = game["grammar"].replace("{o.indefinite}", "{o.__class__}")
    path.write_text(json.dumps(game))
    with pytest.raises(DataError, match="more than names"):
        engine.open(path)


def test_other_versions_are_refused_with_the_command_that_helps():
    from repairstudy.environments.alfworld.versions import PROVEN, check_versions

    check_versions(PROVEN)
    with pytest.raises(ConfigError, match=r"textworld 1.6.2 \(needed: 1.7.0\).*pip install"):
        check_versions({**PROVEN, "textworld": "1.6.2"})
    with pytest.raises(ConfigError, match="TatSu is not installed"):
        check_versions({**PROVEN, "TatSu": None})


def test_the_description_shows_what_is_hidden(engine, games):
    engine.open(games[1])
    before = engine.describe().splitlines()
    assert before[0] == f"Task: {engine.task}"
    assert before[1:4] == [
        "Goal reached: no",
        "Agent at: the middle of the room",
        "Holding: nothing",
    ]
    play(engine, games[1], walkthrough(games[1]))
    after = engine.describe()
    assert "Goal reached: yes" in after
    *_, thing, _, place, number = walkthrough(games[1])[-1].replace("move ", "").rsplit(" ", 4)
    line = next(line for line in after.splitlines() if line.startswith(f"{place} {number}"))
    assert thing in line
