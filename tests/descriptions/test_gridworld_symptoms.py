"""Symptoms of the gridworld against the real one: chance walks, and what became of them."""

from __future__ import annotations

import numpy as np

from repairstudy.descriptions import FailedRun
from repairstudy.descriptions.gridworld import bumped_into_walls, entered_pit
from repairstudy.environments import make_environment
from repairstudy.environments.gridworld.text import IN_PIT

WALKS, BUDGET = 60, 12


def walk(world, task, rng):
    """A chance walk; the run, what was seen last, and how often a move changed nothing."""
    seen, actions, states, idle = [world.reset(task)], [], [], 0
    while world.admissible_actions() and len(actions) < BUDGET:
        states.append(world.signature())
        actions.append(str(rng.choice(world.admissible_actions())))
        seen.append(world.step(actions[-1]).observation)
        idle += world.signature() == states[-1]
    run = FailedRun(
        "gridworld", tuple(seen[:-1]), tuple(actions), (True,) * len(actions), tuple(states)
    )
    return run, seen[-1], idle


def test_pits_and_walls_are_those_that_stopped_it():
    world, rng = make_environment("gridworld", {}), np.random.default_rng(0)
    tasks, pits, walls = world.tasks(), 0, 0
    for number in range(WALKS):
        run, last, idle = walk(world, tasks[number % len(tasks)], rng)
        assert (entered_pit(run) is not None) == (last == IN_PIT)
        assert (bumped_into_walls(run) is not None) == (idle >= 2)
        pits, walls = pits + (last == IN_PIT), walls + (idle >= 2)
    assert 0 < pits < WALKS
    assert 0 < walls < WALKS
