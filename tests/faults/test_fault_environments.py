"""Faults of environments: their rollouts are done again, and no agent is blamed for them."""

import subprocess
import sys
from pathlib import Path

import pytest
from fault_runs import REPLICATES, finished
from rollout_toys import STARTS, Corridor, HashEngine, actor, run, wanted

from repairstudy.errors import ReplayMismatch, StudyError
from repairstudy.rollouts import Limits, RolloutCache

WORKER = Path(__file__).with_name("fault_worker.py")
LIMITS = Limits(max_in_flight=4, retries=9, retry_wait_s=0.0, environment_timeout_s=1.0)


class Workers:
    """Makes corridors whose cells live in worker processes; each worker goes wrong once."""

    def __init__(self, fault, at=25):
        self.fault, self.at = fault, at
        self.made = []

    def __call__(self):
        corridor = WorkerCorridor(self.fault, self.at + 7 * len(self.made))
        self.made.append(corridor)
        return corridor

    def stop(self):
        for corridor in self.made:
            corridor.worker.kill()
            corridor.worker.wait()
            corridor.worker.stdin.close()
            corridor.worker.stdout.close()


class WorkerCorridor(Corridor):
    blocking = True

    def __init__(self, fault, at):
        super().__init__()
        self.worker = subprocess.Popen(
            [sys.executable, "-S", str(WORKER), fault, str(at)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )

    def tell(self, word):
        self.worker.stdin.write(f"{word}\n")
        answer = self.worker.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended: {self.worker.wait()}")
        self.cell = int(answer)

    def reset(self, task_id, seed=0):
        self.tell(STARTS[task_id])
        return self.observation()

    def step(self, action):
        before = self.cell
        found = super().step(action)
        if found.valid:
            self.cell = before
            self.tell(action)
        return found


def acted(folder, environments, limits=LIMITS):
    cache, acting = RolloutCache(folder), actor(HashEngine(), mode="text")
    tally = run(wanted(REPLICATES, acting), cache, acting, environments, limits)
    assert tally.errors == 0
    return cache


@pytest.fixture
def workers():
    made = []

    def make(fault):
        made.append(Workers(fault))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def same(undisturbed, folder, environments):
    cache = acted(folder, environments)
    assert finished(cache).equals(undisturbed)
    assert cache.read()["attempt"].max() > 0, "nothing went wrong"
    assert len(environments.made) > LIMITS.max_in_flight, "no instance was replaced"


def test_a_worker_with_a_segmentation_fault(undisturbed, tmp_path, workers):
    same(undisturbed, tmp_path, workers("segfault"))


def test_a_worker_that_hangs(undisturbed, tmp_path, workers):
    same(undisturbed, tmp_path, workers("hang"))


def test_a_worker_that_grows_beyond_its_memory(undisturbed, tmp_path, workers):
    same(undisturbed, tmp_path, workers("grow"))


def test_a_worker_that_answers_nonsense(undisturbed, tmp_path, workers):
    same(undisturbed, tmp_path, workers("garble"))


@pytest.mark.parametrize("error", [MemoryError, RecursionError, OSError, TimeoutError])
def test_an_error_within_this_process(undisturbed, tmp_path, error):
    steps = []

    class Fragile(Corridor):
        def step(self, action):
            steps.append(action)
            if len(steps) % 40 == 0:
                raise error("out of something")
            return super().step(action)

    assert finished(acted(tmp_path, Fragile)).equals(undisturbed)


def test_an_environment_that_cannot_be_made_for_a_while(undisturbed, tmp_path):
    tries = []

    class Late(Corridor):
        def __init__(self):
            super().__init__()
            tries.append(1)
            if len(tries) % 3:
                raise OSError("too many open files")

    assert finished(acted(tmp_path, Late)).equals(undisturbed)


def test_an_environment_that_forgets_where_it_was_is_one_error(tmp_path):
    class Forgetful(Corridor):
        def reset(self, task_id, seed=0):
            return super().reset("near")

    cache, acting = RolloutCache(tmp_path), actor(HashEngine(), mode="text")
    with pytest.raises(ReplayMismatch, match="failure f0, step 2"):
        run(wanted(1, acting), cache, acting, Forgetful, LIMITS)
    assert cache.read().is_empty()


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), -0.1, 1.1])
def test_an_impossible_reward_is_one_error(tmp_path, reward):
    class Odd(Corridor):
        def outcome(self):
            return type(super().outcome())(True, reward)

    cache, acting = RolloutCache(tmp_path), actor(HashEngine(), mode="text")
    with pytest.raises(StudyError, match="is outside"):
        run(wanted(1, acting), cache, acting, Odd, LIMITS)
    assert cache.read().is_empty()
