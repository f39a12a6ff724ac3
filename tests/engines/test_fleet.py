"""Several servers as one: the work is shared, and goes on when one of them does not."""

import asyncio
import threading

import pytest
from engine_calls import ask, complete
from engine_fakes import CountingEngine, FakeServer, Reply

from repairstudy.engines import Request
from repairstudy.engines.affinity import GROUP
from repairstudy.engines.fleet import Fleet, Patience
from repairstudy.engines.trouble import Gone, Passing
from repairstudy.errors import ConfigError, EngineError, WrongModel

QUICK = Patience(seconds=5.0, first_wait=0.01, longest_wait=0.05)


def test_each_request_goes_where_fewest_are_under_way():
    engines = [CountingEngine(wait_s=0.3), CountingEngine(wait_s=0.01)]

    async def go():
        fleet = Fleet([("slow", engines[0]), ("fast", engines[1])], QUICK)
        turns = asyncio.Semaphore(4)

        async def one(number):
            async with turns:
                await fleet.score(str(number), [" up", " down"])

        await asyncio.gather(*(one(number) for number in range(60)))

    asyncio.run(go())
    slow, fast = (len(engine.prompts) for engine in engines)
    assert slow + fast == 60
    assert fast > 1.5 * slow
    assert max(engine.most_at_once for engine in engines) <= 3


def test_requests_of_a_group_share_a_server_and_groups_are_spread():
    engines = {name: CountingEngine() for name in ("a", "b", "c")}

    async def go():
        fleet = Fleet(list(engines.items()), QUICK, sticky=True)

        async def episode(group):
            GROUP.set(group)
            for step in range(4):
                await fleet.score(f"{group}/{step}", [" up", " down"])

        await asyncio.gather(*(episode(f"game {number}") for number in range(30)))

    asyncio.run(go())
    homes = {}
    for name, engine in engines.items():
        for prompt in engine.prompts:
            homes.setdefault(prompt.split("/")[0], set()).add(name)
    assert all(len(home) == 1 for home in homes.values())
    assert {name for home in homes.values() for name in home} == set(engines)


def test_a_group_far_larger_than_all_others_is_helped():
    engines = [CountingEngine(wait_s=0.01), CountingEngine(wait_s=0.01)]

    async def go():
        fleet = Fleet([("a", engines[0]), ("b", engines[1])], QUICK, sticky=True)
        GROUP.set("the only game")
        await asyncio.gather(*(fleet.score(str(n), [" up", " down"]) for n in range(200)))

    asyncio.run(go())
    assert min(len(engine.prompts) for engine in engines) > 50


def test_a_full_server_is_helped_while_another_has_places_to_spare():
    """All come at once, of one game, and no answer comes meanwhile."""

    def split(number):
        engines = [CountingEngine(wait_s=0.05), CountingEngine(wait_s=0.05)]

        async def go():
            members = [("a", engines[0]), ("b", engines[1])]
            fleet = Fleet(members, QUICK, sticky=True, places=16)
            GROUP.set("the only game")
            await asyncio.gather(*(fleet.score(str(n), [" up", " down"]) for n in range(number)))

        asyncio.run(go())
        return sorted(len(engine.prompts) for engine in engines)

    assert split(16) == [0, 16]
    assert split(20) == [4, 16]
    assert split(30) == [14, 16]
    assert split(40) == [14, 26]  # an eighth of its places may stay free


def test_one_server_dies_and_the_others_go_on_and_it_comes_back():
    with FakeServer() as steady, FakeServer() as mortal:
        for server in (steady, mortal):
            server.latency_s = 0.002

        async def many(engine, number=60):
            return await asyncio.gather(*(complete(engine) for _ in range(number)))

        async def story(engine):
            answers = await many(engine)
            threading.Timer(0.02, mortal.stop).start()
            answers += await many(engine, 200)
            alone = len(steady.completions())
            with FakeServer(port=mortal.port) as risen:
                while not risen.completions():
                    answers += await many(engine, 10)
                    await asyncio.sleep(0.01)
            return answers, alone

        ((answers, alone),) = ask(steady, mortal, calls=[story], longest_wait=0.1)
    assert {answer.text for answer in answers} == {" up"}
    assert alone > 60


def test_a_request_that_one_server_fails_is_answered_by_another_at_once():
    with FakeServer(replies=[Reply(500)] * 99) as broken, FakeServer() as whole:
        answers = ask(broken, whole, calls=[complete] * 10, first_wait=30.0)
        assert len(answers) == 10
        assert len(whole.completions()) == 10


@pytest.mark.parametrize("error", [WrongModel("other weights"), ConfigError("two tokens")])
def test_what_no_server_can_mend_ends_the_request_at_once(error):
    engines = [CountingEngine(failures=[error]), CountingEngine()]
    fleet = Fleet([("a", engines[0]), ("b", engines[1])], QUICK)
    with pytest.raises(type(error), match=str(error)):
        asyncio.run(fleet.score("Go", [" up"]))
    assert engines[1].prompts == []


def test_a_server_that_is_gone_for_good_is_left_out_and_the_last_one_ends_the_run():
    gone = [Gone("failed 4 times; the last: out of memory")]
    engines = [CountingEngine(failures=list(gone)), CountingEngine()]

    async def go():
        fleet = Fleet([("a", engines[0]), ("b", engines[1])], QUICK)
        for number in range(6):
            await fleet.score(str(number), [" up"])
        assert len(engines[0].prompts) == 1
        engines[1].failures = list(gone)
        for _ in range(2):
            with pytest.raises(EngineError, match="failed 4 times; the last: out of memory"):
                await fleet.score("more", [" up"])

    asyncio.run(go())


def test_servers_that_stay_away_are_an_error_when_patience_ends():
    away = Passing("http://a: connection refused", away=True)
    engines = [CountingEngine(failures=[away] * 999) for _ in range(2)]
    fleet = Fleet([("a", engines[0]), ("b", engines[1])], Patience(0.3, first_wait=0.02))

    async def go():
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with pytest.raises(EngineError, match=r"connection refused \(try \d+, after"):
            await fleet.score("Go", [" up"])
        return loop.time() - begun

    assert asyncio.run(go()) < 1.0
    assert 2 <= len(engines[0].prompts) <= 8  # left alone for longer each time


def test_waiting_is_seeded_and_grows():
    patience = Patience(first_wait=1.0, longest_wait=8.0)
    waits = [patience.wait(tries, "prompt", 5) for tries in (1, 2, 3, 4, 5, 99)]
    assert waits == [patience.wait(tries, "prompt", 5) for tries in (1, 2, 3, 4, 5, 99)]
    assert waits != [patience.wait(tries, "prompt", 6) for tries in (1, 2, 3, 4, 5, 99)]
    for wait, middle in zip(waits, (1, 2, 4, 8, 8, 8), strict=True):
        assert 0.5 * middle <= wait < 1.5 * middle


def test_closing_closes_all_even_if_one_cannot():
    class Stuck(CountingEngine):
        async def close(self):
            raise EngineError("it hangs")

    engines = [Stuck(), CountingEngine()]
    fleet = Fleet([("a", engines[0]), ("b", engines[1])], QUICK)
    with pytest.raises(EngineError, match="it hangs"):
        asyncio.run(fleet.close())
    assert engines[1].closed


def test_completions_go_the_same_way():
    fleet = Fleet([("a", CountingEngine(failures=[]))], QUICK)
    request = Request("go", 1.0, 1.0, 0, 1, 0)
    assert asyncio.run(fleet.complete(request)).text == "GO"
