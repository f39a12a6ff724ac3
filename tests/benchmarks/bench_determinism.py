"""How far an engine gives the same answer to the same request: `determinism_...`.

A request is put alone to a server that has never seen its prompt, alone again when the server
holds it in its cache, among all others, and among them in another order. Each figure is how many
of these repetitions changed, against the first time; texts are drawn with a temperature and a seed.
Run it where the rollouts will run: `python -m tests.benchmarks determinism`.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from repairstudy.engines import Engine, Request
from repairstudy.engines.factory import open_engine
from repairstudy.environments.exact import distinct_situations
from repairstudy.environments.gridworld import Gridworld
from repairstudy.records import generator

ONLY_BY_NAME = True  # minutes a data type

MODELS = Path("resources/models")
MOVES = (" up", " down", " left", " right")
PROMPTS, TOKENS = 24, 8
# Figure, kind of engine, checkpoint, prompt, further arguments of the server; texts or none.
ENGINES = (
    ("vllm_float32", "vllm", "smollm2-135m-instruct", "ego", ("--dtype", "float32"), True),
    ("vllm_bfloat16", "vllm", "smollm2-135m-instruct", "ego", ("--dtype", "bfloat16"), True),
    ("transformers_float32", "transformers", "policy-strong", "policy", (), False),
)
T = TypeVar("T")


async def repeated(ask: Callable[[int], Awaitable[T]]) -> list[list[T]]:
    """Answers to all requests, one list a way of asking: alone, alone again, together, shuffled."""
    numbers = list(range(PROMPTS))
    shuffled = generator("determinism").permutation(PROMPTS).tolist()
    alone = [[await ask(number) for number in numbers] for _ in range(2)]
    together = list(await asyncio.gather(*map(ask, numbers)))
    mixed = dict(zip(shuffled, await asyncio.gather(*map(ask, shuffled)), strict=True))
    return [*alone, together, [mixed[number] for number in numbers]]


def prompts(template: str) -> list[str]:
    """Twice as many as are needed, so that texts and scores each have their own."""
    world = Gridworld()
    seen = distinct_situations(world, world.tasks()[:20])
    text = Path(f"resources/prompts/{template}.txt").read_text(encoding="utf-8").removesuffix("\n")
    return [text.replace("{observation}", observation) for observation, _ in seen[: 2 * PROMPTS]]


async def measured(
    engine: Engine, asked: Sequence[str], texts: bool
) -> list[tuple[str, float, str]]:
    """Name, value and unit of each figure of an engine."""

    async def write(number: int) -> str:
        request = Request(asked[number], 0.7, 0.95, 0, TOKENS, seed=number)
        return (await engine.complete(request)).text

    async def score(number: int) -> tuple[float, ...]:
        return (await engine.score(asked[-1 - number], MOVES)).logprobs  # unseen by the texts

    written = await repeated(write) if texts else []
    first, *others = await repeated(score)
    change = max(float(np.abs(np.subtract(first, other)).max()) for other in others)
    found = [("logprob_change", change, f"largest of {3 * PROMPTS * len(MOVES)} differences")]
    if texts:
        changed = sum(
            a != b for other in written[1:] for a, b in zip(written[0], other, strict=True)
        )
        found.append(("texts_changed", changed, f"of {3 * PROMPTS} texts of {TOKENS} tokens"))
    return found


async def measure(
    kind: Any, model: str, template: str, arguments: Sequence[str], texts: bool
) -> list[tuple[str, float, str]]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        engine = open_engine(kind, path=str(MODELS / model), arguments=arguments, log=log)
        try:
            return await measured(engine, prompts(template), texts)
        finally:
            await engine.close()


def run() -> Iterator[dict[str, Any]]:
    for name, *settings in ENGINES:
        for figure, value, unit in asyncio.run(measure(*settings)):
            yield {
                "figure": f"determinism_{name}_{figure}",
                "value": value,
                "unit": unit,
                "baseline": "the same request alone, with a cold cache",
                "ratio": None,
            }
