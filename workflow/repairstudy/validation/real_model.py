"""Failures of a real language model in the gridworld, with exact values of every action.

The model's stored action distributions make it a policy whose runs can be drawn, and whose values
follow by dynamic programming. Nothing about its behaviour is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repairstudy.environments.exact import (
    StateSpace,
    enumerate_states,
    policy_matrix,
    state_values,
)
from repairstudy.environments.gridworld import Gridworld
from repairstudy.errors import DataError
from repairstudy.estimators.arrays import Array
from repairstudy.estimators.batch import argmax_weights_many
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities
from repairstudy.records import generator
from repairstudy.validation.populations import Indices, Population, binary

DEPLOYED, EVALUATOR = "smollm2-135m-instruct", "policy-strong"
DECODING = Decoding(temperature=0.7, top_p=0.95)
BUDGET, SLACK, POSITIONS = 20, 5, 3  # those of the default study
RUNS, PER_LAYOUT = 2000, 60  # runs drawn in each layout, and failures kept of them


@dataclass(frozen=True)
class Failures:
    """Failed runs with several positions each.

    Attributes:
        own: (N, T, K) success probability of each candidate, all actions but the original.
        original: (N, T) the same of the original action.
        other: (N, T, K) success probability under the evaluating model.
        primary: (N,) the position drawn as primary.
        layouts: (L, M) members of each layout.
    """

    own: Array
    original: Array
    other: Array
    primary: Indices
    layouts: Indices

    def population(self) -> Population:
        """At the primary positions."""
        rows = np.arange(len(self.own)), self.primary
        scores = argmax_weights_many(self.other[rows])
        return Population(
            "real model (SmolLM2)",
            binary(self.own[rows]),
            binary(self.original[rows]),
            self.layouts,
            {"policy-strong": binary(self.other[rows])},
            {"scores": scores},
        )


def real_failures(stored: Mapping[str, Any]) -> Failures:
    """Failed runs of the deployed model, collected as a study collects them.

    In each layout runs are drawn until the budget ends, the failed ones with enough eligible steps
    are kept, and three of these steps are drawn as positions.

    Args:
        stored: the gridworld's version, its observations, and for each model the log-probabilities
            of the four moves at each.

    Raises:
        DataError: the table is that of another gridworld, or lacks a model.
    """
    world = Gridworld()
    if stored["version"] != world.version:
        raise DataError(
            "action distributions",
            f"they are of gridworld {stored['version']}, this one is {world.version}.",
            "Make them again: tests/environments/make_action_tables.py.",
        )
    space = enumerate_states(world, map(world.initial, world.tasks()))
    policies = [_policy(space, stored, model) for model in (DEPLOYED, EVALUATOR)]
    after = np.full((len(space.states), 4), -1)
    after[space.source, space.arm] = space.target
    values = [state_values(space, policy, BUDGET) for policy in policies]
    found = []
    for task in world.tasks():
        rng = generator("validation", "real model", task)
        start = space.index[world.initial(task)]
        found.append(_failed_runs(policy_matrix(space, policies[0]), after, values[0], start, rng))
    kept = [runs for runs in found if len(runs[0]) == PER_LAYOUT]
    states, actions, steps, primary = (np.concatenate(part) for part in zip(*kept, strict=True))
    own, other = (_after(value, after[states], steps) for value in values)
    rest = np.argsort(np.arange(4) == actions[..., None], axis=-1, kind="stable")[..., :3]
    return Failures(
        np.take_along_axis(own, rest, axis=-1),
        np.take_along_axis(own, actions[..., None], axis=-1)[..., 0],
        np.take_along_axis(other, rest, axis=-1),
        primary,
        np.arange(len(states)).reshape(len(kept), PER_LAYOUT),
    )


def _policy(space: StateSpace, stored: Mapping[str, Any], model: str) -> Any:
    if model not in stored["models"]:
        raise DataError("action distributions", f"there is no model {model}.")
    rows = stored["models"][model]["logprobs"]
    logprobs = dict(zip(stored["observations"], rows, strict=True))
    return lambda seen, _: action_probabilities(logprobs[seen], DECODING)


def _failed_runs(
    policy: Array, after: NDArray[np.intp], values: Array, start: int, rng: np.random.Generator
) -> tuple[Indices, Indices, Indices, Indices]:
    """States, actions and steps (F, 3) of the positions of failed runs, and the primary (F,)."""
    states = np.full((RUNS, BUDGET + 1), start)
    actions = np.zeros((RUNS, BUDGET), dtype=np.intp)
    for t in range(BUDGET):
        uniform = rng.random((RUNS, 1))
        cumulative = np.cumsum(policy[states[:, t]], axis=1)
        actions[:, t] = (uniform * cumulative[:, -1:] >= cumulative[:, :3]).sum(axis=1)
        following = after[states[:, t], actions[:, t]]
        states[:, t + 1] = np.where(following < 0, states[:, t], following)  # ended: it stays
    open_steps = (after[states[:, : BUDGET - SLACK + 1], 0] >= 0).sum(axis=1)
    failed = np.flatnonzero((values[0][states[:, -1]] == 0.0) & (open_steps >= POSITIONS))
    runs = failed[:PER_LAYOUT]
    priority = rng.random((len(runs), BUDGET))
    priority[np.arange(BUDGET) >= open_steps[runs, None]] = 2.0
    steps = np.sort(priority.argsort(axis=1)[:, :POSITIONS], axis=1)
    rows = runs[:, None]
    primary = rng.integers(0, POSITIONS, len(runs))
    return states[rows, steps], actions[rows, steps], steps, primary


def _after(values: Array, following: Indices, steps: Indices) -> Array:
    """(F, T, 4) value of each action, given the states it leads to and the step it is taken at."""
    left = BUDGET - steps - 1
    return np.clip(values[left[..., None], following], 0.0, 1.0)
