"""What a reasoning model thinks is no part of its answer, and is counted."""

import json

import pytest
from engine_calls import ask, complete
from engine_fakes import FakeServer, Reply
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.engines.thoughts import split_thoughts


def answer_to(text, **usage):
    body = {"choices": [{"text": text, "finish_reason": "stop"}], "usage": usage}
    with FakeServer(replies=[Reply(body=json.dumps(body).encode())]) as server:
        return ask(server, calls=[complete])[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" up", " up"),
        ("<think>down is a wall</think>\n\nup", "up"),
        ("down is a wall</think> up", " up"),  # the prompt ended in the opening tag
        ("<think>down is a", ""),  # the tokens ended before the answer
        ("a <think>b</think> c <think>d</think> e", "a  c  e"),
        ("say what you think> up", "say what you think> up"),
    ],
)
def test_thoughts_are_taken_out_of_a_text_and_counted(text, said):
    completion = answer_to(text, prompt_tokens=3, completion_tokens=40)
    assert completion.text == said
    assert completion.tokens_out == 40
    assert (completion.tokens_thought > 0) == (said != text)
    if not said:
        assert completion.tokens_thought == 40


def test_thoughts_that_the_server_counts_are_not_estimated():
    details = {"reasoning_tokens": 31}
    completion = answer_to(
        "<think>a</think>b", completion_tokens=40, completion_tokens_details=details
    )
    assert completion.tokens_thought == 31


@given(st.text(st.sampled_from("ab <>/think\n"), max_size=40))
def test_a_text_without_tags_is_left_as_it_is(text):
    if "think>" not in text:
        assert split_thoughts(text) == (text, "")


@given(st.text("ab \n"), st.text("xy \n"))
def test_thoughts_and_answer_are_told_apart(thoughts, answer):
    said, thought = split_thoughts(f"<think>{thoughts}</think>{answer}")
    assert said == answer.lstrip("\n")
    assert thought == f"<think>{thoughts}</think>"
