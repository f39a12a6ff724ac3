"""Many rollouts at once: the same records whatever the order, the concurrency, or the trouble."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import re
import signal
import threading

import pytest
from rollout_toys import BUDGET, Corridor, HashEngine, actor, order_seed, records, run, spec, wanted

from repairstudy.errors import ConfigError, DataError, EngineError, ReplayMismatch, WrongModel
from repairstudy.rollouts import (
    Interrupted,
    Limits,
    Progress,
    RolloutCache,
    missing,
    pending,
    run_rollouts,
    work_list,
)
from repairstudy.rollouts.shards import write_shard
from repairstudy.rollouts.signals import stop_signals

REPLICATES = 8


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    cache = RolloutCache(tmp_path_factory.mktemp("undisturbed"))
    run(wanted(REPLICATES), cache)
    return records(cache)


def jitter(call: int) -> float:
    return order_seed(call) % 5 * 0.0004


def test_the_records_say_something(undisturbed):
    assert undisturbed.height == 3 * REPLICATES
    assert undisturbed["status"].n_unique() >= 2
    assert undisturbed["actions"].n_unique() > REPLICATES
    assert undisturbed["seed"].n_unique() == undisturbed.height


@pytest.mark.parametrize("in_flight", [1, 3, 100])
@pytest.mark.parametrize("shuffle", [None, 1, 2])
def test_order_and_concurrency_change_no_record(undisturbed, tmp_path, in_flight, shuffle):
    rows = wanted(REPLICATES)
    if shuffle is not None:
        rows = rows.sample(fraction=1.0, shuffle=True, seed=shuffle)
    cache = RolloutCache(tmp_path)
    engine = HashEngine(delay_s=jitter)
    run(rows, cache, actor(engine), limits=Limits(max_in_flight=in_flight))
    assert records(cache).equals(undisturbed)
    assert engine.most_waiting == min(in_flight, rows.height)


def test_a_run_in_pieces_gives_the_same_records(undisturbed, tmp_path):
    cache = RolloutCache(tmp_path)
    for part in (5, 7, 100):
        run(missing(wanted(REPLICATES), cache).head(part), cache)
    assert records(cache).equals(undisturbed)


def test_text_mode_is_as_reproducible(tmp_path):
    for name, in_flight in (("a", 1), ("b", 50)):
        acting = actor(HashEngine(delay_s=jitter), mode="text")
        run(wanted(4, acting), RolloutCache(tmp_path / name), acting,
            limits=Limits(max_in_flight=in_flight))  # fmt: skip
    found = records(RolloutCache(tmp_path / "a"))
    assert found.equals(records(RolloutCache(tmp_path / "b")))
    assert found["invalid_actions"].max() > 0
    assert "invalid_limit" in found["status"]


def test_nobody_waits_for_a_slow_neighbour(tmp_path):
    """One episode hangs; all others end, and are on disk, long before it does."""
    cache = RolloutCache(tmp_path)
    hanging = HashEngine(delay_s=lambda call: 60.0 if call == 1 else 0.0)

    async def go():
        acting = actor(hanging)
        items = pending(missing(wanted(), cache), Corridor(), BUDGET)
        job = asyncio.create_task(
            run_rollouts(items, {acting.executor_id: acting}, Corridor, cache,
                         Limits(max_in_flight=4), writer=cache.writer(flush_s=0.0))
        )  # fmt: skip
        async with asyncio.timeout(20.0):
            while cache.read().height < 29:
                await asyncio.sleep(0.05)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(go())
    assert cache.read().height == 29


def test_an_environment_serves_one_episode_at_a_time_and_is_used_again(tmp_path):
    made = []

    class Exclusive(Corridor):
        def __init__(self):
            super().__init__()
            made.append(self)

    cache = RolloutCache(tmp_path)
    run(wanted(), cache, actor(HashEngine(delay_s=jitter)), Exclusive, Limits(max_in_flight=4))
    assert len(made) == 4


def test_infrastructure_errors_are_retried_and_leave_no_trace_in_the_outcome(undisturbed, tmp_path):
    def flaky(call):
        if order_seed(call) % 7 == 3:
            raise EngineError("502 bad gateway")

    cache = RolloutCache(tmp_path)
    summary = run(
        wanted(REPLICATES), cache, actor(HashEngine(fault=flaky)),
        limits=Limits(retries=50, retry_wait_s=0.0),
    )  # fmt: skip
    assert summary.errors == 0
    assert records(cache)["attempt"].max() > 0
    assert records(cache).drop("attempt").equals(undisturbed.drop("attempt"))


def test_an_environment_that_crashed_is_replaced(undisturbed, tmp_path):
    made = []

    class Fragile(Corridor):
        def __init__(self):
            super().__init__()
            made.append(self)
            self.steps = 0

        def step(self, action):
            self.steps += 1
            if self.steps > 40 * len(made):
                raise RuntimeError("segmentation fault")
            return super().step(action)

    cache = RolloutCache(tmp_path)
    run(wanted(REPLICATES), cache, environments=Fragile, limits=Limits(retry_wait_s=0.0))
    assert len(made) > 1
    assert records(cache).drop("attempt").equals(undisturbed.drop("attempt"))


def test_an_error_that_persists_is_recorded_with_its_cause_and_never_as_a_failure(tmp_path):
    def gone(call):
        raise EngineError("server gone")

    engine = HashEngine(fault=gone)
    cache = RolloutCache(tmp_path)
    summary = run(wanted(2), cache, actor(engine), limits=Limits(retries=2, retry_wait_s=0.0))
    found = cache.read()
    assert (summary.done, summary.errors, engine.calls) == (6, 6, 18)
    assert found["status"].unique().to_list() == ["infrastructure_error"]
    assert found["success"].null_count() == found["reward"].null_count() == 6
    assert found["cause"].unique().to_list() == ["EngineError: server gone"]
    assert found["attempt"].unique().to_list() == [2]


def test_a_decision_that_never_comes_is_an_infrastructure_error(tmp_path):
    engine = HashEngine(delay_s=lambda call: 60.0)
    cache = RolloutCache(tmp_path)
    limits = Limits(retries=1, retry_wait_s=0.0, decision_timeout_s=0.02)
    run(wanted(1), cache, actor(engine), limits=limits)
    assert cache.read()["cause"].unique().to_list() == ["no decision within 0.02 s"]
    assert engine.calls == 6


def test_a_dead_server_stops_the_run_but_what_finished_stays(tmp_path):
    def dies(call):
        if call > 40:
            raise EngineError("connection refused")

    cache = RolloutCache(tmp_path)
    limits = Limits(max_in_flight=2, retries=0, give_up_after=5)
    with pytest.raises(EngineError, match=r"gave up after 5 .* the last: .*connection refused"):
        run(wanted(20), cache, actor(HashEngine(fault=dies)), limits=limits)
    counts = dict(cache.read()["status"].value_counts().iter_rows())
    assert counts.pop("infrastructure_error") in (5, 6)
    assert sum(counts.values()) >= 4


@pytest.mark.parametrize(
    "error", [WrongModel("serves llama, expected toy"), ConfigError("' wait' is two tokens")]
)
def test_what_no_retry_can_mend_stops_the_run_at_once(tmp_path, error):
    def wrong(call):
        if call > 60:
            raise error

    engine = HashEngine(fault=wrong)
    cache = RolloutCache(tmp_path)
    with pytest.raises(type(error), match=re.escape(str(error))):
        run(wanted(20), cache, actor(engine), limits=Limits(max_in_flight=2))
    assert engine.calls <= 62
    found = cache.read()
    assert found.height > 0
    assert "infrastructure_error" not in found["status"]


def test_no_episode_goes_on_after_the_run_has_stopped(tmp_path):
    def wrong(call):
        if call == 9:
            raise WrongModel("serves llama, expected toy")

    async def go():
        acting, cache = actor(HashEngine(fault=wrong, delay_s=jitter)), RolloutCache(tmp_path)
        items = pending(missing(wanted(), cache), Corridor(), BUDGET)
        with pytest.raises(WrongModel):
            await run_rollouts(items, {acting.executor_id: acting}, Corridor, cache)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(go())


@pytest.mark.parametrize("error", [ConfigError("' wait' is two tokens"), asyncio.CancelledError()])
def test_an_error_of_many_episodes_at_once_is_told_once(tmp_path, caplog, error):
    def wrong(call):
        if call > 20:
            raise error

    with pytest.raises(type(error)):
        run(wanted(20), RolloutCache(tmp_path), actor(HashEngine(fault=wrong)))
    gc.collect()
    assert not caplog.records, "an error that nobody saw"


def test_a_replay_mismatch_stops_the_run_and_names_the_failure_and_step(tmp_path):
    wrong = spec(signature="s5", executor_id=actor().executor_id)
    rows = work_list([wrong.to_row("toy", "f7", 2, "c1")])
    with pytest.raises(ReplayMismatch, match="failure f7, step 2"):
        run(rows, RolloutCache(tmp_path))
    assert RolloutCache(tmp_path).read().is_empty()


def test_a_bug_is_not_taken_for_an_infrastructure_error(tmp_path):
    engine = HashEngine(fault=lambda call: [][call])
    with pytest.raises(IndexError):
        run(wanted(1), RolloutCache(tmp_path), actor(engine))
    assert RolloutCache(tmp_path).read().is_empty()


def test_an_executor_without_actor_is_named(tmp_path):
    with pytest.raises(ConfigError, match="no actor for executor"):
        run(wanted(1, actor(temperature=0.1)), RolloutCache(tmp_path), actor())


def test_several_executors_share_one_run(tmp_path):
    cache, engine = RolloutCache(tmp_path), HashEngine()
    actors = [actor(engine), actor(engine, temperature=0.0), actor(engine, temperature=0.3)]
    rows = [missing(wanted(3, acting), cache) for acting in actors]
    items = [item for part in rows for item in pending(part, Corridor(), BUDGET)]
    asyncio.run(
        run_rollouts(items, {acting.executor_id: acting for acting in actors}, Corridor, cache)
    )
    assert cache.executor_ids() == tuple(sorted(acting.executor_id for acting in actors))
    assert all(cache.read([acting.executor_id]).height == 9 for acting in actors)
    greedy = cache.read([actors[1].executor_id])
    assert greedy["actions"].n_unique() == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopping_signal_keeps_what_is_finished_and_the_run_goes_on_from_there(
    undisturbed, tmp_path, number
):
    def stop(call):
        if call == 60:
            os.kill(os.getpid(), number)

    before = signal.getsignal(number)
    cache = RolloutCache(tmp_path)
    with pytest.raises(Interrupted, match=rf"stopped by {number.name}: \d+ of 24 rollouts"):
        run(wanted(REPLICATES), cache, actor(HashEngine(fault=stop)),
            limits=Limits(max_in_flight=2))  # fmt: skip
    assert 0 < cache.read().height < 3 * REPLICATES
    assert signal.getsignal(number) is before
    run(wanted(REPLICATES), cache)
    assert records(cache).equals(undisturbed)


def test_a_run_outside_the_main_thread_leaves_signals_alone(tmp_path):
    cache = RolloutCache(tmp_path)
    thread = threading.Thread(target=run, args=(wanted(2), cache))
    thread.start()
    thread.join()
    assert cache.read().height == 6


def test_the_first_of_several_signals_counts(caplog):
    async def go():
        with stop_signals() as stopped:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
            return stopped.result()

    assert asyncio.run(go()) == signal.SIGTERM
    assert not caplog.records, "the second one was an error of the event loop"


def test_progress_says_how_much_is_done_how_fast_and_what_is_left(tmp_path):
    stream = io.StringIO()
    engine = HashEngine(delay_s=lambda call: 0.02)
    run(wanted(6), RolloutCache(tmp_path), actor(engine),
        limits=Limits(max_in_flight=2), progress=Progress(stream, 0.1, "toy"))  # fmt: skip
    *lines, last = stream.getvalue().splitlines()
    assert len(lines) >= 2
    pattern = r"toy: \d+ of 18 rollouts \(\d+%\), [\d.]+ a second(, \d+ s left)?"
    assert all(re.fullmatch(pattern, line) for line in lines)
    assert any("left" in line for line in lines)
    assert re.fullmatch(
        r"toy: 18 of 18 rollouts in \d+ s \(.*\d+ \w+.*\); \d+ steps, \d+ \+ \d+ tokens", last
    )


def test_nothing_to_do_is_done_at_once(tmp_path):
    stream = io.StringIO()
    summary = run(wanted(0), RolloutCache(tmp_path), progress=Progress(stream))
    assert (summary.done, summary.total) == (0, 0)
    assert stream.getvalue() == "0 of 0 rollouts in 0 s (none); 0 steps, 0 + 0 tokens\n"


def test_a_full_disk_stops_the_run_and_the_next_one_goes_on(undisturbed, tmp_path, monkeypatch):
    cache = RolloutCache(tmp_path)
    flushes = []

    def write(folder, rows):
        flushes.append(rows.height)
        if len(flushes) > 2:
            raise OSError(28, "No space left on device")
        return write_shard(folder, rows)

    with monkeypatch.context() as patch:
        patch.setattr("repairstudy.rollouts.writer.write_shard", write)
        with pytest.raises(DataError, match="No space left"):
            run(wanted(REPLICATES), cache, writer=cache.writer(flush_rows=5))
    assert cache.read().height == 10
    run(wanted(REPLICATES), cache)
    assert records(cache).equals(undisturbed)
