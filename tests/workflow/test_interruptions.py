"""Killed at random moments and started again, a study ends with the same results."""

import os
import random
import signal
import time

import polars as pl
import pytest

pytestmark = pytest.mark.workflow

KILLS = 10


def kill_all(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_a_study_killed_ten_times_ends_like_an_undisturbed_one(make_workspace, tiny):
    disturbed = make_workspace("killed")
    moments = random.Random(20261130)
    kills = 0
    while kills < KILLS:
        process = disturbed.start()
        time.sleep(moments.uniform(1.0, 9.0))
        if process.poll() is None:
            kill_all(process)
            kills += 1
        else:
            # The study ended between kills: take its last product away and disturb it again.
            process.stdout.close()
            for name in ("results.parquet", "rollouts.parquet", "candidates.parquet"):
                disturbed.path(f"results/tiny/{name}").unlink(missing_ok=True)
    disturbed.run()
    expected = pl.read_parquet(tiny.path("results/tiny/results.parquet"))
    found = pl.read_parquet(disturbed.path("results/tiny/results.parquet"))
    assert found.equals(expected)
