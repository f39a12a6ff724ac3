"""Whether the default gridworld can tell good repairs from random ones, with exact values.

The action probabilities are those of the real models, asked once and kept in tests/data; all
else is computed: no failure is sampled and no rollout is run.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from informativeness import Population, others, population, selected_value
from make_action_tables import MODELS, TABLE, fingerprint

from repairstudy.environments.exact import Policy
from repairstudy.environments.gridworld import Gridworld
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, validity_mass

BUDGET, ROLLOUTS, GATE = 20, 5, 0.10
SMOLLM2, STRONG, WEAK = "smollm2-135m-instruct", "policy-strong", "policy-weak"


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def world() -> Gridworld:
    return Gridworld()


def logprobs(table: dict[str, Any], model: str) -> dict[str, list[float]]:
    return dict(zip(table["observations"], table["models"][model]["logprobs"], strict=True))


def policy(table: dict[str, Any], model: str, decoding: Decoding | None = None) -> Policy:
    found = logprobs(table, model)
    return lambda observation, _: action_probabilities(found[observation], decoding or Decoding())


def failures(world: Gridworld, table: dict[str, Any], deployed: str, *judges: str) -> Population:
    return population(world, [policy(table, model) for model in (deployed, *judges)], BUDGET)


@pytest.mark.parametrize("model", MODELS)
def test_the_tables_belong_to_this_gridworld_prompt_and_weights(
    world: Gridworld, table: dict[str, Any], model: str
) -> None:
    """If this fails, run make_action_tables.py again (it says how)."""
    assert table["version"] == world.version
    now = fingerprint(model)
    assert {key: table["models"][model][key] for key in now} == now


@pytest.mark.parametrize("deployed", [SMOLLM2, STRONG])
def test_matched_selection_beats_random_selection_by_far_more_than_the_gate(
    world: Gridworld, table: dict[str, Any], deployed: str
) -> None:
    pool = failures(world, table, deployed)
    candidates = others(pool.values[0], pool.original)
    matched = selected_value(candidates, candidates, ROLLOUTS)
    control = pool.mean(matched - candidates.mean(axis=1))
    # a standard error of about 0.026 with 60 failures: a true 0.133 passes the gate in 9 of 10
    assert control >= GATE + 0.033


def test_success_rates_are_in_the_order_of_the_names(
    world: Gridworld, table: dict[str, Any]
) -> None:
    strong, weak, smollm2 = failures(world, table, STRONG, WEAK, SMOLLM2).success
    assert strong > weak + 0.15
    assert strong > smollm2 + 0.15
    assert 0.3 < smollm2 < 0.7
    random = population(world, [lambda *_: [0.25] * 4], BUDGET).success[0]
    assert smollm2 > random + 0.2


def test_the_policies_differ_in_kind_the_weak_one_does_not_see_pits(table: dict[str, Any]) -> None:
    steps_into_pit = {model: _into_pit(policy(table, model), table) for model in MODELS}
    chance = _into_pit(lambda *_: [0.25] * 4, table)
    assert steps_into_pit[STRONG] < 0.15
    assert steps_into_pit[WEAK] > chance
    assert steps_into_pit[SMOLLM2] > 0.9 * chance


def test_true_mismatch_and_evaluator_noise_can_be_told_apart(
    world: Gridworld, table: dict[str, Any]
) -> None:
    """The strong policy misjudges SmolLM2's repairs for good; the reverse is mostly noise."""
    lasting = {}
    for deployed, judge in [(SMOLLM2, STRONG), (STRONG, SMOLLM2)]:
        pool = failures(world, table, deployed, judge)
        own, foreign = (others(values, pool.original) for values in pool.values)
        matched = selected_value(own, own, ROLLOUTS)
        few = pool.mean(matched - selected_value(own, foreign, ROLLOUTS))
        assert few > 0.05
        best = (foreign >= foreign.max(axis=1, keepdims=True) - 1e-9).astype(float)
        unlimited = (own * best).sum(axis=1) / best.sum(axis=1)
        lasting[deployed] = pool.mean(matched - unlimited)
    assert lasting[SMOLLM2] > 0.02
    assert lasting[STRONG] < 0.01


@pytest.mark.parametrize("model", MODELS)
def test_models_answer_with_the_moves(table: dict[str, Any], model: str) -> None:
    masses = [validity_mass(row) for row in logprobs(table, model).values()]
    assert np.mean(masses) > 0.95


def _into_pit(acting: Policy, table: dict[str, Any]) -> float:
    """Mean probability of a step into a pit over the observations with one or more around."""
    chances = []
    for observation in table["observations"]:
        pits = [f" {move} pit" in observation for move in ("up", "down", "left", "right")]
        if any(pits):
            chances.append(np.asarray(acting(observation, ()))[pits].sum())
    return float(np.mean(chances))
