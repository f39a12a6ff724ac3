"""Planted policies: exactly the probabilities that their parameters say."""

import asyncio
import math
import time

import pytest

from repairstudy.engines import Request
from repairstudy.engines.factory import open_engine
from repairstudy.engines.simulated import PlantedPolicy, last_observation
from repairstudy.environments.gridworld import Gridworld
from repairstudy.errors import ConfigError
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, draw, validity_mass

HERE = (
    "Around you: up free, down pit, left wall, right cracked. The goal is down and right, 3 away."
)
MOVES = (" up", " down", " left", " right")


def score(prompt, parameters=None, choices=MOVES):
    engine = open_engine("simulated", parameters=parameters or {})
    return asyncio.run(engine.score(prompt, choices)).logprobs


def softmax(*scores):
    total = sum(math.exp(score) for score in scores)
    return pytest.approx([math.exp(score) / total for score in scores])


@pytest.mark.parametrize(
    ("parameters", "scores"),
    [
        ({}, (-1, 1 - 4, -2, 1)),
        ({"tau": 0.5}, (-2, -6, -4, 2)),
        ({"pit_blind": True}, (-1, 1, -2, 1)),
        ({"caution": 1.5, "blocked": 3}, (-1, -0.5, -3, 1)),
        ({"tau": 2.0, "bias": {"up": 0.25}}, (-0.25, -1.5, -1, 0.5)),
    ],
)
def test_probabilities_follow_the_formula(parameters, scores):
    assert [math.exp(value) for value in score(HERE, parameters)] == softmax(*scores)


def test_validity_is_the_mass_of_the_actions():
    assert validity_mass(score(HERE, {"validity": 0.8})) == pytest.approx(0.8)


def test_only_the_last_observation_counts():
    other = HERE.replace("is down", "is up")
    assert score(f"State: {other}\nMove: up\nState: {HERE}\nMove:") == score(HERE)
    assert score(other) != score(HERE)


def test_every_gridworld_observation_is_understood():
    world = Gridworld(layouts=8, seed=3)
    for task in world.tasks():
        contents, toward = last_observation(f"{world.reset(task)} And now?")
        assert tuple(contents) == world.admissible_actions()
        assert set(contents.values()) <= {"free", "wall", "pit", "cracked", "goal"}
        assert toward
        for action in world.plan()[:-1]:
            assert contents[action] in ("free", "cracked")
            contents, _ = last_observation(world.step(action).observation)
        assert contents[world.plan()[0]] == "goal"


def test_a_completion_is_the_draw_from_the_scores():
    engine = open_engine("simulated", parameters={"pit_blind": True})
    probabilities = action_probabilities(score(HERE, {"pit_blind": True}), Decoding(0.7, 0.95))
    for seed in range(50):
        request = Request(HERE, 0.7, 0.95, 0, 1, seed)
        text = asyncio.run(engine.complete(request)).text
        assert text == MOVES[draw(probabilities, seed)]


def test_latency_is_waited():
    begun = time.monotonic()
    score(HERE, {"latency_s": 0.05, "latency_spread": 0.5})
    assert 0.025 <= time.monotonic() - begun < 0.5


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"tua": 1.0}, r"parameters.tua: unknown; did you mean 'tau'\? \(accepted: tau, pit_blind"),
        ({"tau": 0}, "parameters.tau: 0 .*above 0"),
        ({"tau": "hot"}, "wrong type"),
        ({"validity": 1.5}, "parameters.validity"),
        ({"bias": {"north": 1.0}}, "parameters.bias"),
    ],
)
def test_wrong_parameters_are_named(parameters, problem):
    with pytest.raises(ConfigError, match=problem):
        open_engine("simulated", parameters=parameters)


def test_other_worlds_are_refused():
    with pytest.raises(ConfigError, match="gridworld observations only"):
        score("You are in a kitchen.")
    with pytest.raises(ConfigError, match="moves up, down"):
        score(HERE, choices=(" jump",))


def test_a_policy_can_be_asked_without_an_engine():
    probabilities = PlantedPolicy(pit_blind=True).probabilities(HERE)
    assert probabilities["down"] == probabilities["right"] > probabilities["up"]
