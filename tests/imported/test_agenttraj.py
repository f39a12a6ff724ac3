"""The AgentTraj format, in both layouts; published runs in tests/environments/webshop."""

import pytest
from imported_worlds import write_lines

from repairstudy.imported.agenttraj import stated
from repairstudy.imported.formats import logged_runs
from repairstudy.imported.logged import Turn

SAID = [
    ("human", "A shop."),
    ("gpt", "Thought:\nbuy\n\nAction:\nclick[Buy Now] "),
    ("human", "Bye."),
]
TURNS = (Turn("click[Buy Now]", SAID[1][1], "Bye."),)


def read(tmp_path, *rows):
    return logged_runs(write_lines(tmp_path / "traj.jsonl", rows))


def test_both_layouts_are_told_apart_from_other_formats_and_say_the_same(tmp_path):
    told = [("human", "You are an agent."), ("gpt", "OK.")]
    first = {"messages": [{"role": who, "text": what} for who, what in SAID], "goal_idx": 3}
    second = {
        "conversations": [
            {"from": who, "value": what, "loss": None if who == "human" else what != "OK."}
            for who, what in told + SAID
        ],
        "item_id": "webshop_7",
    }
    one, other = read(tmp_path, first, second)
    assert (one.name, one.fields, one.turns) == ("traj-1", {"goal_idx": 3}, TURNS)
    assert (other.name, other.turns, other.opening[-1]) == ("webshop_7", TURNS, "A shop.")
    assert one.first == other.first == "A shop."


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Action: click[a]", "click[a]"),
        ("Thought: x\nAction:\n\n  go to desk 1 \nmore", "go to desk 1"),
        ("Thought: Action: is next\nACTION: up", "up"),
        ("action: up\nAction: down", "down"),
    ],
)
def test_the_action_stands_after_its_label(text, action):
    assert stated(text) == action


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"messages": [{"role": "gpt", "text": "Action: a"}]}, "nothing was shown before the fir"),
        ({"messages": [{"role": "human", "text": "x"}]}, "no turn of 'gpt' holds an action"),
        ({"messages": [{"role": "human", "text": "x"}, {"role": "gpt", "text": "hm"}]},
         "turn 1: no action after 'Action:'"),
        ({"messages": [{"role": "human", "text": "x"}, {"role": "gpt", "text": "Action:\n "}]},
         "turn 1: no action after 'Action:'"),
        ({"conversations": [{"from": "system", "value": "x"}]}, "conversations: number 0 is no"),
        ({"conversations": [{"from": "human", "value": 3}]}, "conversations: number 0 is no turn"),
        ({"conversations": "x"}, "conversations: not a list"),
        ({}, "neither messages nor conversations"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(tmp_path, row, problem):
    path = write_lines(tmp_path / "traj.jsonl", [row])
    (found,) = logged_runs(path, "agenttraj")
    assert found.problem.startswith(problem)
