"""Logs of Inspect AI 0.3.285 for tests, of agents in the miniature gridworld; written beside this.

    python tests/data/logs/make_inspect_logs.py

with an interpreter that has inspect-ai 0.3.285 and repairstudy. The model is Inspect's mock, whose
answers a rule gives: towards the goal, blind to pits. `calls.eval` (react agent, a tool that moves,
two epochs, one sample that crashes) and `words.json` (ReAct text in chat messages) are read by
tests/imported; `expected.json` holds what really happened, written by the worlds themselves.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.agent import AgentPrompt, AgentSubmit, react
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import tool
from inspect_ai.util import store

from repairstudy.environments.gridworld import Gridworld

HERE = Path(__file__).parent
WORLD = {
    "layouts": 12,
    "seed": 1,
    "walls": 2,
    "pits": 4,
    "collapsing": 1,
}  # of config/studies/tiny.yaml
BUDGET = 20
MOVES = {"up": "up", "down": "down", "left": "left", "right": "right"}
HAPPENED: list[dict[str, object]] = []


def world_after(actions):
    """A world in which a run has done so much, and what it shows."""
    world = Gridworld(**WORLD)
    shown = world.reset(store().get("layout"))
    for action in actions:
        shown = world.step(action).observation
    return world, shown


def act(action):
    """Do an action in the sample's own episode."""
    actions = [*store().get("actions", []), action]
    store().set("actions", actions)
    world, shown = world_after(actions)
    HAPPENED[store().get("number")] |= {"actions": actions, "success": world.outcome().success}
    return shown


def begin(state):
    store().set("layout", state.metadata["layout"])
    store().set("number", len(HAPPENED))
    HAPPENED.append({"sample": state.sample_id, "epoch": state.epoch, **state.metadata})


def next_move(shown, number, rng):
    """Towards the goal, mostly; once in a while something that is no move."""
    if number == 2 and rng.random() < 0.5:
        return "jump"
    wanted = [move for move in MOVES if f"goal is {move}" in shown or f"and {move}" in shown]
    return rng.choice(wanted or list(MOVES)) if rng.random() < 0.8 else rng.choice(list(MOVES))


def rng_of(messages, number):
    return random.Random(f"{messages[-1].text} {number} {store().get('layout')} {SALT.random()}")


SALT = random.Random(5)


def counted(output):
    """Else the mock model counts tokens, for which it would fetch a table."""
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@tool
def move():
    async def execute(action: str) -> str:
        """Move the agent.

        Args:
            action: up, down, left or right.
        """
        if store().get("layout") == "layout-011":
            raise RuntimeError("the world has lost its ground")
        return act(action)

    return execute


def calling(messages, *_):
    shown = messages[-1].text
    number = len(store().get("actions", []))
    if number == BUDGET or (number and not shown.startswith("Around you")):
        return counted(ModelOutput.for_tool_call("mockllm", "submit", {"answer": "done"}))
    chosen = next_move(shown, number, rng_of(messages, number))
    arguments = {"action": chosen}
    return counted(ModelOutput.for_tool_call("mockllm", "move", arguments, content="I go on."))


def writing(messages, *_):
    number = len(store().get("actions", []))
    chosen = next_move(messages[-1].text, number, rng_of(messages, number))
    text = f"Thought: not left, I think.\nAction: {chosen}"
    return counted(ModelOutput.from_content("mockllm", text))


@solver
def beginning():
    async def solve(state, generate):
        begin(state)
        return state

    return solve


@solver
def talking():
    """The world answers in the user's messages, until the episode or the budget ends."""

    async def solve(state, generate):
        begin(state)
        model, shown = get_model(), "Around you"
        while len(store().get("actions", [])) < BUDGET and shown.startswith("Around you"):
            output = await model.generate(state.messages)
            state.messages.append(output.message)
            shown = act(output.completion.rpartition("Action: ")[2])
            state.messages.append(ChatMessageUser(content=shown))
        return state

    return solve


@scorer(metrics=[accuracy()])
def solved():
    async def score(state, target):
        world, _ = world_after(store().get("actions", []))
        return Score(value=CORRECT if world.outcome().success else INCORRECT)

    return score


def samples(layouts):
    world = Gridworld(**WORLD)
    return [
        Sample(
            input=f"{shown}", id=f"walk-{number}",
            metadata={"layout": layout},
        )
        for number, layout in enumerate(layouts)
        for shown in [world.reset(layout)]
    ]  # fmt: skip


def run(name, task, answer, **options):
    HAPPENED.clear()
    with tempfile.TemporaryDirectory() as folder:
        [log] = eval(
            task, model=get_model("mockllm/model", custom_outputs=answer, memoize=False),
            display="none", log_dir=folder, max_samples=1, fail_on_error=False,
            log_model_api=False, log_realtime=False, **options,
        )  # fmt: skip
        assert log.status == "success", log.error
        shutil.copyfile(log.location.removeprefix("file://"), HERE / name)
    return list(HAPPENED)


if __name__ == "__main__":
    instruction = Gridworld(**WORLD)
    instruction.reset("layout-000")
    expected = {
        "calls": run(
            "calls.eval",
            Task(
                name="walk", dataset=samples(["layout-009", "layout-006", "layout-011"]),
                solver=[beginning(), react(
                    prompt=AgentPrompt(instructions=instruction.instruction()), tools=[move()],
                    submit=AgentSubmit(),
                )],
                scorer=solved(), epochs=3, message_limit=60,
            ),
            calling,
        ),
        "words": run(
            "words.json",
            Task(name="talk", dataset=samples(["layout-010", "layout-002"]), solver=talking(),
                 scorer=solved(), epochs=2),
            writing, log_format="json",
        ),
    }  # fmt: skip
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
