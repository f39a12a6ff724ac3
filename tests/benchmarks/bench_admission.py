"""Rollouts with the number of open episodes that is admitted, and with fixed numbers of them:
`admission_slow_environments_ratio` and `admission_small_cache_ratio`.

The server has the timing of a GPU and a cache of prefixes (`batching_server`); it takes 32 requests
at once. In one setting environments take 1.5 s a step, so that 32 open episodes leave it idle most
of the time. In the other they take 20 ms, but the cache holds 60 growing prompts, so that with 256
open episodes each comes back to a cache that has forgotten it. A single number cannot be right in
both; the best of those tried is reported, too. Answers are counted between the 18th and the 30th
second of a run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.bench_engine import Timed, serving

from repairstudy.engines.factory import open_engine
from repairstudy.engines.load import Load, load_of
from repairstudy.environments.base import Outcome, Step
from repairstudy.executors import (
    Decoding,
    Executor,
    InvalidActions,
    ModelIdentity,
    make_protocol,
)
from repairstudy.rollouts import (
    Limits,
    ModelActor,
    Pending,
    RolloutCache,
    RolloutSpec,
    run_rollouts,
)

ONLY_BY_NAME = True  # four minutes

PLACES, MOST, FIXED = 32, 1024, (32, 64, 256)
TASK_WORDS, TURN_WORDS, TOKENS, BUDGET = 400, 60, 16, 20
FIRST_S, LAST_S = 18.0, 30.0
MOVES = ("up", "down", "left", "right")


@dataclass(frozen=True)
class Setting:
    step_s: float
    cached_words: int


SETTINGS = {
    "admission_slow_environments_ratio": Setting(1.5, 10**7),
    "admission_small_cache_ratio": Setting(0.02, 60 * (TASK_WORDS + TURN_WORDS * BUDGET)),
}


def words(count: int, *key: object) -> str:
    """So many words, of each key others."""
    start = int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)
    return " ".join(f"w{(start + number) % 99991}" for number in range(count))


class SlowWorld:
    """Takes its time for each step, and says much."""

    name, version, blocking = "slow", "1", True

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self._task, self._taken = "", 0

    def tasks(self) -> Sequence[str]:
        return ()

    def cluster(self, task_id: str) -> str:
        return task_id

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._task, self._taken = task_id, 0
        return words(TURN_WORDS, task_id)

    def instruction(self) -> str:
        return words(TASK_WORDS, self._task, "task")

    def admissible_actions(self) -> tuple[str, ...]:
        return MOVES

    def step(self, action: str) -> Step:
        time.sleep(self._step_s)
        self._taken += 1
        return Step(words(TURN_WORDS, self._task, self._taken, action), False, True)

    def outcome(self) -> Outcome:
        return Outcome(False, 0.0)

    def signature(self) -> str:
        return f"{self._task}/{self._taken}"


class Adaptive(Timed):
    """Tells the scheduler how busy the engine is; `Timed` does not."""

    def load(self) -> Load | None:
        return load_of(self._engine)


async def rate(setting: Setting, port: int, fixed: int | None) -> float:
    """Answers a second, with so many episodes open; None: with those that are admitted."""
    url = f"http://127.0.0.1:{port}/v1"
    engine = open_engine("openai", url=url, served_name="model", concurrency=PLACES)
    timed = Timed(engine) if fixed else Adaptive(engine)
    decoding = Decoding(mode="text", max_tokens=TOKENS)
    executor = Executor(
        "admitted", ModelIdentity("m", "1", "1"), "react/1", "{instruction}\n{history}",
        decoding, InvalidActions(BUDGET),
    )  # fmt: skip
    actor = ModelActor(executor, make_protocol(executor.protocol), timed)
    items = [
        Pending(
            RolloutSpec(actor.executor_id, "slow", "1", f"t{n}", (), None, BUDGET, "collect", 0)
        )
        for n in range(20_000)
    ]
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        job = run_rollouts(
            items,
            {actor.executor_id: actor},
            lambda: SlowWorld(setting.step_s),
            RolloutCache(folder),
            Limits(max_in_flight=fixed or MOST),
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(job, LAST_S)
    await engine.close()
    counted = sum(FIRST_S <= moment - begun < LAST_S for moment in timed.answered)
    return counted / (LAST_S - FIRST_S)


def run() -> list[dict[str, Any]]:
    """Both figures; ratio: to the number that is wrong there and right in the other setting."""
    lines = []
    for figure, setting in SETTINGS.items():
        found: dict[int | None, float] = {}
        for fixed in (None, *FIXED):
            with serving("batching_server.py", setting.cached_words) as port:
                found[fixed] = asyncio.run(rate(setting, port, fixed))
        wrong = PLACES if setting.step_s > 1 else max(FIXED)
        best = max(FIXED, key=lambda number: found[number])
        lines.append(
            {
                "figure": figure,
                "value": round(found[None] / found[wrong], 2),
                "unit": f"answers a second over those with {wrong} open episodes "
                f"({found[None]:.0f} over {found[wrong]:.0f})",
                "baseline": "the same rollouts with a fixed number of open episodes: "
                + ", ".join(f"{found[number]:.0f} a second with {number}" for number in FIXED),
                "ratio": round(found[None] / found[best], 2),
            }
        )
    return lines


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
