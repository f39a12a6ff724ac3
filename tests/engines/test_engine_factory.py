"""Engines from plain settings, started late, and told apart by their weights."""

import asyncio
import json

import pytest
from engine_fakes import CountingEngine, FakeServer

from repairstudy.engines import Request
from repairstudy.engines.checkpoint import checkpoint_fingerprint
from repairstudy.engines.factory import open_engine
from repairstudy.engines.lazy import LazyEngine
from repairstudy.errors import ConfigError, DataError, EngineError


def lazy(started, error=None):
    async def start():
        started.append(1)
        await asyncio.sleep(0.01)
        if error:
            raise error
        return CountingEngine()

    return LazyEngine(start)


def test_nothing_starts_before_it_is_asked():
    started = []
    asyncio.run(lazy(started).close())
    assert started == []


def test_many_askers_start_it_once():
    started = []

    async def go():
        engine = lazy(started)
        await asyncio.gather(*(engine.score("a", [" up"]) for _ in range(20)))
        await engine.complete(Request("a", 1.0, 1.0, 0, 1, 0))
        inner = engine._engine
        await engine.close()
        return inner.closed

    assert asyncio.run(go())
    assert started == [1]


def test_a_start_goes_on_when_the_one_who_asked_gives_up():
    started = []

    async def go():
        engine = lazy(started)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await engine.score("a", [" up"])
        await engine.score("a", [" up"])

    asyncio.run(go())
    assert started == [1]


def test_a_failed_start_is_not_repeated():
    started = []

    async def go():
        engine = lazy(started, EngineError("no memory"))
        return await asyncio.gather(
            *(engine.score("a", [" up"]) for _ in range(5)), return_exceptions=True
        )

    assert {str(error) for error in asyncio.run(go())} == {"no memory"}
    assert started == [1]


def test_a_standing_server():
    async def go(url):
        engine = open_engine("openai", url=url, served_name="small")
        try:
            return await engine.complete(Request("a", 1.0, 1.0, 0, 1, 0))
        finally:
            await engine.close()

    with FakeServer() as server:
        assert asyncio.run(go(server.url)).text == " up"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"kind": "openai", "served_name": "a"}, "url: required by kind 'openai'"),
        ({"kind": "openai", "url": "http://a/v1"}, "served_name: required"),
        ({"kind": "vllm"}, "path: required by kind 'vllm'"),
        ({"kind": "llama"}, "accepted: vllm, transformers, openai"),
    ],
)
def test_missing_settings_are_named(settings, problem):
    with pytest.raises(ConfigError, match=problem):
        open_engine(**settings)


def test_a_missing_interpreter_is_a_clear_error(tmp_path):
    engine = open_engine("vllm", path="m", python="no/such/python", log=tmp_path / "log")
    with pytest.raises(ConfigError, match="no interpreter 'no/such/python'"):
        asyncio.run(engine.score("a", [" up"]))


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"layers": 2, "transformers_version": "5.1"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "README.md").write_text("a model")
    return folder


def test_the_fingerprint_is_pinned(checkpoint):
    """It is part of executor ids, which name cached rollouts."""
    assert checkpoint_fingerprint(checkpoint) == "51e21f0eb602939932e0ef2a6babfee9"


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_what_decides_the_answers_changes_the_fingerprint(checkpoint, name):
    before = checkpoint_fingerprint(checkpoint)
    (checkpoint / name).write_text('{"layers": 3}')
    assert checkpoint_fingerprint(checkpoint) != before


def test_what_does_not_decide_them_does_not(checkpoint):
    before = checkpoint_fingerprint(checkpoint)
    (checkpoint / "README.md").write_text("changed")
    config = json.loads((checkpoint / "config.json").read_text())
    rewritten = json.dumps(config | {"transformers_version": "5.2"}, indent=2)
    (checkpoint / "config.json").write_text(rewritten)
    assert checkpoint_fingerprint(str(checkpoint)) == before


def test_a_missing_checkpoint_says_how_to_make_it(tmp_path, checkpoint):
    with pytest.raises(DataError, match=r"is no folder.*prepare_smollm2.py --output"):
        checkpoint_fingerprint(tmp_path / "smollm2-135m-instruct")
    with pytest.raises(DataError, match=r"train_policy\.py"):
        checkpoint_fingerprint(tmp_path / "policy-weak")
    (checkpoint / "model.safetensors").unlink()
    with pytest.raises(DataError, match="holds no complete checkpoint"):
        checkpoint_fingerprint(checkpoint)


def test_a_hub_name_stands_for_itself():
    assert checkpoint_fingerprint("Qwen/Qwen2.5-7B-Instruct") == "hub:Qwen/Qwen2.5-7B-Instruct"
