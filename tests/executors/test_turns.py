"""Protocols that show an episode as turns: a fixed window, and a growing transcript."""

import pytest

from repairstudy.errors import ConfigError
from repairstudy.executors import AgentView, make_protocol

ACTIONS = ("go to desk 1", "open drawer 1", "take pen 1 from desk 1", "search[<query>]")
VIEW = AgentView(
    "find a pen", ("a room", "a desk", "a {drawer}", "a pen"), ("go", "open", "take"), ACTIONS
)
START = AgentView("find a pen", ("a room",), (), ACTIONS)


@pytest.mark.parametrize(
    ("turns", "shown"),
    [
        (1, "> take\na pen"),
        (2, "> open\na {drawer}\n> take\na pen"),
        (3, "a room\n> go\na desk\n> open\na {drawer}\n> take\na pen"),
        (9, "a room\n> go\na desk\n> open\na {drawer}\n> take\na pen"),
    ],
)
def test_a_window_shows_the_last_turns(turns, shown):
    protocol = make_protocol(f"window-{turns}/1")
    assert protocol.prompt("{history}\n>", VIEW) == f"{shown}\n>"
    assert protocol.name == f"window-{turns}/1"


def test_a_window_at_the_start_is_the_first_observation():
    assert make_protocol("window-2/1").prompt("{history}|{steps}", START) == "a room|0"


def test_a_window_lists_what_may_be_done():
    template = "{instruction}: {observation}\n{history}\n{admissible_lines}"
    shown = make_protocol("window-1/1").prompt(template, VIEW)
    assert shown == "find a pen: a pen\n> take\na pen\n" + "\n".join(ACTIONS)


def test_a_transcript_only_ever_appends():
    react = make_protocol("react/1")
    before = react.prompt("Do it.\n{history}\n", START)
    after = react.prompt("Do it.\n{history}\n", VIEW)
    assert before == "Do it.\na room"
    assert after.startswith(before + "\nAction: go\nObservation: a desk\nAction: open\n")


@pytest.mark.parametrize("name", ["window-2/1", "react/1"])
def test_a_template_without_the_history_is_refused(name):
    with pytest.raises(ConfigError, match=r"slot {history} is missing"):
        make_protocol(name).prompt("{observation}", VIEW)


@pytest.mark.parametrize("name", ["window-0/1", "window-100/1", "window/1", "window-2/2"])
def test_impossible_windows_are_refused(name):
    with pytest.raises(ConfigError, match="window-K/1 with K turns"):
        make_protocol(name)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (" open drawer 1", "open drawer 1"),
        ("<think>take the pen?</think><action>Open Drawer 1</action>", "open drawer 1"),
        ("Thought: the desk first.\nAction: go to desk 1\nObservation: x", "go to desk 1"),
        ("I will open drawer 1, then go to desk 1", "open drawer 1"),
        ("<action>put pen 1 in drawer 1</action>", "put pen 1 in drawer 1"),  # not admissible
        ("<action>SEARCH[pens]</action>", "search[pens]"),
        ("let me search[blue pens] now", "search[blue pens]"),
        ("I write search[<query>], or open drawer 1", "I write search[<query>], or open drawer 1"),
        ("hm", "hm"),
        ("<think>never ends", None),
        ("", None),
    ],
)
def test_what_a_window_agent_means(text, action):
    assert make_protocol("window-2/1").parse(text, ACTIONS) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Action: open drawer 1", "open drawer 1"),
        ("Thought: go to desk 1?\naction:  open   drawer 1 \n", "open drawer 1"),
        ("Thought: nothing else", "Thought: nothing else"),  # the environment will refuse it
        ("open drawer 1\ngo to desk 1", "open drawer 1"),
        (" \n", None),
    ],
)
def test_what_a_react_agent_means(text, action):
    assert make_protocol("react/1").parse(text, ACTIONS) == action


def test_forms_cannot_be_chosen_from_a_list():
    assert list(make_protocol("window-2/1").options(VIEW).values()) == list(ACTIONS[:3])
    assert next(iter(make_protocol("react/1").options(VIEW))) == "Action: go to desk 1"
