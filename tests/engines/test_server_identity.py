"""A standing server's fingerprint is part of the executor's identity, and is asked for once."""

import asyncio
import copy
import json
from pathlib import Path

import pytest
from engine_calls import REQUEST
from engine_fakes import FakeServer

from repairstudy.config import parse_study, read_yaml
from repairstudy.config.build import engine_of, executor_of
from repairstudy.config.servers import record_path
from repairstudy.engines.factory import ask_fingerprint
from repairstudy.errors import ConfigError, DataError, WrongModel

ROOT = Path(__file__).parents[2]


def study(tmp_path, server, **model):
    content = copy.deepcopy(read_yaml(ROOT / "config/studies/tiny.yaml"))
    served = {"kind": "openai", "url": server.url, "served_name": "small"} | model
    content["models"]["careful"] = served
    content["executors"]["careful"]["prompt"] = str(ROOT / "resources/prompts/policy.txt")
    content |= {"results": str(tmp_path / "results"), "cache": str(tmp_path / "cache")}
    return parse_study(content, "test")


def record(config, server, **options):
    found = asyncio.run(ask_fingerprint(server.url, "small", **options))
    path = record_path(config, "careful")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found.to_json()))
    return found


def ask(config, tmp_path):
    async def go():
        engine = engine_of(config, "careful", tmp_path / "log")
        try:
            return await engine.complete(REQUEST)
        finally:
            await engine.close()

    return asyncio.run(go())


def test_without_a_record_there_is_no_identity(tmp_path):
    with FakeServer() as server:
        config = study(tmp_path, server)
        for use in (lambda: executor_of(config, "careful"), lambda: ask(config, tmp_path)):
            with pytest.raises(DataError, match=r"nothing is recorded.*snakemake .*careful\.json"):
                use()
        assert server.requests == []


def test_another_fingerprint_is_another_executor_and_needs_no_server(tmp_path):
    with FakeServer() as server:
        config = study(tmp_path, server)
        first = record(config, server)
        one = executor_of(config, "careful")
        server.card = {"root": "/models/other"}
        record(config, server)
    other = executor_of(config, "careful")  # the server is gone
    assert one.model.weights == first.hash
    assert one.executor_id != other.executor_id


def test_what_does_not_decide_the_answers_is_no_part_of_the_identity(tmp_path):
    with FakeServer() as server, FakeServer() as second:
        config = study(tmp_path, server)
        record(config, server)
        more = study(tmp_path, server, url=[server.url, second.url], concurrency=2, timeout=9.0)
        assert executor_of(config, "careful") == executor_of(more, "careful")
        assert ask(more, tmp_path).text == " up"


def test_a_server_that_is_not_the_recorded_one_is_never_asked(tmp_path):
    with FakeServer() as server:
        config = study(tmp_path, server)
        record(config, server)
        assert ask(config, tmp_path).text == " up"
        server.signed = {"system_fingerprint": "fp_2"}
        asked = len(server.completions())
        with pytest.raises(WrongModel, match=r"careful\.json recorded: system_fingerprint was"):
            ask(config, tmp_path)
        assert len(server.completions()) == asked


def test_a_list_of_servers_and_a_file_with_the_key_are_valid_settings(tmp_path):
    key = tmp_path / "key"
    key.write_text("sk-secret\n")
    with FakeServer(key="sk-secret") as server:
        config = study(tmp_path, server, url=[server.url], api_key_file=str(key))
        record(config, server, api_key_file=key)
        assert ask(config, tmp_path).text == " up"
        with pytest.raises(ConfigError, match=r"models\.careful\.api_key_file: give this or"):
            study(tmp_path, server, api_key_file=str(key), api_key_env="K")
    key.unlink()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(b"sk-secret" in path.read_bytes() for path in written)
