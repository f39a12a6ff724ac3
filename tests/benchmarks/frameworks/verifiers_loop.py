"""CPU time of the episodes of `line` in verifiers, with a client that knows the answer.

Its multi-turn environment, whose loop runs in this process. (Since 0.4 the package has only
agents in processes of their own, behind a server; that was not measured.)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import verifiers as vf
from datasets import Dataset
from line import ANSWER, AT_ONCE, STEPS, TASK, TOKENS_IN, TOKENS_OUT, Line
from timed import timed
from verifiers.clients import Client
from verifiers.types import Response, ResponseMessage, Usage


class Walk(vf.MultiTurnEnv):
    async def setup_state(self, state):
        state["world"] = Line()
        return state

    async def env_response(self, messages, state, **_):
        seen = state["world"].walk(messages[-1].content)
        answer = [vf.UserMessage(content=seen)]
        if len(state["trajectory"]) == STEPS:
            state["final_env_response"] = answer
        return answer


class Known(Client):
    def __init__(self):
        super().__init__(None)

    def setup_client(self, config):
        return None

    async def to_native_tool(self, tool):
        return tool

    async def to_native_prompt(self, messages):
        return messages, {}

    async def get_native_response(self, prompt, model, sampling_args, tools=None, **_):
        return ANSWER

    async def raise_from_native_response(self, response):
        pass

    async def from_native_response(self, response):
        total = TOKENS_IN + TOKENS_OUT
        return Response(
            id="0",
            created=0,
            model="known",
            usage=Usage(
                prompt_tokens=TOKENS_IN,
                reasoning_tokens=0,
                completion_tokens=TOKENS_OUT,
                total_tokens=total,
            ),
            message=ResponseMessage(content=response, finish_reason="stop", is_truncated=False),
        )

    async def close(self):
        pass


async def reward(completion, **_):
    return 0.0


def nothing(*_, **__):
    """Instead of a progress bar."""


def run(episodes: int, folder: Path) -> None:
    rows = [
        {"prompt": [{"role": "user", "content": TASK}], "answer": "", "example_id": number}
        for number in range(episodes)
    ]
    world = Walk(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[reward]))
    found = world.generate_sync(
        world.get_dataset(),
        client=Known(),
        model="known",
        max_concurrent=AT_ONCE,
        save_results=True,
        results_path=folder / f"{episodes}-{Line.steps}",
        on_start=nothing,
        on_progress=nothing,
    )
    errors = [output["error"] for output in found["outputs"] if output.get("error")]
    if errors:
        raise RuntimeError(f"verifiers: {len(errors)} episodes failed, the first with {errors[0]}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        timed(run, Path(name))
