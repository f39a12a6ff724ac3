"""Our engine says, allows and scores what the unmodified environment does."""

import json

import pytest
from real_games import needs_engine, official_games, small_games, wander

from repairstudy.environments.alfworld.generate import generate

pytestmark = needs_engine
STEPS = 10


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Games of our own, of three types; and an official one if they are at hand."""
    own = generate(tmp_path_factory.mktemp("games"), "train", games=3, scenes=3, seed=1)
    return [*own, *(small_games()[:1] if official_games() else [])]


def points_of(engine, game, seed):
    """Random actions, then the walkthrough from the start; what each showed."""
    position = engine.open(game)
    points, actions = [position], []
    for action, position in wander(engine, STEPS, seed):
        actions.append(action)
        points.append(position)
    return actions, points


def same(points, originals):
    """Whether all of it agrees; "help" is the original's alone."""
    for position, (observation, admissible, score, won) in zip(points, originals, strict=True):
        assert position.observation == observation
        assert list(position.admissible) == [a for a in admissible if a != "help"]
        assert position.won == won == bool(score)


def test_random_play_and_walkthroughs_agree(games, tmp_path):
    from original import play

    from repairstudy.environments.alfworld.engine import Engine

    engine = Engine(tmp_path)
    jobs, ours = [], []
    for seed, game in enumerate(games):
        actions, points = points_of(engine, game, seed)
        if seed % 2 == 0:
            engine.open(game)
            actions = json.loads(game.read_text())["walkthrough"]
            points = [engine.position, *(engine.step(action) for action in actions)]
            assert points[-1].won
        jobs.append((game, actions))
        ours.append(points)
    for points, original in zip(ours, play(jobs), strict=True):
        same(points, original["points"])
