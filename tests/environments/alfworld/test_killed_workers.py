"""Rollouts come out the same when worker processes are killed while they run."""

import asyncio
import contextlib
import os
import signal
import threading

import polars as pl
import polars.testing
import pytest
from real_games import needs_engine

from repairstudy.environments.alfworld import Alfworld
from repairstudy.environments.alfworld.explorer import Explorer
from repairstudy.environments.alfworld.generate import generate
from repairstudy.environments.alfworld.workers import close_pools
from repairstudy.executors import Executor, ModelIdentity
from repairstudy.records import generator
from repairstudy.rollouts import Limits, RolloutCache, RolloutSpec, ScriptedActor, run_rollouts
from repairstudy.rollouts.worklist import Pending

pytestmark = needs_engine
BUDGET = 14
REPLIES = (8, 24)  # at least and below: from one kill to the next
LIMITS = Limits(max_in_flight=8, retries=5, retry_wait_s=0.0)


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Makes environments over generated games. Each memo size has its own memo, of that size."""
    folder = tmp_path_factory.mktemp("killed")
    generate(folder / "games", "train", games=2, scenes=3, seed=7)

    def alfworld(memo):
        return Alfworld(
            games=str(folder / "games"),
            splits=["train"],
            workers=2,
            translations=str(folder / "translations"),
            memo=memo,
        )

    yield alfworld
    close_pools()


ACTOR = ScriptedActor(
    Executor("wanderer", ModelIdentity("explorer", "1", "none"), "scripted", ""),
    Explorer(noise=0.4),
)


def rollouts(world):
    """From the start of each game, and from its second step, which is replayed and checked."""
    items = []
    for task in world.tasks():
        first = world.reset(task)
        going = next(a for a in world.admissible_actions() if a.startswith("go to "))
        places = [((), None, world.signature(), first)]
        shown = world.step(going).observation
        places.append(((going,), "look", world.signature(), shown))
        for prefix, forced, signature, observation in places:
            items += [
                Pending(
                    RolloutSpec(
                        executor_id=ACTOR.executor_id,
                        environment=world.name,
                        environment_version=world.version,
                        task_id=task,
                        prefix=prefix,
                        forced=forced,
                        budget=BUDGET,
                        role="label",
                        replicate=replicate,
                        signature=signature,
                        observation=observation,
                    )
                )
                for replicate in range(2)
            ]
    return items


def outcomes(items, environments, folder):
    """The rows of the rollouts, without what a retry may change."""
    cache = RolloutCache(folder)
    asyncio.run(run_rollouts(items, {ACTOR.executor_id: ACTOR}, environments, cache, LIMITS))
    return cache.read().drop("attempt", "finished").sort("rollout_key")


def kill_now_and_then(monkeypatch, pool, rng):
    """From now on one of the pool's workers is killed after some replies; returns those killed.

    Replies and not seconds, so that a slow machine gets on as well. Other requests are under way.
    """
    ask, lock, killed = pool.ask, threading.Lock(), []
    left = int(rng.integers(*REPLIES))

    def ask_and_kill(request, seconds):
        nonlocal left
        reply = ask(request, seconds)
        with lock:
            left -= 1
            pids = pool.pids()
            if left <= 0 and pids:
                left = int(rng.integers(*REPLIES))
                killed.append(pids[int(rng.integers(len(pids)))])
                with contextlib.suppress(ProcessLookupError):  # it was dead already
                    os.kill(killed[-1], signal.SIGKILL)
        return reply

    monkeypatch.setattr(pool, "ask", ask_and_kill)
    return killed


def test_rollouts_do_not_show_that_workers_were_killed(make, tmp_path, monkeypatch):
    calm, shaken = make(memo=100_000), make(memo=1)  # with a memo of 1 nearly every step is asked
    items = rollouts(calm)
    expected = outcomes(items, lambda: make(memo=100_000), tmp_path / "calm")
    assert set(expected["status"]) == {"success", "budget_exhausted"}
    rng = generator("killed workers", 1)
    killed = kill_now_and_then(monkeypatch, shaken._shared.pool, rng)
    found = outcomes(items, lambda: make(memo=1), tmp_path / "shaken")
    assert len(killed) >= 3
    assert shaken.counts()["workers_lost"] >= 3
    pl.testing.assert_frame_equal(found, expected)
