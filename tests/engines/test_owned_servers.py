"""Servers of the job's own: restarted when they die or hang, several at once, none left behind.

A small program stands in for vLLM; ``test_vllm_itself.py`` has the real one.
"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from engine_processes import lives, pids_in

from repairstudy.engines.affinity import GROUP
from repairstudy.engines.owned import start_servers
from repairstudy.engines.vllm_command import VllmSettings
from repairstudy.errors import EngineError

STUB = Path(__file__).with_name("stub_server.py")


@pytest.fixture
def pids(tmp_path):
    return tmp_path / "pids"


def run(tmp_path, mode, story, **changes):
    """Start servers in that mode, let the story ask them, end them."""
    settings = VllmSettings(
        python=sys.executable, model="m", served_name="small", **{"grace": 0.5} | changes
    )
    program = (sys.executable, str(STUB), mode, "--pids", str(tmp_path / "pids"))

    async def go():
        engine = await start_servers(settings, tmp_path / "log", program)
        try:
            return await story(engine)
        finally:
            await engine.close()

    try:
        return asyncio.run(go())
    finally:
        assert not any(lives(pid) for pid in pids_in(tmp_path / "pids"))


async def ask(engine, number=1, group=""):
    GROUP.set(group)
    return [await engine.score(f"{group} {n}", [" up", " down"]) for n in range(number)]


async def ask_at_once(engine, number):
    return await asyncio.gather(*(ask(engine) for _ in range(number)))


def test_closing_it_ends_the_server(tmp_path, pids):
    async def story(engine):
        await ask(engine)
        assert lives(pids_in(pids)[0])
        await engine.close()

    run(tmp_path, "good", story)


def test_a_killed_server_is_started_anew_and_every_question_is_answered(tmp_path, pids):
    async def story(engine):
        first = await ask(engine)
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        return first, await ask_at_once(engine, 20)

    first, answers = run(tmp_path, "good", story)
    assert {scores for (scores,) in answers} == set(first)
    assert len(pids_in(pids)) == 2


def test_while_it_is_down_it_has_no_places(tmp_path, pids):
    async def story(engine):
        await ask(engine)
        up = engine.load().places
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        async with asyncio.timeout(10.0):
            while engine.load().places:
                await asyncio.sleep(0.02)
        await ask(engine)
        return up, engine.load().places

    assert run(tmp_path, "good", story, concurrency=7) == (7, 7)


@pytest.mark.parametrize("after_s", [0.0, 0.3, 1.0])
def test_closing_it_while_it_is_being_started_anew_leaves_nothing(tmp_path, pids, after_s):
    async def story(engine):
        await ask(engine)
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        asking = asyncio.create_task(ask(engine))
        await asyncio.sleep(after_s)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    run(tmp_path, "slow", story)


def test_a_server_that_ends_by_itself_again_and_again_is_given_up_with_its_log(tmp_path, pids):
    async def story(engine):
        await ask(engine, 200)

    with pytest.raises(EngineError, match=r"(?s)failed 3 times; the last: exit code 3; end of"):
        run(tmp_path, "mortal", story, restarts=2)
    assert len(pids_in(pids)) == 3


def test_a_server_that_does_not_start_again_is_given_up_too(tmp_path, pids):
    async def story(engine):
        await ask(engine)
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        await ask(engine)

    with pytest.raises(EngineError, match=r"(?s)failed 3 times; the last: .*out of memory"):
        run(tmp_path, "once", story, restarts=2)


def test_a_server_that_is_healthy_but_silent_is_ended_and_the_next_one_answers(tmp_path, pids):
    async def story(engine):
        begun = time.monotonic()
        await ask(engine, 30)  # it falls silent at the 20th
        return time.monotonic() - begun

    assert run(tmp_path, "mute", story, silence=0.4) < 10.0
    assert len(pids_in(pids)) == 2
    assert "stub: mode mute" in (tmp_path / "log").read_text()


def test_a_long_answer_is_no_silence_while_tokens_come(tmp_path, pids):
    async def story(engine):
        await ask(engine, 22)  # the last two take 1.5 s each

    run(tmp_path, "busy", story, silence=0.4)
    assert len(pids_in(pids)) == 1


def test_an_idle_server_is_left_alone(tmp_path, pids):
    async def story(engine):
        await ask(engine)
        await asyncio.sleep(0.6)
        await ask(engine)

    run(tmp_path, "mute", story, silence=0.2)
    assert len(pids_in(pids)) == 1


def test_several_servers_get_gpus_of_their_own_and_share_the_groups(tmp_path, pids, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")

    async def ask_all(engine):
        await asyncio.gather(*(ask(engine, 3, group=f"game {number}") for number in range(12)))

    async def story(engine):
        await ask_all(engine)
        asked = [m.engine._server.engine.client.answered for m in engine._members]
        os.kill(pids_in(pids)[0], signal.SIGKILL)
        async with asyncio.timeout(60.0):
            while len(pids_in(pids)) < 3:  # whoever asks a dead server has it started anew
                await ask_all(engine)
        return asked

    asked = run(tmp_path, "good", story, device="gpu", servers=2)
    assert min(asked) > 5
    logs = [(tmp_path / name).read_text() for name in ("log", "log.1")]
    assert ["gpus '2'" in logs[0], "gpus '5'" in logs[1]] == [True, True]


def test_if_one_of_several_does_not_start_none_is_left(tmp_path, pids, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")

    async def story(engine):
        raise AssertionError("it must not start")

    with pytest.raises(EngineError, match="out of memory"):
        run(tmp_path, "half", story, device="gpu", servers=2)
