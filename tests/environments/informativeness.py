"""What a study of a pool would find with unlimited failures, computed exactly.

The population: failed runs of a deployed executor on tasks drawn uniformly, one position drawn
uniformly among those with enough slack, and the actions other than the original as candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import comb

import numpy as np

from repairstudy.environments.exact import (
    Floats,
    Policy,
    StateSpace,
    enumerate_states,
    policy_matrix,
    state_values,
)
from repairstudy.environments.gridworld import Gridworld

LEAST_SLACK = 5


@dataclass(frozen=True)
class Population:
    """Positions (N,) with their weights, and exact action values (N, 4) for some policies."""

    weight: Floats
    original: np.ndarray
    values: tuple[Floats, ...]
    success: tuple[float, ...]

    def mean(self, figure: Floats) -> float:
        return float(self.weight @ figure)


def population(world: Gridworld, policies: Sequence[Policy], budget: int) -> Population:
    """The failures of the first policy, with the action values of all the policies."""
    space = enumerate_states(world, [world.initial(task) for task in world.tasks()])
    tasks = len(world.tasks())
    state, t, original, weight = _positions(space, policies[0], tasks, budget)
    values = [state_values(space, policy, budget) for policy in policies]
    after = _successors(space)[state]
    return Population(
        weight=weight,
        original=original,
        values=tuple(table[(budget - t - 1)[:, None], after] for table in values),
        success=tuple(float(table[budget, :tasks].mean()) for table in values),
    )


def others(values: Floats, original: np.ndarray) -> Floats:
    """(N, 3) the values of the candidates: all actions but the original."""
    kept = np.arange(values.shape[1]) != original[:, None]
    return values[kept].reshape(len(values), -1)


def selected_value(truth: Floats, scoring: Floats, rollouts: int) -> Floats:
    """(N,) mean true value of the best of 3 by binomial counts, all outcomes listed, ties even."""
    counts = np.array(list(product(range(rollouts + 1), repeat=3)))
    best = counts == counts.max(axis=1, keepdims=True)
    shares = (best / best.sum(axis=1, keepdims=True)).reshape(*(rollouts + 1,) * 3, 3)
    one, two, three = np.moveaxis(_binomial(scoring, rollouts), 1, 0)
    chosen = np.einsum("ni,nj,nk,ijka->na", one, two, three, shares, optimize=True)
    return np.einsum("na,na->n", chosen, truth)


def _binomial(p: Floats, n: int) -> Floats:
    ways = np.array([comb(n, count) for count in range(n + 1)])
    count = np.arange(n + 1)
    return ways * p[..., None] ** count * (1 - p[..., None]) ** (n - count)


def _successors(space: StateSpace) -> np.ndarray:
    """(S, 4) the one state after each action; a state after the end leads to itself."""
    assert (space.probability == 1.0).all(), "this analysis is for moves that do not slip"
    after = np.repeat(np.arange(len(space.states))[:, None], 4, axis=1)
    after[space.source, space.arm] = space.target
    return after


def _positions(space: StateSpace, policy: Policy, tasks: int, budget: int):
    """State, step, original action and probability of every position of a failure."""
    matrix, after = policy_matrix(space, policy), _successors(space)
    ended = np.array([not view.admissible for view in space.views])
    lost = ended & (space.scores() == 0.0)
    eligible = budget - LEAST_SLACK + 1  # steps 0..15 of a budget of 20

    def continued(step: int, later: Floats) -> Floats:
        """(S,) mean of 1 / eligible positions over failures, for states before `step`."""
        return np.where(ended, lost / min(step, eligible), later)

    share = np.empty((budget + 1, len(space.states)))
    share[budget] = continued(budget, np.full(len(space.states), 1.0 / eligible))
    for step in range(budget - 1, -1, -1):
        share[step] = continued(max(step, 1), (matrix * share[step + 1][after]).sum(axis=1))

    occupied = np.zeros(len(space.states))
    occupied[:tasks] = 1.0 / tasks
    rows = []
    for step in range(eligible):
        acting = np.where(ended, 0.0, occupied)[:, None] * matrix
        weight = acting * share[step + 1][after]
        state, action = np.nonzero(weight > 0)
        rows.append((state, np.full(len(state), step), action, weight[state, action]))
        occupied = np.bincount(after.ravel(), acting.ravel(), minlength=len(occupied))
    state, t, action, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    return state, t, action, weight / weight.sum()
