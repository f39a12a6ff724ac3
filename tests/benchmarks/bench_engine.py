"""How well rollouts keep a batching server busy: `engine_saturation`, `gpu_model_rollouts_ratio`.

The server has the timing of a GPU (see `latency_server`) and runs in a process of its own. Rates
are taken while as many requests as allowed are under way: the last episodes of a run, which end
one after the other, would say more about the length of the benchmark than about the scheduler.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_scheduler import make_specs, plain_loop
from tests.benchmarks.latency_server import GPU

from repairstudy.engines import Completion, Engine, Request
from repairstudy.engines.factory import open_engine
from repairstudy.environments.gridworld import Gridworld
from repairstudy.executors import Decoding, Executor, ModelIdentity, make_protocol
from repairstudy.rollouts import Limits, ModelActor, Pending, RolloutCache, run_rollouts

IN_FLIGHT, TOKENS, ROLLOUTS, SEQUENTIAL = 256, 16, 1_000, 3
TEMPLATE = "Walk to the goal, around pits and walls.\n{observation}\nMove:"


class Timed:
    """An engine that notes what it was asked, and when it was answered."""

    def __init__(self, engine: Engine) -> None:
        self.requests: list[Request] = []
        self.answered: list[float] = []
        self._engine = engine

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        completion = await self._engine.complete(request)
        self.answered.append(time.perf_counter())
        return completion

    async def score(self, prompt: str, choices: Any) -> Any:
        raise NotImplementedError

    async def close(self) -> None:
        await self._engine.close()


@contextmanager
def serving(program: str, *words: object) -> Iterator[int]:
    """The port of a server of this folder, while the context is open."""
    path = Path(__file__).with_name(program)
    process = subprocess.Popen(
        [sys.executable, str(path), *map(str, words)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


def make_actor(engine: Engine) -> ModelActor:
    decoding = Decoding(mode="text", max_tokens=TOKENS)
    executor = Executor("timed", ModelIdentity("m", "1", "1"), "ego/1", TEMPLATE, decoding)
    return ModelActor(executor, make_protocol(executor.protocol), engine)


def open_timed(port: int, concurrency: int) -> Timed:
    url = f"http://127.0.0.1:{port}/v1"
    return Timed(open_engine("openai", url=url, served_name="model", concurrency=concurrency))


async def scheduled(port: int) -> Timed:
    """The rollouts through scheduler and cache."""
    engine = open_timed(port, IN_FLIGHT)
    actor = make_actor(engine)
    items = [Pending(spec) for spec in make_specs(Gridworld(), actor, ROLLOUTS)]
    with tempfile.TemporaryDirectory() as folder:
        await run_rollouts(
            items,
            {actor.executor_id: actor},
            Gridworld,
            RolloutCache(folder),
            Limits(max_in_flight=IN_FLIGHT),
        )
    await engine.close()
    return engine


async def closed_loop(port: int, requests: list[Request]) -> list[float]:
    """The same prompts, without environment, prompts to build, or records to keep: as fast as
    bare sockets put them, so many at a time. When each was answered."""
    queue, answered = iter(requests), []

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in queue:
            body = {"model": "model", "prompt": request.prompt, "seed": request.seed}
            content = json.dumps(body | {"max_tokens": request.max_tokens}).encode()
            head = f"POST /v1/completions HTTP/1.1\r\nContent-Length: {len(content)}\r\n\r\n"
            writer.write(head.encode() + content)
            top = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(top.split(b"Content-Length: ")[1].split(b"\r")[0]))
            answered.append(time.perf_counter())
        writer.close()

    await asyncio.gather(*(ask() for _ in range(IN_FLIGHT)))
    return answered


async def one_by_one(port: int) -> float:
    """Steps a second of a plain loop: an episode after the other, a request after the other."""
    engine = open_timed(port, 1)
    actor = make_actor(engine)
    begun = time.perf_counter()
    steps = await plain_loop(Gridworld(), actor, make_specs(Gridworld(), actor, SEQUENTIAL))
    seconds = time.perf_counter() - begun
    await engine.close()
    return steps / seconds


def rate(answered: list[float]) -> float:
    """Answers a second in the middle of a run: without its start and its end."""
    first, last = IN_FLIGHT, len(answered) - 2 * IN_FLIGHT
    return (last - first) / (answered[last] - answered[first])


def run() -> list[dict[str, Any]]:
    """Both figures."""
    with serving("latency_server.py", *GPU) as port:
        engine = asyncio.run(scheduled(port))
        bare = rate(asyncio.run(closed_loop(port, engine.requests)))
        sequential = asyncio.run(one_by_one(port))
    full = rate(engine.answered)
    return [
        {
            "figure": "engine_saturation",
            "value": round(full / bare, 3),
            "unit": f"requests a second over those of a closed loop ({full:.0f} a second)",
            "baseline": f"{IN_FLIGHT} bare connections with the same prompts to the same server, "
            f"which has the timing of a GPU: {bare:.0f} a second",
            "ratio": round(full / bare, 3),
        },
        {
            "figure": "gpu_model_rollouts_ratio",
            "value": round(full / sequential, 1),
            "unit": "rollouts an hour over those of a plain loop",
            "baseline": "the same rollouts one after the other, against the same server: "
            f"{sequential:.1f} steps a second",
            "ratio": round(full / sequential, 1),
        },
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
