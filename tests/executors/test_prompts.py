"""The prompts that come with the project fit their protocols and the gridworld's text."""

from pathlib import Path

import pytest

from repairstudy.environments.gridworld import Gridworld
from repairstudy.executors import AgentView, make_protocol
from repairstudy.records.text import fill

PROMPTS = Path(__file__).parents[2] / "resources/prompts"
WORLD = Gridworld(layouts=1)
OBSERVATION = WORLD.reset(WORLD.tasks()[0])
MOVES = WORLD.admissible_actions()


def text(name):
    return (PROMPTS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "protocol"),
    [
        ("ego.txt", "ego/1"),
        ("policy.txt", "ego/1"),
        ("transcript.txt", "transcript/1"),
        ("transcript.txt", "recent/1"),
    ],
)
def test_executors_prompts_end_where_the_move_begins(name, protocol):
    view = AgentView(WORLD.instruction(), (OBSERVATION, OBSERVATION), (MOVES[0],), MOVES)
    prompt = make_protocol(protocol).prompt(text(name), view)
    assert OBSERVATION in prompt
    assert prompt.endswith(":")  # no space: the move's own token begins with it


@pytest.mark.parametrize("name", ["ego.txt", "transcript.txt", "propose.txt", "judge.txt"])
def test_examples_look_like_the_gridworlds_own_text(name):
    """Observations' wording may change; the examples must change with it."""
    examples = [line for line in text(name).splitlines() if line.startswith("State: Around")]
    assert len(examples) >= 4
    words = {"free", "wall", "pit", "cracked", "goal"}
    for example in examples:
        around, _, goal = example.partition(". The goal is ")
        assert goal
        contents = [part.split()[-1] for part in around.split(",")]
        assert len(contents) == len(MOVES)
        assert set(contents) <= words
    assert ". The goal is " in OBSERVATION


@pytest.mark.parametrize("name", ["propose.txt", "judge.txt"])
def test_other_prompts_use_the_slots_of_a_situation_alone(name):
    slots = {"observation": OBSERVATION, "action": "up", "candidates": "up, left"}
    assert fill(text(name), slots).endswith(":")


def test_a_shared_beginning_comes_first_in_every_prompt():
    """The engine reuses the beginning; whatever changes stands in the last few lines."""
    for name in ("ego.txt", "transcript.txt", "propose.txt", "judge.txt"):
        assert text(name).index("{") > 0.8 * len(text(name))
