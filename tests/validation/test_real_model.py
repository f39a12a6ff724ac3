"""The estimators on a real language model whose exact values are known.

SmolLM2's stored action distributions give the exact success probability of every action at every
state of the default gridworld; simulated 10-rollout tables from them must give those values back.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from repairstudy.environments.exact import enumerate_states, state_values
from repairstudy.environments.gridworld import Gridworld
from repairstudy.estimators import crossfit_many, exact_value
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities
from repairstudy.records import generator

TABLE = Path(__file__).parents[1] / "data/gridworld_logprobs.json"
BUDGET, ROLLOUTS, MATCHED, TABLES = 20, 10, 5, 40


@pytest.fixture(scope="module")
def probabilities():
    """(P, 3) exact success probability of three actions at P states, 8 actions left."""
    stored = json.loads(TABLE.read_text(encoding="utf-8"))
    model = stored["models"]["smollm2-135m-instruct"]
    logprobs = dict(zip(stored["observations"], model["logprobs"], strict=True))
    world = Gridworld()
    space = enumerate_states(world, map(world.initial, world.tasks()))
    decoding = Decoding(temperature=0.7, top_p=0.95)
    values = state_values(
        space, lambda seen, _: action_probabilities(logprobs[seen], decoding), BUDGET
    )
    after = np.full((len(space.states), 4), -1)
    after[space.source, space.arm] = space.target
    open_states = np.flatnonzero(after[:, 0] >= 0)
    return values[8][after[open_states][:, :3]]


def test_the_mean_of_crossfit_over_simulated_pools_is_the_exact_value(probabilities):
    rng = generator("real model validation")
    exact = np.array([exact_value(row, MATCHED).value for row in probabilities])
    differences = []
    for _ in range(TABLES):
        draws = rng.random((*probabilities.shape, ROLLOUTS)) < probabilities[..., None]
        estimates = [found.value for found in crossfit_many(draws.astype(float), MATCHED)]
        differences.append(np.mean(estimates) - exact.mean())
    error = np.std(differences, ddof=1) / np.sqrt(TABLES)
    assert 0.0 < error < 0.002  # the test can tell a bias of a percent
    assert abs(np.mean(differences)) < 4 * error


def test_choosing_and_scoring_on_the_same_rollouts_would_be_seen(probabilities):
    """The same comparison catches the winner's curse, so it can fail."""
    rng = generator("real model validation, naive")
    exact = np.array([exact_value(row, ROLLOUTS).value for row in probabilities])
    draws = rng.random((*probabilities.shape, ROLLOUTS)) < probabilities[..., None]
    naive = draws.mean(axis=2).max(axis=1)
    assert naive.mean() - exact.mean() > 0.02
