"""Plans from any state: they win, cost no more than the full planner's, and end in time."""

import json
import os
import signal
import time
from types import SimpleNamespace

import pytest
from real_games import needs_engine, wander

from repairstudy.environments.alfworld.generate import generate

pytestmark = needs_engine

PROBLEM = """(:init (pickupable Mug_1) (heatable mug_1) (sliceable mug_1) (pickupable pen_1)
(openable safe_1) (objectType mug_1 MugType) (objectType pen_1 PenType))
(:goal (exists (?o - object) (objectType ?o MugType)))"""


def test_only_what_the_goal_needs_and_what_is_held_stays_usable():
    from repairstudy.environments.alfworld.planner import pruned

    assert pruned(PROBLEM, None).split(" (objectType")[0].split() == [
        "(:init",
        "(pickupable",
        "Mug_1)",
        "(heatable",
        "mug_1)",
        "(openable",
        "safe_1)",
    ]
    assert "(pickupable pen_1)" in pruned(PROBLEM, "pen_1")


@pytest.fixture(scope="module")
def games(folder):
    """One of each type."""
    return generate(folder / "games", "train", games=5, scenes=3, seed=2)


def test_from_the_start_a_plan_is_as_long_as_the_walkthrough(engine, games):
    for game in games:
        engine.open(game)
        plan = engine.plan(30.0)
        assert len(plan) <= len(json.loads(game.read_text())["walkthrough"])
        assert [engine.step(action).won for action in plan][-1]


def full_plan_length(engine):
    """By the planner on the whole problem."""
    game = engine._game
    with_all = engine._translations.get(game.domain, game.problem, simplified=True)
    game.library.set_state_id(engine._state.number)
    game.library.load_sas_replan(with_all.sas.encode())
    assert game.library.replan(False)
    return game.library.get_last_plan_length()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_from_any_state_a_plan_wins_and_is_as_short_as_the_full_planners(engine, games, number):
    engine.open(games[number])
    for seed in range(3):
        *_, (_, position) = wander(engine, 8, seed)
        engine.go_to(position.signature)
        plan = engine.plan(30.0)
        assert len(plan) == full_plan_length(engine)
        steps = [engine.step(action) for action in plan]
        assert all(step.valid for step in steps)
        assert [step.won for step in steps] == [False] * (len(plan) - 1) + [True]
        engine.go_to(position.signature)


def test_the_goal_reached_needs_no_plan(engine, games):
    engine.open(games[0])
    for action in engine.plan(30.0):
        engine.step(action)
    assert engine.plan(30.0) == ()


def test_no_time_no_plan_and_the_game_goes_on(engine, games):
    engine.open(games[3])
    *_, (_, position) = wander(engine, 5, seed=9)
    assert engine.plan(0.0) is None
    assert engine.position == position
    assert len(engine.plan(30.0)) > 0


def test_a_plan_is_made_once(engine, games, monkeypatch):
    engine.open(games[4])
    plan = engine.plan(30.0)
    monkeypatch.setattr("os.fork", None)
    assert engine.plan(30.0) is plan


class Library:
    """A planner's library whose search does as it is told."""

    def __init__(self, search):
        self._search = search

    def set_state_id(self, number):
        pass

    def load_sas_replan(self, sas):
        pass

    def replan(self, verbose):
        return self._search()


@pytest.mark.parametrize(
    "search",
    [
        lambda: bytearray(2**28),
        lambda: time.sleep(60),
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os.write(1, b"]") and False,
    ],
    ids=["hungry", "hanging", "crashing", "without a plan"],
)
def test_a_search_that_fails_is_no_plan(engine, games, search, capfd):
    from repairstudy.environments.alfworld.planner import Planner

    engine.open(games[2])
    game = SimpleNamespace(**{**vars(engine._game), "library": Library(search)})
    planner = Planner(game, engine._translations, memory_mb=100)
    start = time.monotonic()
    assert planner.plan(engine._state, seconds=2.0) is None
    assert time.monotonic() - start < 20
    assert capfd.readouterr() == ("", "")
