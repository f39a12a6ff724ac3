"""The HTTP engine against a server that answers well, badly, or not at all."""

import asyncio
import email.utils
import logging
import time

import pytest
from engine_fakes import FakeServer, Reply

from repairstudy.engines import Request
from repairstudy.engines.http import Endpoint, key_from_environment
from repairstudy.engines.openai import OpenAiEngine
from repairstudy.errors import ConfigError, EngineError, WrongModel

REQUEST = Request("Go", 0.7, 0.95, 0, 4, seed=5, stop=("\n",))
MOVES = (" up", " down", " left")


def ask(server, calls, *, model="small", key=None, died=lambda: None, chat=False, **patience):
    """Do the calls, each a function of the engine, at once; their results."""
    endpoint = Endpoint(server.url, **{"first_wait": 0.01, "attempts": 4} | patience)

    async def run():
        engine = OpenAiEngine(endpoint, model, key=key, died=died, chat=chat)
        try:
            return await asyncio.gather(*(call(engine) for call in calls))
        finally:
            await engine.close()

    return asyncio.run(run())


def complete(engine):
    return engine.complete(REQUEST)


def test_every_sampling_parameter_is_sent():
    with FakeServer() as server:
        (completion,) = ask(server, [complete])
        (body,) = server.completions()
    assert body == {
        "model": "small",
        "prompt": "Go",
        "max_tokens": 4,
        "temperature": 0.7,
        "top_p": 0.95,
        "top_k": 0,
        "min_p": 0.0,
        "seed": 5,
        "stop": ["\n"],
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
    }
    assert (completion.text, completion.finish_reason) == (" up", "length")
    assert (completion.tokens_in, completion.tokens_out) == (7, 1)


def test_a_choice_is_drawn_among_its_tokens():
    with FakeServer() as server:
        request = Request("Go", 0.7, 0.95, 0, 1, seed=5, choices=MOVES)
        (completion,) = ask(server, [lambda e: e.complete(request)])
        assert server.completions()[0]["allowed_token_ids"] == server.tokenize("".join(MOVES))
    assert completion.text == " left"


def test_scores_are_those_of_the_choices_tokens():
    with FakeServer() as server:
        (scores,) = ask(server, [lambda e: e.score("Go", MOVES)])
        tokens = server.tokenize("".join(MOVES))
        (body,) = server.completions()
    assert body["logprob_token_ids"] == tokens
    assert (body["logprobs"], body["max_tokens"]) == (3, 1)
    assert scores.logprobs == tuple(-1.0 - token for token in tokens)
    assert scores.tokens_in == 7


def test_more_choices_than_a_server_scores_at_once():
    words = tuple(f" w{i}" for i in range(45))
    with FakeServer() as server:
        (scores,) = ask(server, [lambda e: e.score("Go", words)])
        assert scores.logprobs == tuple(-1.0 - token for token in server.tokenize("".join(words)))
        assert [body["logprobs"] for body in server.completions()] == [20, 20, 5]


def test_tokens_are_asked_once():
    with FakeServer() as server:
        ask(server, [lambda e, p=p: e.score(f"Go {p}\nMove to:", MOVES) for p in range(10)])
        asked = [path for path, _, _ in server.requests if path == "/tokenize"]
    assert len(asked) == 1 + 2 * len(MOVES)  # the choice alone, the end of the prompt, and both


@pytest.mark.parametrize(
    ("prompt", "choice", "problem"),
    [
        ("Go", " go north", "is 2 tokens .*mode: text"),
        ("Go up", "ward", "no token of its own after"),
    ],
)
def test_a_choice_that_is_no_single_token_is_refused(prompt, choice, problem):
    with FakeServer() as server, pytest.raises(ConfigError, match=problem):
        ask(server, [lambda e: e.score(prompt, (choice,))])


def test_a_tokenizer_that_does_not_know_a_choice_is_noticed():
    with FakeServer() as server:
        server.tokenize = lambda text: [0] * len(text.split())  # all words unknown
        server.vocabulary = {"<unk>": 0}
        with pytest.raises(ConfigError, match=r"' up': the tokenizer .* reads it as '<unk>'"):
            ask(server, [lambda e: e.score("Go", MOVES)])


def test_a_server_without_vllms_additions_completes_but_does_not_score():
    with FakeServer(vllm=False) as server:
        assert ask(server, [complete])[0].text == " up"
        assert set(server.completions()[0]) == {
            *("model", "prompt", "max_tokens", "temperature", "top_p", "seed", "stop")
        }
        with pytest.raises(ConfigError, match=r"use decoding\.mode: text"):
            ask(server, [lambda e: e.score("Go", MOVES)])
        with pytest.raises(ConfigError, match="top_k"):
            ask(server, [lambda e: e.complete(Request("Go", 1.0, 1.0, 5, 1, 0))])


def test_a_chat_route_gets_a_users_message_and_its_thoughts_are_left_out():
    with FakeServer(vllm=False) as server:
        (completion,) = ask(server, [complete], chat=True)
        path, _, body = server.requests[-1]
        with pytest.raises(ConfigError, match=r"chat routes score no choices"):
            ask(server, [lambda e: e.score("Go", MOVES)], chat=True)
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": "Go"}]
    assert "prompt" not in body
    assert body["seed"] == REQUEST.seed
    assert (completion.text, completion.tokens_out) == (" up", 6)


def test_the_wrong_model_is_noticed_before_anything_is_asked():
    with FakeServer(models=("large", "huge")) as server:
        with pytest.raises(WrongModel, match=r"expected model 'small', .* offers 'large', 'huge'"):
            ask(server, [complete])
        assert server.completions() == []


BAD = [
    Reply(500, b"oops"),
    Reply(503),
    Reply(408),
    Reply(409),
    Reply(429),
    Reply(0),
    Reply(200, b'{"choices": [{"te'),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda reply: f"{reply.status}-{len(reply.body)}")
def test_passing_trouble_is_outlived(bad):
    with FakeServer(replies=[bad, bad]) as server:
        assert ask(server, [complete])[0].text == " up"
        assert len(server.completions()) == 3


def test_lasting_trouble_ends_in_a_clear_error():
    with FakeServer(replies=[Reply(500, b'{"error": {"message": "no memory"}}')] * 9) as server:
        with pytest.raises(EngineError, match=r"status 500: no memory \(attempt 4 of 4"):
            ask(server, [complete])
        assert len(server.completions()) == 4


def test_a_request_that_is_wrong_is_not_repeated():
    with FakeServer(replies=[Reply(400, b'{"message": "prompt too long"}')] * 9) as server:
        with pytest.raises(EngineError, match="status 400: prompt too long"):
            ask(server, [complete])
        assert len(server.completions()) == 1


def test_no_answer_in_time():
    silent = FakeServer(replies=[Reply(wait_s=1.0)] * 2)
    with silent, pytest.raises(EngineError, match=r"no answer in time .* 2 of 2"):
        ask(silent, [complete], timeout=0.1, attempts=2)


def test_a_server_that_has_ended_is_not_waited_for():
    with FakeServer(replies=[Reply(500)] * 9) as server:
        with pytest.raises(EngineError, match="has ended: exit code 1"):
            ask(server, [complete], died=lambda: "exit code 1")
        assert len(server.completions()) == 1


def seconds_to_answer(retry_after, **patience):
    with FakeServer(replies=[Reply(429, headers={"Retry-After": retry_after})]) as server:
        begun = time.monotonic()
        ask(server, [complete], **patience)
        return time.monotonic() - begun


def test_the_server_says_how_long_to_wait():
    assert 0.4 <= seconds_to_answer("0.4") < 1.5
    assert seconds_to_answer("0") < 0.4
    assert seconds_to_answer("soon") < 0.4
    in_two = email.utils.formatdate(time.time() + 2, usegmt=True)
    assert 0.8 < seconds_to_answer(in_two) < 3.0


def test_a_longer_wait_than_we_have_patience_for_is_an_error_at_once():
    with pytest.raises(EngineError, match="asks to wait 3600 s"):
        seconds_to_answer("3600", patience=5.0)


def test_requests_in_flight_are_bounded():
    with FakeServer() as server:
        server.latency_s = 0.02
        ask(server, [complete] * 20, concurrency=3)
        assert server.most_at_once == 3


def test_an_answer_without_its_fields_is_an_engine_error():
    for body in (
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"text": "a", "finish_reason": "abort"}]}',
    ):
        with FakeServer(replies=[Reply(200, body)]) as server, pytest.raises(EngineError):
            ask(server, [complete])


def test_the_key_is_sent_and_never_shown(caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    secret = "sk-very-secret"
    echo = Reply(400, f'{{"message": "bad key {secret}"}}'.encode())
    monkeypatch.setenv("MY_KEY", secret)
    with FakeServer(key=secret) as server:
        key = key_from_environment("MY_KEY")
        assert ask(server, [complete], key=key)[0].text == " up"
        server.replies = [echo]
        with pytest.raises(EngineError, match=r"bad key \*\*\*") as echoed:
            ask(server, [complete], key=key)
        with pytest.raises(EngineError, match=r"401.*api_key_env") as refused:
            ask(server, [complete], key="wrong-secret")
    shown = f"{echoed.value!r} {refused.value!r} {caplog.text}"
    assert secret not in shown
    assert "wrong-secret" not in shown


def test_a_key_comes_from_the_environment_alone():
    assert key_from_environment(None) is None
    with pytest.raises(ConfigError, match="variable SURELY_UNSET is not set"):
        key_from_environment("SURELY_UNSET")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://"])
def test_odd_urls_are_refused(url):
    with pytest.raises(ConfigError, match="url"):
        Endpoint(url)


def test_a_password_in_a_url_is_refused_and_not_shown():
    with pytest.raises(ConfigError) as refused:
        Endpoint("http://me:hidden@host/v1")
    assert "hidden" not in str(refused.value)


def test_the_fingerprint_tells_models_apart_and_survives_a_restart():
    prints = []
    for models, name in ((("a",), "a"), (("a",), "a"), (("b",), "b")):
        with FakeServer(models=models) as server:
            prints += ask(server, [lambda e: e.fingerprint()], model=name)
    assert prints[0] == prints[1] != prints[2]
