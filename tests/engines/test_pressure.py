"""How many requests are let in: fewer after a complaint, more again after good answers."""

import asyncio

import pytest
from engine_calls import ask, complete
from engine_fakes import FakeServer, Reply

from repairstudy.engines.pressure import Pressure


def test_a_complaint_halves_what_was_in_flight_and_good_answers_restore_it():
    async def go():
        pressure = Pressure(16)
        async with pressure.one() as first, pressure.one(), pressure.one(), pressure.one():
            pressure.complained(first)
            assert pressure.limit == 2.0  # 4 were inside
            pressure.complained(first)  # it left before the cut: no news
            assert pressure.limit == 2.0
            pressure.eased(first)
            assert pressure.limit == 2.0
        answers = 0
        while pressure.limit < 16:
            async with pressure.one() as entered:
                pressure.eased(entered)
            answers += 1
        return answers, pressure.limit

    answers, limit = asyncio.run(go())
    assert limit == 16
    assert answers == pytest.approx((16**2 - 2**2) / 2, rel=0.1)  # one more every `limit` answers


def test_at_least_one_is_always_let_in():
    async def go():
        pressure = Pressure(1)
        for _ in range(3):
            async with pressure.one() as entered:
                pressure.complained(entered)
        return pressure.limit

    assert asyncio.run(go()) == 1.0


def test_places_go_round_in_order_and_survive_cancellation():
    async def go():
        pressure, order = Pressure(1), []

        async def visit(name):
            async with pressure.one():
                order.append(name)
                await asyncio.sleep(0)

        visits = [asyncio.create_task(visit(name)) for name in range(6)]
        await asyncio.sleep(0)
        for name in (1, 4):
            visits[name].cancel()
        await asyncio.gather(*visits, return_exceptions=True)
        assert pressure.inside == 0
        return order

    assert asyncio.run(go()) == [0, 2, 3, 5]


def test_a_busy_server_gets_fewer_requests_and_all_are_answered():
    """It can do four at a time and says 429 to any more."""

    with FakeServer() as server:
        server.latency_s, server.most = 0.01, 4
        answers = ask(server, calls=[complete] * 120, first_wait=0.02)
        refused = server.refused
    assert len(answers) == 120
    assert 0 < refused < 60  # without back-pressure, 28 are refused for every 4 that are let in


def test_a_server_that_asks_for_a_pause_gets_one():
    with FakeServer(replies=[Reply(429, headers={"Retry-After": "0.3"})]) as server:

        async def timed(engine):
            loop = asyncio.get_running_loop()
            first = asyncio.create_task(complete(engine))
            await asyncio.sleep(0.1)  # the first has been refused by now
            begun = loop.time()
            await complete(engine)
            await first
            return loop.time() - begun

        (waited,) = ask(server, calls=[timed])
    assert waited > 0.15  # nobody else is sent there either
