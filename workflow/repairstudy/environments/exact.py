"""Exact values of memoryless executors by dynamic programming.

For a world that can be enumerated and a policy pi(a | observation),

    W(s, b) = sum_a pi(a | s) sum_s' P(s' | s, a) W(s', b - 1),

with W(s, b) the score of s when b = 0 or the episode has ended in s: the expected score after at
most b further actions. The value of forcing a in s with `slack` actions left, that one included,
is p(s, a) = sum_s' P(s' | s, a) W(s', slack - 1).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from repairstudy.environments.base import Environment, Outcome

Floats = NDArray[np.float64]
Situation = tuple[str, tuple[str, ...]]
Policy = Callable[[str, tuple[str, ...]], Sequence[float] | Floats]
Measure = Literal["success", "reward"]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class StateView:
    """A state from outside. `admissible` is empty when the episode has ended there."""

    observation: str
    admissible: tuple[str, ...]
    outcome: Outcome


@runtime_checkable
class Enumerable(Environment, Protocol):
    """An environment with few enough states to list them all; a state knows its task."""

    def state(self) -> Hashable:
        """The state of the present episode."""
        ...

    def initial(self, task_id: str) -> Hashable:
        """The state that `reset` starts in."""
        ...

    def view(self, state: Any) -> StateView:
        """What is seen, what may be done, and the score, in a state."""
        ...

    def transitions(self, state: Any, action: str) -> Sequence[tuple[float, Hashable]]:
        """What an admissible action can lead to: (probability, state) pairs that add up to 1."""
        ...


@dataclass(frozen=True)
class StateSpace:
    """All states reachable in some tasks: S states, E edges (state, action, next state).

    Attributes:
        states: (S,) in order of discovery.
        index: state -> its number.
        views: (S,) what is seen in each.
        source, arm, target: (E,) numbers of the state, of the action among its admissible
            actions, and of the next state.
        probability: (E,) of that next state.
    """

    states: tuple[Hashable, ...]
    index: Mapping[Hashable, int]
    views: tuple[StateView, ...]
    source: NDArray[np.intp]
    arm: NDArray[np.intp]
    target: NDArray[np.intp]
    probability: Floats

    def situations(self) -> tuple[Situation, ...]:
        """The distinct (observation, admissible actions) in which an executor must choose."""
        return tuple(
            dict.fromkeys(
                (view.observation, view.admissible) for view in self.views if view.admissible
            )
        )

    def scores(self, measure: Measure = "success") -> Floats:
        """(S,) score of each state if the run ends in it."""
        return np.array([getattr(view.outcome, measure) for view in self.views], dtype=np.float64)


def enumerate_states(environment: Enumerable, origins: Iterable[Hashable]) -> StateSpace:
    """Every state reachable from the origins (for whole tasks: `environment.initial` of each).

    Raises:
        ValueError: the probabilities of a transition do not add up to 1.
    """
    index = {state: number for number, state in enumerate(dict.fromkeys(origins))}
    states = list(index)
    views: list[StateView] = []
    edges: list[tuple[int, int, int, float]] = []
    for number, state in enumerate(states):  # the list grows while it is read
        views.append(environment.view(state))
        for arm, action in enumerate(views[-1].admissible):
            total = 0.0
            for probability, after in environment.transitions(state, action):
                if after not in index:
                    index[after] = len(states)
                    states.append(after)
                edges.append((number, arm, index[after], probability))
                total += probability
            if abs(total - 1.0) > TOLERANCE:
                raise ValueError(f"{state!r}, {action}: probabilities add up to {total}, not 1")
    columns = np.array(edges, dtype=np.float64).reshape(-1, 4).T
    source, arms, target = columns[:3].astype(np.intp)
    return StateSpace(tuple(states), index, tuple(views), source, arms, target, columns[3].copy())


def distinct_situations(environment: Enumerable, tasks: Iterable[str]) -> tuple[Situation, ...]:
    """What an executor can be asked in these tasks, to fetch its distributions in one go."""
    origins = [environment.initial(task) for task in tasks]
    return enumerate_states(environment, origins).situations()


def policy_matrix(space: StateSpace, policy: Policy) -> Floats:
    """(S, A) probabilities of the admissible actions, 0 beyond them; one call a situation.

    Raises:
        ValueError: the policy does not give one probability an action, adding up to 1.
    """
    asked = {situation: _asked(policy, situation) for situation in space.situations()}
    widest = max((len(view.admissible) for view in space.views), default=0)
    matrix = np.zeros((len(space.states), widest))
    for number, view in enumerate(space.views):
        if view.admissible:
            row = asked[view.observation, view.admissible]
            matrix[number, : len(row)] = row
    return matrix


def state_values(
    space: StateSpace, policy: Policy, budget: int, measure: Measure = "success"
) -> Floats:
    """(budget + 1, S) expected score W(s, b) of every state with b = 0..budget actions left."""
    weight = policy_matrix(space, policy)[space.source, space.arm] * space.probability
    scores = space.scores(measure)
    ended = np.array([not view.admissible for view in space.views], dtype=bool)
    values = np.empty((budget + 1, len(space.states)))
    values[0] = scores
    for left in range(1, budget + 1):
        reached = weight * values[left - 1][space.target]
        values[left] = np.bincount(space.source, reached, minlength=len(space.states))
        values[left][ended] = scores[ended]
    return values.clip(scores.min(), scores.max())  # a mean cannot leave them; rounding could


def action_values(
    space: StateSpace, values: Floats, state: Hashable, slack: int, actions: Iterable[str] = ()
) -> dict[str, float]:
    """p(s, a): the value of forcing each admissible action with `slack` >= 1 actions left.

    Args:
        values: of `state_values`, with a budget of at least `slack` - 1.
        actions: further ones to value; one that is not admissible costs a step, nothing more.

    Raises:
        ValueError: `slack` is outside 1..budget + 1.
        KeyError: the state is not in the space.
    """
    if not 1 <= slack <= len(values):
        raise ValueError(f"slack is {slack}; these values allow 1 to {len(values)}")
    number = space.index[state]
    edges = slice(*np.searchsorted(space.source, [number, number + 1]))
    admissible = space.views[number].admissible
    reached = space.probability[edges] * values[slack - 1][space.target[edges]]
    totals = np.bincount(space.arm[edges], reached, minlength=len(admissible))
    totals = totals.clip(values.min(), values.max())
    stayed = dict.fromkeys(actions, float(values[slack - 1][number]))
    return stayed | dict(zip(admissible, totals.tolist(), strict=True))


def _asked(policy: Policy, situation: Situation) -> Floats:
    row = np.asarray(policy(*situation), dtype=np.float64)
    expected = (len(situation[1]),)
    if row.shape != expected or not (row >= 0).all() or abs(row.sum() - 1.0) > TOLERANCE:
        raise ValueError(f"no probabilities over {situation[1]} for {situation[0]!r}: {row}")
    return row
