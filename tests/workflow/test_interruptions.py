"""Killed at random moments and started again, a study ends with the same results."""

import os
import random
import signal
import time

import polars as pl
import pytest

pytestmark = pytest.mark.workflow

KILLS = 10
TAKEN_AWAY = ("results.parquet", "rollouts.parquet", "candidates.parquet")


def kill_all(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_a_study_killed_ten_times_ends_like_an_undisturbed_one(make_workspace, tiny):
    disturbed = make_workspace("killed")
    moments = random.Random(20261130)
    kills = 0
    for _start in range(10 * KILLS):
        if kills == KILLS:
            break
        process = disturbed.start()
        time.sleep(moments.uniform(1.0, 9.0))
        if process.poll() is None:
            kill_all(process)
            kills += 1
        else:
            # The study ended between kills: take some of its products away and disturb it again.
            process.stdout.close()
            for name in TAKEN_AWAY:
                disturbed.path(f"results/tiny/{name}").unlink(missing_ok=True)
    assert kills == KILLS
    disturbed.run()
    expected = pl.read_parquet(tiny.path("results/tiny/results.parquet"))
    found = pl.read_parquet(disturbed.path("results/tiny/results.parquet"))
    assert found.equals(expected)


def test_a_finished_study_makes_tables_again_that_went_missing(tiny):
    before = {name: tiny.path(f"results/tiny/{name}").read_bytes() for name in TAKEN_AWAY}
    for name in TAKEN_AWAY:
        tiny.path(f"results/tiny/{name}").unlink()
    tiny.run()
    assert {name: tiny.path(f"results/tiny/{name}").read_bytes() for name in TAKEN_AWAY} == before
