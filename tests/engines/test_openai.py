"""The HTTP engine against a server that answers well, badly, or not at all."""

import email.utils
import logging
import time

import pytest
from engine_calls import MOVES, REQUEST, ask, complete
from engine_fakes import FakeServer, Reply

from repairstudy.engines import Request
from repairstudy.engines.endpoint import Endpoint, read_key
from repairstudy.errors import ConfigError, EngineError, WrongModel


def test_every_sampling_parameter_is_sent():
    with FakeServer() as server:
        (completion,) = ask(server, calls=[complete])
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
        (completion,) = ask(server, calls=[lambda e: e.complete(request)])
        assert server.completions()[0]["allowed_token_ids"] == server.tokenize("".join(MOVES))
    assert completion.text == " left"


def test_scores_are_those_of_the_choices_tokens():
    with FakeServer() as server:
        (scores,) = ask(server, calls=[lambda e: e.score("Go", MOVES)])
        tokens = server.tokenize("".join(MOVES))
        (body,) = server.completions()
    assert body["logprob_token_ids"] == tokens
    assert (body["logprobs"], body["max_tokens"]) == (3, 1)
    assert scores.logprobs == tuple(-1.0 - token for token in tokens)
    assert scores.tokens_in == 7


def test_more_choices_than_a_server_scores_at_once():
    words = tuple(f" w{i}" for i in range(45))
    with FakeServer() as server:
        (scores,) = ask(server, calls=[lambda e: e.score("Go", words)])
        assert scores.logprobs == tuple(-1.0 - token for token in server.tokenize("".join(words)))
        assert [body["logprobs"] for body in server.completions()] == [20, 20, 5]


def test_tokens_are_asked_once():
    with FakeServer() as server:
        ask(server, calls=[lambda e, p=p: e.score(f"Go {p}\nMove to:", MOVES) for p in range(10)])
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
        ask(server, calls=[lambda e: e.score(prompt, (choice,))])


def test_a_tokenizer_that_does_not_know_a_choice_is_noticed():
    with FakeServer() as server:
        server.tokenize = lambda text: [0] * len(text.split())  # all words unknown
        server.vocabulary = {"<unk>": 0}
        with pytest.raises(ConfigError, match=r"' up': the tokenizer .* reads it as '<unk>'"):
            ask(server, calls=[lambda e: e.score("Go", MOVES)])


def test_a_server_without_vllms_additions_completes_but_does_not_score():
    with FakeServer(vllm=False) as server:
        assert ask(server, calls=[complete])[0].text == " up"
        assert set(server.completions()[0]) == {
            *("model", "prompt", "max_tokens", "temperature", "top_p", "seed", "stop")
        }
        with pytest.raises(ConfigError, match=r"use decoding\.mode: text"):
            ask(server, calls=[lambda e: e.score("Go", MOVES)])
        with pytest.raises(ConfigError, match="top_k"):
            ask(server, calls=[lambda e: e.complete(Request("Go", 1.0, 1.0, 5, 1, 0))])


def test_a_chat_route_gets_a_users_message_and_its_thoughts_are_left_out():
    with FakeServer(vllm=False) as server:
        (completion,) = ask(server, calls=[complete], chat=True)
        path, _, body = server.requests[-1]
        with pytest.raises(ConfigError, match=r"chat routes score no choices"):
            ask(server, calls=[lambda e: e.score("Go", MOVES)], chat=True)
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": "Go"}]
    assert "prompt" not in body
    assert body["seed"] == REQUEST.seed
    assert (completion.text, completion.tokens_out) == (" up", 6)


def test_the_wrong_model_is_noticed_before_anything_is_asked():
    with FakeServer(models=("large", "huge")) as server:
        with pytest.raises(WrongModel, match=r"expected model 'small', .* offers 'large', 'huge'"):
            ask(server, calls=[complete])
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
        assert ask(server, calls=[complete])[0].text == " up"
        assert len(server.completions()) == 3


def test_lasting_trouble_ends_in_a_clear_error():
    with FakeServer(replies=[Reply(500, b'{"error": {"message": "no memory"}}')] * 9) as server:
        with pytest.raises(EngineError, match=r"status 500: no memory \(try 4, after"):
            ask(server, calls=[complete])
        assert len(server.completions()) == 4


def test_a_request_that_is_wrong_is_not_repeated():
    with FakeServer(replies=[Reply(400, b'{"message": "prompt too long"}')] * 9) as server:
        with pytest.raises(EngineError, match="status 400: prompt too long"):
            ask(server, calls=[complete])
        assert len(server.completions()) == 1


def test_no_answer_in_time():
    silent = FakeServer(replies=[Reply(wait_s=1.0)] * 9)
    with silent, pytest.raises(EngineError, match=r"no answer in time \(0.1 s\) \(try [23]"):
        ask(silent, calls=[complete], timeout=0.1, seconds=0.25)


def seconds_to_answer(retry_after, **patience):
    with FakeServer(replies=[Reply(429, headers={"Retry-After": retry_after})]) as server:
        begun = time.monotonic()
        ask(server, calls=[complete], **patience)
        return time.monotonic() - begun


def test_the_server_says_how_long_to_wait():
    assert 0.4 <= seconds_to_answer("0.4") < 1.5
    assert seconds_to_answer("0") < 0.4
    assert seconds_to_answer("soon") < 0.4
    in_two = email.utils.formatdate(time.time() + 2, usegmt=True)
    assert 0.8 < seconds_to_answer(in_two) < 3.0


def test_a_longer_wait_than_we_have_patience_for_is_an_error_at_once():
    with pytest.raises(EngineError, match="asks to wait 3600 s"):
        seconds_to_answer("3600", seconds=5.0)


def test_requests_in_flight_are_bounded():
    with FakeServer() as server:
        server.latency_s = 0.02
        ask(server, calls=[complete] * 20, concurrency=3)
        assert server.most_at_once == 3


UNFINISHED = b'{"choices": [{"text": "a", "finish_reason": "abort"}]}'
NOTHING = b"""{"choices": [{"text": "", "finish_reason": "stop"}],
    "usage": {"completion_tokens": 0}}"""


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"choices": []}', UNFINISHED, NOTHING])
def test_an_answer_that_says_nothing_is_asked_for_again_and_then_an_error(body):
    with FakeServer(replies=[Reply(200, body)]) as server:
        assert ask(server, calls=[complete])[0].text == " up"
        server.replies = [Reply(200, body)] * 4
        with pytest.raises(EngineError, match="try 4"):
            ask(server, calls=[complete])


def test_an_empty_text_is_an_answer_if_it_cost_a_token():
    body = NOTHING.replace(b"0}}", b"1}}")
    with FakeServer(replies=[Reply(200, body)]) as server:
        assert ask(server, calls=[complete])[0].text == ""


def test_the_key_is_sent_and_never_shown(caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    secret = "sk-very-secret"
    echo = Reply(400, f'{{"message": "bad key {secret}"}}'.encode())
    monkeypatch.setenv("MY_KEY", secret)
    with FakeServer(key=secret) as server:
        key = read_key("MY_KEY")
        assert ask(server, calls=[complete], key=key)[0].text == " up"
        server.replies = [echo]
        with pytest.raises(EngineError, match=r"bad key \*\*\*") as echoed:
            ask(server, calls=[complete], key=key)
        with pytest.raises(EngineError, match=r"401.*api_key_env") as refused:
            ask(server, calls=[complete], key="wrong-secret")
    shown = f"{echoed.value!r} {refused.value!r} {caplog.text}"
    assert secret not in shown
    assert "wrong-secret" not in shown


def test_a_key_comes_from_the_environment_or_a_file_alone(tmp_path, monkeypatch):
    assert read_key() is None
    with pytest.raises(ConfigError, match="variable SURELY_UNSET is not set"):
        read_key("SURELY_UNSET")
    file = tmp_path / "key"
    file.write_text("sk-secret\n")
    assert read_key(file=file) == "sk-secret"
    monkeypatch.setenv("MY_KEY", "sk-other")
    with pytest.raises(ConfigError, match="not both"):
        read_key("MY_KEY", file)
    for content, problem in ((b"", "no key"), (b"two words", "no key"), (b"\xff", "is no text")):
        file.write_bytes(content)
        with pytest.raises(ConfigError, match=problem) as refused:
            read_key(file=file)
        assert "two" not in str(refused.value)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_key(file=tmp_path / "none")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://"])
def test_odd_urls_are_refused(url):
    with pytest.raises(ConfigError, match="url"):
        Endpoint(url)


@pytest.mark.parametrize("url", ["http://me:hidden@host/v1", "http://host/v1?key=hidden"])
def test_a_secret_in_a_url_is_refused_and_not_shown(url):
    with pytest.raises(ConfigError, match="api_key_env or api_key_file") as refused:
        Endpoint(url)
    assert "hidden" not in str(refused.value)
