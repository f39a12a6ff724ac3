"""Chat messages as runs: texts, parts, calls of tools, old and new."""

import json

import pytest
from imported_worlds import chat, write_lines

from repairstudy.errors import ConfigError
from repairstudy.imported.calls import Tools
from repairstudy.imported.formats import Reading, logged_runs
from repairstudy.imported.logged import Turn

SHOP = Tools.of("action", ["find=search[{query}]", "press=click[{what}]"], ["think"])


def read(tmp_path, *rows, tools=None, name="chat.jsonl"):
    path = write_lines(tmp_path / name, rows)
    return logged_runs(path, "openai", Reading(tools or Tools()))


def one(tmp_path, *messages, tools=None, **fields):
    (found,) = read(tmp_path, {"messages": list(messages), **fields}, tools=tools)
    return found


def said(role, content, **more):
    return {"role": role, "content": content, **more}


def call(name, arguments, number="c1"):
    return {"id": number, "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)}}  # fmt: skip


def test_texts_are_words_to_be_read_and_what_follows_is_what_they_showed(tmp_path):
    found = one(
        tmp_path, said("system", "Be quick."), said("user", "A door."), said("assistant", "open"),
        said("user", "A room."), said("user", "It is dark."), said("assistant", "leave"),
    )  # fmt: skip
    assert found.opening == ("Be quick.", "A door.")
    assert found.turns == (Turn(None, "open", "A room.\nIt is dark."), Turn(None, "leave", None))
    assert found.first is None  # prompts are no observations


def test_parts_of_a_content_count_if_they_are_text(tmp_path):
    found = one(
        tmp_path,
        said("user", [{"type": "image_url", "image_url": {"url": "x"}},
                      {"type": "text", "text": "A door."}]),
        said("assistant", [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "open"}]),
    )  # fmt: skip
    assert found.opening == ("A door.",)
    assert found.turns == (Turn(None, "open"),)


def test_calls_are_actions_and_texts_without_a_call_are_thoughts(tmp_path):
    found = one(
        tmp_path, said("user", "Buy a lamp."), said("assistant", "I shall think first."),
        said("user", "Go on."),
        said("assistant", "Now.", tool_calls=[call("find", {"query": "red lamp"})]),
        said("tool", "3 results", tool_call_id="c1"),
        said("assistant", None, tool_calls=[call("press", {"what": "buy now"}, "c2")]),
        tools=SHOP,
    )  # fmt: skip
    assert found.turns == (
        Turn("search[red lamp]", "Now.", "3 results"), Turn("click[buy now]", None, None),
    )  # fmt: skip


def test_several_calls_of_a_message_have_their_own_answers_in_any_order(tmp_path):
    calls = [
        call("press", {"what": "a"}, "1"),
        call("think", {}, "2"),
        call("press", {"what": "b"}, "3"),
    ]
    found = one(
        tmp_path, said("assistant", "", tool_calls=calls),
        said("tool", "thought", tool_call_id="2"), said("tool", "B", tool_call_id="3"),
        said("tool", "A", tool_call_id="1"), tools=SHOP,
    )  # fmt: skip
    assert [(turn.action, turn.observation) for turn in found.turns] == [
        ("click[a]", "A"), ("click[b]", "B"),
    ]  # fmt: skip


def test_the_old_function_call_and_arguments_that_are_an_object_are_read(tmp_path):
    called = {"name": "do", "arguments": '{"action": "up"}'}
    old = one(
        tmp_path, said("assistant", None, function_call=called), said("function", "free", name="do")
    )  # fmt: skip
    called = {"name": "do", "arguments": {"action": "up"}}
    new = one(
        tmp_path, said("assistant", None, tool_calls=[{"function": called}]), said("tool", "free")
    )  # fmt: skip
    assert old.turns == new.turns == (Turn("up", None, "free"),)


def test_numbers_fill_a_template_as_json(tmp_path):
    tools = Tools.of("action", ["go=go to {place} {times}"], [])
    calls = [call("go", {"place": "desk", "times": 2})]
    found = one(tmp_path, said("assistant", None, tool_calls=calls), tools=tools)
    assert found.turns[0].action == "go to desk 2"


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([], "messages: not a list of messages"),
        ("hello", "messages: not a list of messages"),
        ([said("user", "x")], "messages: no message of the assistant holds an action"),
        (["x"], "messages: number 0: not an object with a role"),
        ([said("user", 3)], "messages: number 0: content is neither a text nor a list of parts"),
        ([said("assistant", None, tool_calls=[call("do", {"move": "up"})])],
         "messages: call of do has no text argument 'action' (it has move); say with --tool"),
        ([said("assistant", None, tool_calls=[call("find", {})])],
         "messages: call of find lacks an argument of 'search[{query}]'"),
        ([said("assistant", None, tool_calls=[{"function": {"name": "do", "arguments": "{"}}])],
         "messages: arguments of a call of do are no JSON object"),
        ([said("assistant", None, tool_calls=[{"function": {}}])],
         "messages: number 0: a tool call names no function"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_problem_of_its_run_alone(tmp_path, messages, problem):
    good = said("assistant", "up")
    first, second = read(tmp_path, {"messages": messages}, {"messages": [good]}, tools=SHOP)
    assert first.problem.startswith(problem)
    assert second.problem is None


def test_a_run_has_the_name_in_its_fields_or_that_of_its_place(tmp_path):
    message = {"messages": [said("assistant", "up")]}
    rows = [message, *({**message, **name} for name in (
        {"id": 7}, {"run_id": "r"}, {"failure_id": "f"}, {"id": "", "run_id": None},
    ))]  # fmt: skip
    assert [found.name for found in read(tmp_path, *rows)] == ["chat-1", "7", "r", "f", "chat-5"]


def test_a_json_file_holds_one_run_or_a_list_of_them(tmp_path):
    row = chat("layout-009", ["right"])
    for number, content in enumerate(([row, row], row)):
        path = tmp_path / f"chat{number}.json"
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        assert len(logged_runs(path)) == 2 - number


def test_a_template_without_an_equals_sign_is_told():
    with pytest.raises(ConfigError, match=r"--tool: 'search' is not NAME=TEMPLATE"):
        Tools.of("action", ["search"], [])
