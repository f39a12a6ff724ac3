"""Which model is behind a server: told before the first answer, and again after a reconnect."""

import asyncio

import engine_fakes
import pytest
from engine_calls import REQUEST, ask, complete
from engine_fakes import FakeServer

from repairstudy.engines.factory import ask_fingerprint
from repairstudy.engines.fingerprint import Fingerprint, Reference
from repairstudy.engines.openai import PROBE
from repairstudy.errors import WrongModel


def test_the_fake_server_knows_who_only_looks_who_is_there():
    assert engine_fakes.PROBE == PROBE


def fingerprint(server, **options):
    return asyncio.run(ask_fingerprint(server.url, "small", **options))


@pytest.mark.parametrize(
    ("card", "signed"),
    [
        ({"root": "/models/other"}, {}),
        ({"max_model_len": 2048}, {}),
        ({"meta": {"n_params": 135}}, {}),
        ({}, {"system_fingerprint": "fp_2"}),
        ({}, {"model": "small-2026"}),
    ],
)
def test_it_tells_models_apart_and_survives_a_restart(card, signed):
    with FakeServer() as server:
        first = fingerprint(server)
        server.card = {"created": 5, "permission": ["all"]}
        assert fingerprint(server).hash == first.hash
        assert first.difference(fingerprint(server)) is None
        server.card, server.signed = card, signed
        other = fingerprint(server)
    assert other.hash != first.hash
    assert first.difference(other) is not None
    assert Fingerprint.from_json(other.to_json()) == other


def test_weights_that_answer_otherwise_are_told_by_their_likeliest_tokens():
    with FakeServer() as server:
        first = fingerprint(server)
        server.probe_tokens = {" up": -0.12, " left": -3.4}  # as far as batches and GPUs differ
        assert first.difference(fingerprint(server)) is None
        server.probe_tokens = {" down": -0.1, " left": -3.0}
        assert "was 0.05 and is 0.90" in first.difference(fingerprint(server))
        server.probe_tokens = {" right": -0.1, " left": -3.0}
        assert "likeliest first tokens" in first.difference(fingerprint(server))
        assert fingerprint(server).hash == first.hash


def test_an_edited_record_is_refused():
    with FakeServer() as server:
        record = fingerprint(server).to_json()
    with pytest.raises(ValueError, match="its hash is"):
        Fingerprint.from_json(record | {"system_fingerprint": "fp_9"})


def test_servers_of_one_model_must_agree():
    with FakeServer() as one, FakeServer() as two:
        two.card = {"root": "/models/other"}
        with pytest.raises(WrongModel, match="root was None and is '/models/other'"):
            asyncio.run(ask_fingerprint([one.url, two.url], "small"))
        with pytest.raises(WrongModel):
            ask(one, two, calls=[complete] * 8)
        two.card = {}
        before = len(one.completions()), len(two.completions())
        assert [answer.text for answer in ask(one, two, calls=[complete] * 8)] == [" up"] * 8
        assert len(one.completions()) - before[0] == 4
        assert len(two.completions()) - before[1] == 4


def test_a_provider_may_change_what_is_behind_a_name_if_the_study_says_so():
    with FakeServer() as server:
        server.signed = {"system_fingerprint": "fp_1"}
        by_name = fingerprint(server, strict=False)
        server.signed = {"system_fingerprint": "fp_2"}
        assert fingerprint(server, strict=False).hash == by_name.hash
        Reference(by_name, "record", strict=False).check(server.url, fingerprint(server))
        with pytest.raises(WrongModel, match="than record recorded"):
            Reference(by_name, "record").check(server.url, fingerprint(server))


def test_the_wrong_model_is_noticed_before_anything_is_asked():
    with FakeServer() as server:
        recorded = fingerprint(server)
        server.card = {"root": "/models/other"}

        async def go():
            from repairstudy.engines.factory import open_engine

            reference = Reference(recorded, "results/s/servers/m.json")
            engine = open_engine("openai", url=server.url, served_name="small", reference=reference)
            try:
                await engine.complete(REQUEST)
            finally:
                await engine.close()

        with pytest.raises(WrongModel, match=r"than results/s/servers/m\.json recorded: root"):
            asyncio.run(go())
        assert server.completions() == []


def test_an_answer_that_names_another_model_is_not_believed():
    with FakeServer() as server:
        server.signed = {"model": "small"}

        async def changed(engine):
            await engine.complete(REQUEST)
            server.signed = {"model": "large"}
            await engine.complete(REQUEST)

        with pytest.raises(WrongModel, match="model was 'small' and is 'large'"):
            ask(server, calls=[changed])


@pytest.mark.parametrize(
    "change",
    [
        {"card": {"root": "/models/other"}},
        {"signed": {"system_fingerprint": "fp_2"}},
        {"probe_tokens": {" left": -0.1}},
        {"models": ("large",)},
    ],
)
def test_a_server_that_came_back_as_another_is_noticed_before_its_answer_counts(change):
    """The old server dies between two requests; the new one has the same address."""
    with FakeServer() as old:

        async def across_the_restart(engine):
            await engine.complete(REQUEST)
            old.stop()
            with FakeServer(port=old.port) as new:
                for name, value in change.items():
                    setattr(new, name, value)
                with pytest.raises(WrongModel):
                    await engine.complete(REQUEST)
                with pytest.raises(WrongModel):  # and so it stays
                    await engine.complete(REQUEST)

        ask(old, calls=[across_the_restart])


def test_the_same_server_may_come_back():
    with FakeServer() as old:

        async def across_the_restart(engine):
            await engine.complete(REQUEST)
            old.stop()
            with FakeServer(port=old.port):
                return await engine.complete(REQUEST)

        assert ask(old, calls=[across_the_restart])[0].text == " up"
