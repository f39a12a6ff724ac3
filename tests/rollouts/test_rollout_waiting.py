"""Environments that wait: side by side in threads, given up in time, and never in the way."""

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path

from rollout_toys import Corridor, HashEngine, actor, run, wanted

from repairstudy.engines.affinity import GROUP
from repairstudy.rollouts import Limits, RolloutCache
from repairstudy.rollouts.threads import WaitingThreads


def test_as_many_threads_as_calls_wait_and_no_more_than_allowed():
    threads, together = WaitingThreads(3), []
    gate, lock = threading.Event(), threading.Lock()

    def call(number):
        with lock:
            together.append(threading.current_thread().name)
        gate.wait(10)
        return number

    futures = [threads.submit(call, number) for number in range(7)]
    while len(together) < 3:
        time.sleep(0.001)
    time.sleep(0.02)
    assert (len(together), threads.waiting) == (3, 4)
    gate.set()
    assert [future.result(10) for future in futures] == list(range(7))
    assert len(set(together)) == 3


def test_an_idle_thread_is_used_again_and_errors_are_the_callers():
    threads = WaitingThreads(5)
    names = [threads.submit(lambda: threading.current_thread().name).result(10)]
    for _ in range(4):
        time.sleep(0.005)
        names.append(threads.submit(lambda: threading.current_thread().name).result(10))
    assert len(set(names)) <= 2
    assert isinstance(threads.submit(lambda: 1 / 0).exception(10), ZeroDivisionError)


def test_a_thread_that_was_given_up_is_replaced():
    threads, never = WaitingThreads(1), threading.Event()
    threads.submit(never.wait)
    threads.give_up_one()
    assert threads.submit(lambda: "on").result(10) == "on"
    never.set()


HANGING_JOB = """
import sys, threading
sys.path.insert(0, {tests!r})
from pathlib import Path
from rollout_toys import Corridor, run, wanted
from repairstudy.rollouts import Limits, RolloutCache

class Hanging(Corridor):
    blocking = True
    def step(self, action):
        threading.Event().wait()

limits = Limits(retries=0, environment_timeout_s=0.1, give_up_after=99)
cache = RolloutCache({cache!r})
print(run(wanted(1), cache, environments=Hanging, limits=limits).errors)
print(cache.read()["cause"][0])
"""


def test_a_job_whose_environments_hang_for_ever_ends(tmp_path):
    code = HANGING_JOB.format(tests=str(Path(__file__).parent), cache=str(tmp_path))
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    cause = "EnvironmentCrash: environment corridor: no answer within 0.1 s"
    assert ended.stdout.splitlines() == ["3", cause]


def test_requests_of_one_task_are_known_as_a_group(tmp_path):
    class Noting(HashEngine):
        async def score(self, prompt, choices):
            groups.add(GROUP.get())
            await asyncio.sleep(0)
            return await super().score(prompt, choices)

    groups = set()
    acting = actor(Noting())
    run(wanted(2, acting), RolloutCache(tmp_path), acting, Corridor, Limits(max_in_flight=3))
    assert groups == {"middle"}
