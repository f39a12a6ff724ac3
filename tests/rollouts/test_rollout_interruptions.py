"""Jobs that are killed, and jobs that do the same work at once, as processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rollout_toys import records, run, temporary_files, wanted

from repairstudy.records import generator
from repairstudy.rollouts import RolloutCache
from repairstudy.rollouts.shards import list_shards

REPLICATES, KILLS = 150, 12
WORKER = Path(__file__).with_name("rollout_worker.py")


def start(folder: Path, delay_s: float) -> subprocess.Popen[str]:
    """A job that stands right before its first rollout."""
    arguments = [sys.executable, str(WORKER), str(folder), str(REPLICATES), str(delay_s)]
    job = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None
    assert job.stdout.readline() == "ready\n"
    return job


def wait_for_files(job: subprocess.Popen[str], folder: Path, more: int) -> None:
    """Wait until the job has begun so many further shards; the moment depends on its progress and
    not on the clock, so that it falls into the run on a busy machine too."""
    begun = len(files(folder)) + more
    while job.poll() is None and len(files(folder)) < begun:
        time.sleep(0.0005)


def files(folder: Path) -> list[str]:
    return [name for _, _, names in os.walk(folder) for name in names]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    cache = RolloutCache(tmp_path_factory.mktemp("undisturbed"))
    run(wanted(REPLICATES), cache)
    return records(cache)


def test_a_run_killed_at_random_moments_ends_with_the_records_of_an_undisturbed_one(
    undisturbed, tmp_path
):
    cache = RolloutCache(tmp_path)
    draws, kept = generator("kill moments"), []
    for _ in range(KILLS):
        job = start(tmp_path, delay_s=0.002)
        wait_for_files(job, tmp_path, more=int(draws.integers(0, 8)))
        time.sleep(draws.uniform(0.0, 0.01))
        job.kill()
        assert job.wait() == -signal.SIGKILL, "the job had ended before it was killed"
        kept.append(cache.read().height)
    assert kept == sorted(kept), "a kill lost rollouts that had been on disk"
    assert len(set(kept)) > 3
    last = start(tmp_path, delay_s=0.0)
    assert last.wait() == 0
    assert records(cache).equals(undisturbed)
    cache.prune(older_than_s=-1.0)
    assert temporary_files(tmp_path) == []


def test_two_jobs_at_once_end_with_the_records_of_one(undisturbed, tmp_path):
    jobs = [start(tmp_path, delay_s=0.0005) for _ in range(2)]
    assert [job.wait() for job in jobs] == [0, 0]
    cache = RolloutCache(tmp_path)
    assert records(cache).equals(undisturbed)
    (executor_id,) = cache.executor_ids()
    shards = list_shards(tmp_path / executor_id)
    assert len(shards) < 3 * REPLICATES / 5, "their shards were merged"


def test_a_terminated_job_writes_what_is_finished_and_does_not_look_successful(tmp_path):
    job = start(tmp_path, delay_s=0.002)
    wait_for_files(job, tmp_path, more=3)
    job.terminate()
    assert job.wait() == 1
    assert 10 <= RolloutCache(tmp_path).read().height < 3 * REPLICATES
    assert temporary_files(tmp_path) == []
