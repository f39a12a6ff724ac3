"""How busy an engine is, as it says itself, and how much its cache holds, as its server says."""

import asyncio

import pytest
from engine_calls import REQUEST, complete
from engine_fakes import CountingEngine, FakeServer

from repairstudy.engines.distributions import Distributions
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.factory import open_engine
from repairstudy.engines.fleet import Fleet, Patience
from repairstudy.engines.lazy import LazyEngine
from repairstudy.engines.load import Load, load_of, total_load
from repairstudy.engines.metrics import CacheGauge, parse_metrics, read_metrics, room_for
from repairstudy.engines.openai import OpenAiEngine
from repairstudy.engines.trouble import Passing
from repairstudy.executors import ModelIdentity

PAGE = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
vllm:num_requests_running{engine="0",model_name="m"} 12.0
vllm:num_requests_running{engine="1",model_name="m"} 8.0
vllm:num_requests_waiting{engine="0",model_name="m"} 5.0
vllm:num_requests_waiting{engine="1",model_name="m"} 0.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.3
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.1
python_info{implementation="CPython"} 1.0
"""


class Busy(CountingEngine):
    def __init__(self, load):
        super().__init__()
        self.load = lambda: load


def test_the_metrics_of_several_engines_are_read():
    found = parse_metrics(PAGE)
    assert found["vllm:num_requests_running"] == [12.0, 8.0]
    assert "python_info" not in found


@pytest.mark.parametrize(
    ("own", "room"),
    [
        (25, 100.0),  # 20 run and fill a fifth
        (5, 20.0),  # a fifth of the requests, so a fifth of the cache
        (99, 100.0),  # some have not arrived yet
        (0, None),
    ],
)
def test_the_cache_holds_what_runs_over_the_share_that_it_takes(own, room):
    assert room_for(parse_metrics(PAGE), own) == (room and pytest.approx(room))


def test_an_idle_server_or_one_without_metrics_says_nothing():
    assert room_for(parse_metrics(PAGE.replace("12.0", "0").replace("8.0", "0")), 5) is None
    assert room_for({}, 5) is None


def test_a_gauge_looks_now_and_then_and_survives_a_server_that_is_gone():
    class Vllm(FakeServer):
        def answer(self, path, body):
            return PAGE if path == "/metrics" else super().answer(path, body)

    async def go():
        with Vllm() as server:
            gauge = CacheGauge(Endpoint(server.url), own=lambda: 25)
            assert gauge.room() is None
            async with asyncio.timeout(5.0):
                while gauge.room() is None:
                    await asyncio.sleep(0.01)
            for _ in range(50):
                assert gauge.room() == pytest.approx(100.0)
            looks = sum(path == "/metrics" for path, _, _ in server.requests)
            await gauge.close()
        return looks, await read_metrics(Endpoint(server.url))

    assert asyncio.run(go()) == (1, {})


def test_what_is_under_way_is_running_or_queued():
    async def go():
        with FakeServer() as server:
            server.latency_s = 0.2
            engine = open_engine("openai", url=server.url, served_name="small", concurrency=4)
            asking = [asyncio.create_task(complete(engine)) for _ in range(10)]
            seen = []
            while not all(task.done() for task in asking):
                await asyncio.sleep(0.01)
                load, due = engine.load(), sum(not task.done() for task in asking)
                assert (load.places, load.running + load.queued) == (4, due)
                seen.append(load.running)
            await engine.close()
            return seen

    seen = asyncio.run(go())
    assert (max(seen), seen[-1]) == (4, 0)


def test_members_that_are_away_have_no_places_and_what_waits_for_another_try_is_queued():
    class Away(Busy):
        async def complete(self, request):
            raise Passing("gone for a while", away=True)

    async def go():
        fleet = Fleet([("a", Away(Load(8, 3, 0)))], Patience(seconds=60.0, first_wait=30.0))
        before = fleet.load()
        asking = [asyncio.create_task(fleet.complete(REQUEST)) for _ in range(5)]
        await asyncio.sleep(0.01)
        during = fleet.load()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        return before, during, fleet.load()

    before, during, after = asyncio.run(go())
    assert (before.places, during, after) == (8, Load(0, 0, 5), Load(0, 0, 0))


def test_loads_add_up_unless_one_is_unlimited():
    two = [Busy(Load(8, 3, 1, 100.0)), Busy(Load(4, 4, 2, 20.0))]
    assert total_load(two) == Load(12, 7, 3, 120.0)
    assert total_load([*two, Busy(Load(0, 0, 5))]) == Load(12, 7, 8, 120.0)  # one is down
    assert total_load([*two, Busy(Load(1, 0, 0))]) == Load(13, 7, 3)  # one does not say
    assert total_load([*two, CountingEngine()]) is total_load([]) is None


def test_an_engine_that_has_not_started_has_its_places_and_all_requests_wait(tmp_path):
    async def go():
        started = asyncio.Event()

        async def start():
            await started.wait()
            return Busy(Load(32, 9, 0))

        lazy = LazyEngine(start, places=32)
        engine = Distributions(tmp_path, ModelIdentity("m", "1", "1"), lazy)
        asking = [asyncio.create_task(engine.complete(REQUEST)) for _ in range(5)]
        await asyncio.sleep(0.01)
        before = load_of(engine)
        started.set()
        await asyncio.gather(*asking)
        after = load_of(engine)
        await engine.close()
        return before, after

    assert asyncio.run(go()) == (Load(32, 0, 5), Load(32, 9, 0))


def test_a_single_server_says_its_places_and_those_that_wait_for_one():
    async def go():
        with FakeServer() as server:
            engine = OpenAiEngine(Endpoint(server.url, concurrency=2), "small")
            load = engine.load()
            await engine.close()
            return load

    assert asyncio.run(go()) == Load(2, 0, 0)
