"""Dynamic programming against enumeration, simulation, and hand computation."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from repairstudy.environments import Outcome
from repairstudy.environments.exact import (
    StateView,
    action_values,
    distinct_situations,
    enumerate_states,
    policy_matrix,
    state_values,
)
from repairstudy.environments.gridworld import Gridworld
from repairstudy.records import generator

Policy = Callable[[str, tuple[str, ...]], list[float]]


class Coin:
    """Not a grid: toss until heads; 'give up' ends with reward 0.25 and no success."""

    HEADS = 0.3

    def initial(self, task_id: str) -> str:
        return "tossing"

    def view(self, state: str) -> StateView:
        outcomes = {
            "tossing": Outcome(False, 0.0),
            "heads": Outcome(True, 1.0),
            "over": Outcome(False, 0.25),
        }
        actions = ("toss", "give up") if state == "tossing" else ()
        return StateView(state, actions, outcomes[state])

    def transitions(self, state: str, action: str) -> list[tuple[float, str]]:
        if action == "give up":
            return [(1.0, "over")]
        return [(self.HEADS, "heads"), (1 - self.HEADS, "tossing")]


@lru_cache
def uneven(observation: str, admissible: tuple[str, ...]) -> list[float]:
    """A policy that is a function of the observation and has no symmetry."""
    weights = generator("test policy", observation).random(len(admissible)) ** 2
    return (weights / weights.sum()).tolist()


def eager(observation: str, admissible: tuple[str, ...]) -> list[float]:
    """Mostly towards the goal, whatever is in the way."""
    direction = observation.rsplit("The goal is", 1)[-1]
    weights = np.array([9.0 if action in direction else 1.0 for action in admissible])
    return (weights / weights.sum()).tolist()


def test_a_chain_computed_by_hand() -> None:
    space = enumerate_states(Coin(), ["tossing"])
    always = state_values(space, lambda *_: [1.0, 0.0], 3)
    assert always[:, 0].tolist() == pytest.approx([0.0, 0.3, 0.51, 0.657], abs=1e-15)
    half = state_values(space, lambda *_: [0.5, 0.5], 2, measure="reward")
    assert half[:, 0].tolist() == pytest.approx([0.0, 0.275, 0.37125], abs=1e-15)
    assert action_values(space, half, "tossing", 2) == pytest.approx(
        {"toss": 0.3 + 0.7 * 0.275, "give up": 0.25}, abs=1e-15
    )
    assert always[:, space.index["heads"]].tolist() == [1.0] * 4


def test_an_inadmissible_action_costs_a_step_and_changes_nothing() -> None:
    space = enumerate_states(Coin(), ["tossing"])
    always = state_values(space, lambda *_: [1.0, 0.0], 3)
    forced = action_values(space, always, "tossing", 3, ["toss", "dance"])
    assert forced == pytest.approx({"toss": 0.657, "give up": 0.0, "dance": 0.51}, abs=1e-15)


def test_values_equal_the_sum_over_all_action_sequences() -> None:
    world, budget = Gridworld(layouts=3), 5
    space = enumerate_states(world, map(world.initial, world.tasks()))
    values = state_values(space, uneven, budget)
    for task in world.tasks():
        forced = action_values(space, values, world.initial(task), budget)
        for first, value in forced.items():
            assert value == pytest.approx(_enumerated(world, task, first, budget), abs=1e-12)


def test_values_equal_simulated_frequencies_with_slips() -> None:
    world, budget, runs = Gridworld(layouts=4, pits=1, slip=0.1), 12, 1000
    tasks = world.tasks()
    space = enumerate_states(world, map(world.initial, tasks))
    expected = state_values(space, eager, budget)[budget, : len(tasks)].mean()
    wins = sum(_simulated(world, tasks[run % len(tasks)], run, budget) for run in range(runs))
    error = np.sqrt(expected * (1 - expected) / runs)
    assert 0.1 < expected < 0.9
    assert abs(wins / runs - expected) < 4 * error


def test_a_state_is_worth_the_mean_of_its_forced_actions() -> None:
    world = Gridworld(layouts=4)
    space = enumerate_states(world, map(world.initial, world.tasks()))
    values, matrix = state_values(space, uneven, 10), policy_matrix(space, uneven)
    for number, state in enumerate(space.states):
        if space.views[number].admissible:
            forced = action_values(space, values, state, 10)
            assert values[10, number] == pytest.approx(matrix[number] @ list(forced.values()))
    assert (np.diff(values, axis=0) >= -1e-12).all()  # more budget never hurts


def test_solvable_means_that_some_policy_succeeds_for_sure() -> None:
    world, budget = Gridworld(layouts=6), 12
    space = enumerate_states(world, map(world.initial, world.tasks()))
    best = [space.scores()]
    for _ in range(budget):
        after = np.zeros((len(space.states), 4))
        after[space.source, space.arm] = best[-1][space.target]
        best.append(np.maximum(space.scores(), after.max(axis=1)))
    for task in world.tasks():
        world.reset(task)
        number = space.index[world.state()]
        for left, values in enumerate(best):
            assert world.solvable(left) == bool(values[number])


def test_each_situation_is_asked_once() -> None:
    world, asked = Gridworld(layouts=10), []
    space = enumerate_states(world, map(world.initial, world.tasks()))

    def policy(observation: str, admissible: tuple[str, ...]) -> list[float]:
        asked.append((observation, admissible))
        return [0.25] * 4

    state_values(space, policy, 3)
    assert len(asked) == len(set(asked)) < len(space.states)
    assert tuple(asked) == distinct_situations(world, world.tasks())


@pytest.mark.parametrize(
    "wrong", [[0.5, 0.5], [0.5, 0.5, 0.5, -0.5], [0.2] * 4, [float("nan")] * 4]
)
def test_what_is_no_distribution_is_refused(wrong: list[float]) -> None:
    world = Gridworld(layouts=1)
    space = enumerate_states(world, map(world.initial, world.tasks()))
    with pytest.raises(ValueError, match="no probabilities over"):
        state_values(space, lambda *_: wrong, 3)


def test_wrong_transitions_and_slacks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    space = enumerate_states(Coin(), ["tossing"])
    values = state_values(space, lambda *_: [0.5, 0.5], 3)
    for slack in (0, 5):
        with pytest.raises(ValueError, match=f"slack is {slack}; these values allow 1 to 4"):
            action_values(space, values, "tossing", slack)
    with pytest.raises(KeyError):
        action_values(space, values, "elsewhere", 1)
    monkeypatch.setattr(Coin, "transitions", lambda *_: [(0.5, "heads")])
    with pytest.raises(ValueError, match=r"add up to 0\.5, not 1"):
        enumerate_states(Coin(), ["tossing"])


def _simulated(world: Gridworld, task: str, run: int, budget: int) -> bool:
    observation, rng = world.reset(task, seed=run + 1), generator("test run", run)
    for _ in range(budget):
        actions = world.admissible_actions()
        if not actions:
            break
        observation = world.step(rng.choice(actions, p=eager(observation, actions))).observation
    return world.outcome().success


def _enumerated(world: Gridworld, task: str, first: str, budget: int) -> float:
    """Sum of the probabilities of all continuations that succeed."""
    total = 0.0
    for later in product(("up", "down", "left", "right"), repeat=budget - 1):
        observation, probability = world.reset(task), 1.0
        for number, action in enumerate((first, *later)):
            actions = world.admissible_actions()
            if not actions:  # ended: all continuations are one, count it once
                probability *= float(all(a == "up" for a in later[number - 1 :]))
                break
            if number:
                probability *= uneven(observation, actions)[actions.index(action)]
            observation = world.step(action).observation
        total += probability * world.outcome().success
    return total
