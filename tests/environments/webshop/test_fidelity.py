"""The shop against what the original's unmodified code did on the published small set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from webshop_shops import DATA, NO_DATA, real_folder

from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.index import index_folder, load_index

pytestmark = pytest.mark.skipif(not DATA.exists(), reason=NO_DATA)
PRICE_CLAUSE = re.compile(r", and price lower than [\d.]+ dollars")
ACTION = re.compile(r"(?:search|click)\[.*\]")


def lines(name: str) -> Iterator[Any]:
    with (DATA / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.fixture(scope="module")
def world() -> Webshop:
    """All goals in the original's order, those that nobody can meet included."""
    return Webshop(data=real_folder(), max_goals_per_product=None, unreachable=True)


def clickables(world: Webshop) -> list[str]:
    """As the original lists them: with "search" on the search page, which cannot be clicked."""
    session, shop = world.snapshot(), world.shop
    return ["search"] if session.page == "search" else list(shop.view(session).targets)


def test_every_ranking_is_lucenes() -> None:
    index = load_index(index_folder(Path(real_folder())))
    compared = 0
    for reference in lines("lucene_top50_reference.jsonl"):
        found = index.search(reference["q"], 50)
        assert [position for position, _ in found] == reference["hits"], reference["q"]
        best = [score for _, score in found[:10]]
        assert best == pytest.approx(reference["scores"], abs=1e-4)
        compared += 1
    assert compared == 1414


def test_every_trace_is_the_originals(world: Webshop) -> None:
    """Observation, reward, end and clickables after each step."""
    tasks, traces, states = world.tasks(), 0, 0
    for reference in lines("env_golden_traces.jsonl"):
        traces += 1
        for recorded in reference["trace"]:
            states += 1
            if recorded["a"] is None:
                shown, done = world.reset(tasks[reference["goal_idx"]]), False
            else:
                step = world.step(recorded["a"])
                shown, done = step.observation, step.done
            if recorded["obs"] is not None:  # the last page was not recorded
                assert shown == recorded["obs"]
            assert clickables(world) == recorded["clickables"]
            assert done == recorded.get("d", False)
            assert world.outcome().reward == recorded.get("r", 0.0)
    assert (traces, states) == (60, 716)


def test_expert_trajectories_replay(world: Webshop) -> None:
    """They were recorded under other draws of prices: one misses the limit that we drew."""
    tasks, observations, solved = world.tasks(), 0, 0
    for trajectory in lines("agenttraj_413.jsonl"):
        shown = world.reset(tasks[trajectory["goal_idx"]])
        for message in trajectory["messages"]:
            if message["role"] == "human":
                observations += 1
                assert PRICE_CLAUSE.sub("", shown) == PRICE_CLAUSE.sub("", message["text"])
            else:
                shown = world.step(ACTION.findall(message["text"])[-1]).observation
        solved += world.outcome().success
    assert (observations, solved) == (413 + 1676, 412)


def test_plans_solve_the_goals_that_can_be_met() -> None:
    """On one goal of each product: every action is admissible, and the reward is 1."""
    world = Webshop(data=real_folder(), max_goals_per_product=1)
    lengths = []
    for task in world.tasks():
        world.reset(task)
        plan = world.plan()
        assert plan is not None, task
        for action in plan:
            assert world.step(action).valid, (task, action)
        assert world.outcome().success, task
        lengths.append(len(plan))
    assert len(lengths) > 350
    assert max(lengths) <= 25
