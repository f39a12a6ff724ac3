"""Jobs that are killed at any moment, and the same run started again.

Two hundred kills in a row are opt-in: REPAIRSTUDY_SLOW=1 (about three minutes).
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fault_runs import finished
from rollout_toys import temporary_files

from repairstudy.rollouts import RolloutCache

JOB = Path(__file__).with_name("fault_job.py")
SLOW = os.environ.get("REPAIRSTUDY_SLOW") == "1"


def start(folder):
    job = subprocess.Popen(
        [sys.executable, str(JOB), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert job.stdout.readline() == "ready\n"
    job.stdout.close()
    return job


def wait_for(job, folder, more):
    """Wait until so many further files have begun to be written."""
    begun = len(files(folder)) + more
    while job.poll() is None and len(files(folder)) < begun:
        time.sleep(0.0005)


def files(folder):
    return [name for _, _, names in os.walk(folder) for name in names]


def survive(folder, kills, seed, number):
    """Kill and start again; how many of the jobs were still running when they were hit."""
    draws, hit, cache = random.Random(seed), 0, RolloutCache(folder)
    kept = 0
    for _ in range(kills):
        job = start(folder)
        wait_for(job, folder, more=draws.randrange(4))
        time.sleep(draws.uniform(0.0, 0.03))
        job.send_signal(number)
        hit += job.wait() != 0
        now = cache.read().height
        assert now >= kept, "a kill lost rollouts that had been on disk"
        kept = now
    return hit


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_job_that_is_killed_at_random_moments(undisturbed, tmp_path, number):
    assert survive(tmp_path, kills=3, seed=number, number=number) >= 2
    assert start(tmp_path).wait() == 0
    cache = RolloutCache(tmp_path)
    assert finished(cache).equals(undisturbed)
    cache.prune(older_than_s=-1.0)
    assert temporary_files(tmp_path) == []


@pytest.mark.skipif(not SLOW, reason="REPAIRSTUDY_SLOW=1 runs two hundred kills")
def test_two_hundred_kills(undisturbed, tmp_path):
    """A run is killed until it is done, then another begins, and so on: 200 kills that hit."""
    kills, runs = 0, 0
    while kills < 200:
        runs += 1
        folder = tmp_path / str(runs)
        for seed in range(99):
            kills += survive(folder, kills=1, seed=1000 * runs + seed, number=signal.SIGKILL)
            if folder.exists() and finished(RolloutCache(folder)).height == undisturbed.height:
                break
        assert start(folder).wait() == 0
        assert finished(RolloutCache(folder)).equals(undisturbed)
