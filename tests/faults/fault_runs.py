"""Runs of the same rollouts, with and without trouble.

Every test of this folder compares a disturbed run's records with an undisturbed one's, or expects
one clear error with nothing lost that had been finished.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "rollouts"))

from rollout_toys import HashEngine, actor, records, run, wanted

from repairstudy.engines.factory import open_engine
from repairstudy.rollouts import Limits, RolloutCache, missing

REPLICATES = 12  # times three candidates

__all__ = ["REPLICATES", "ask_servers", "finished", "served", "undisturbed_records"]


def undisturbed_records(folder, mode="text"):
    """The records of a run in which nothing happens, without the attempt each took."""
    cache, acting = RolloutCache(folder), actor(HashEngine(), mode=mode)
    run(wanted(REPLICATES, acting), cache, acting)
    return finished(cache)


def finished(cache):
    """All that a cache holds but when, and at which attempt, it came about."""
    return records(cache).drop("attempt")


def ask_servers(cache, *servers, limits=None, **settings):
    """Run what the cache lacks, acted by these servers; what came of it is in the cache."""
    settings = {"timeout": 0.4, "patience": 20.0, "concurrency": 8} | settings
    engine = open_engine(
        "openai", url=[server.url for server in servers], served_name="small", **settings
    )
    engine._patience = type(engine._patience)(
        settings["patience"], flukes=12, first_wait=0.002, longest_wait=0.05
    )
    acting = actor(engine, mode="text")
    limits = limits or Limits(max_in_flight=8, retry_wait_s=0.0, give_up_after=5)
    todo = missing(wanted(REPLICATES, acting), cache)
    writer = cache.writer(flush_rows=4)
    return run(todo, cache, acting, limits=limits, writer=writer, closes=engine)


def served(folder, *servers, **options):
    """The records of a run that these servers acted."""
    cache = RolloutCache(folder)
    tally = ask_servers(cache, *servers, **options)
    assert tally.errors == 0
    return finished(cache)
