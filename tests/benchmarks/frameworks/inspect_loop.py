"""CPU time of the episodes of `line` in Inspect AI, with its mock model.

A solver asks the model and answers in the conversation, without tools, which cost it more. Of the
log's settings those that cost least: no live view, no raw calls of the model.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import solver
from line import ANSWER, AT_ONCE, STEPS, TASK, TOKENS_IN, TOKENS_OUT, Line
from timed import timed


@solver
def walk():
    async def solve(state, generate):
        world, model = Line(), get_model()
        for _ in range(STEPS):
            output = await model.generate(state.messages)
            state.messages.append(output.message)
            state.messages.append(ChatMessageUser(content=world.walk(output.completion)))
        state.output = output
        return state

    return solve


def answer(*_):
    output = ModelOutput.from_content("mockllm", ANSWER)
    # Else the mock model counts the tokens of the whole conversation.
    output.usage = ModelUsage(
        input_tokens=TOKENS_IN, output_tokens=TOKENS_OUT, total_tokens=TOKENS_IN + TOKENS_OUT
    )
    return output


def run(episodes: int, folder: Path) -> None:
    samples = [Sample(input=TASK, id=number) for number in range(episodes)]
    (log,) = eval(
        Task(dataset=samples, solver=walk()),
        model=get_model("mockllm/model", custom_outputs=answer, memoize=False),
        display="none",
        log_dir=str(folder),
        log_realtime=False,
        log_model_api=False,
        max_samples=AT_ONCE,
        max_connections=AT_ONCE,
    )
    if log.status != "success":
        raise RuntimeError(f"Inspect ended with {log.status}: {log.error}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        timed(run, Path(name))
