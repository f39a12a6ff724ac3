"""A corridor, an engine that knows its own probabilities, and what they add up to."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.engines import ChoiceScores, Completion, Engine, Request
from repairstudy.environments import Outcome, Step
from repairstudy.executors import Decoding, Executor, InvalidActions, ModelIdentity, make_protocol
from repairstudy.records import seed_of, shards
from repairstudy.rollouts import (
    Actor,
    Limits,
    ModelActor,
    RolloutCache,
    RolloutSpec,
    missing,
    pending,
    run_rollouts,
    work_list,
)

GOAL, PIT, BUDGET = 6, 0, 10
STARTS = {"near": 5, "middle": 3, "far": 2}


class Corridor:
    """Seven cells in a row: a pit at 0, the goal at 6."""

    name = "corridor"
    version = "1"
    blocking = False

    def __init__(self) -> None:
        self.cell = 0

    def tasks(self) -> Sequence[str]:
        return tuple(STARTS)

    def cluster(self, task_id: str) -> str:
        return "hard" if task_id == "far" else "easy"

    def reset(self, task_id: str, seed: int = 0) -> str:
        self.cell = STARTS[task_id]
        return self.observation()

    def observation(self) -> str:
        return f"cell {self.cell}"

    def instruction(self) -> str:
        return "Walk to cell 6."

    def admissible_actions(self) -> tuple[str, ...]:
        return () if self.over() else ("left", "right", "wait")

    def over(self) -> bool:
        return self.cell in (PIT, GOAL)

    def step(self, action: str) -> Step:
        if action not in self.admissible_actions():
            return Step("nothing happens", self.over(), valid=False)
        self.cell += {"left": -1, "right": 1, "wait": 0}[action]
        return Step(self.observation(), self.over(), valid=True)

    def outcome(self) -> Outcome:
        return Outcome(self.cell == GOAL, self.cell / GOAL)

    def signature(self) -> str:
        return f"s{self.cell}"

    def describe(self) -> str:
        return "." * self.cell + "@" + "." * (GOAL - self.cell)

    def snapshot(self) -> int:
        return self.cell

    def restore(self, snapshot: int) -> None:
        self.cell = snapshot

    def plan(self) -> tuple[str, ...] | None:
        return None if self.cell == PIT else ("right",) * (GOAL - self.cell)

    def solvable(self, budget: int) -> bool:
        return self.cell != PIT and GOAL - self.cell <= budget


class HashEngine:
    """Log-probabilities that follow from the prompt; answers after `delay_s`, seconds.

    `fault(call number)` may raise; `waiting` and `most_waiting` count requests in flight.
    """

    def __init__(
        self,
        delay_s: Callable[[int], float] | None = None,
        fault: Callable[[int], None] | None = None,
        texts: Sequence[str] = ("go right", "LEFT", "dance", "wait"),
    ) -> None:
        self.calls = self.waiting = self.most_waiting = 0
        self.requests: list[Request] = []
        self._delay_s, self._fault, self._texts = delay_s, fault, texts

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        await self._arrive()
        weights = [1 + _hash(prompt, choice) % 9 for choice in choices]
        total = sum(weights) + 1
        return ChoiceScores(tuple(math.log(w / total) for w in weights), len(prompt.split()))

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        await self._arrive()
        text = self._texts[_hash(request.prompt, request.seed) % len(self._texts)]
        return Completion(f" {text}\n", "stop", len(request.prompt.split()), len(text.split()))

    async def close(self) -> None:
        pass

    async def _arrive(self) -> None:
        self.calls += 1
        call = self.calls
        if self._fault is not None:
            self._fault(call)
        self.waiting += 1
        self.most_waiting = max(self.waiting, self.most_waiting)
        try:
            if self._delay_s is not None:
                await asyncio.sleep(self._delay_s(call))
        finally:
            self.waiting -= 1


def _hash(*parts: Any) -> int:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16)


def executor(name: str = "toy", limit: int = 2, **decoding: Any) -> Executor:
    return Executor(
        name=name,
        model=ModelIdentity("toy", "1", "w"),
        protocol="ego/1",
        template="{instruction} {observation}\nMove:",
        decoding=Decoding(**decoding),
        invalid_actions=InvalidActions(limit),
    )


def actor(engine: Any = None, limit: int = 2, **decoding: Any) -> Actor:
    acting = executor(limit=limit, **decoding)
    return ModelActor(acting, make_protocol(acting.protocol), engine or HashEngine())


def spec(**changes: Any) -> RolloutSpec:
    fields: dict[str, Any] = {
        "executor_id": executor().executor_id,
        "environment": "corridor",
        "environment_version": "1",
        "task_id": "middle",
        "prefix": ("left", "right"),
        "forced": "wait",
        "budget": BUDGET,
        "role": "label",
        "replicate": 0,
        "signature": "s3",
        "observation": "cell 3",
        "label": "failure f0, step 2",
    }
    return RolloutSpec(**fields | changes)


def wanted(replicates: int = 10, acting: Actor | None = None, role: str = "label") -> pl.DataFrame:
    """Three candidates at step 2 of a failure, and so many rollouts of each."""
    executor_id = (acting or actor()).executor_id
    return work_list(
        [
            spec(executor_id=executor_id, forced=forced, replicate=replicate, role=role).to_row(
                "toy", "f0", 2, f"f0-2-{forced}"
            )
            for forced in ("left", "right", "wait")
            for replicate in range(replicates)
        ]
    )


def row(**changes: Any) -> dict[str, Any]:
    """A CACHED_ROLLOUTS row of a successful rollout."""
    fields: dict[str, Any] = {
        "rollout_key": "k0",
        "executor_id": "e0",
        "seed": 1,
        "attempt": 0,
        "status": "success",
        "success": True,
        "reward": 1.0,
        "steps": 2,
        "invalid_actions": 0,
        "tokens_in": 20,
        "tokens_out": 2,
        "tokens_thought": 0,
        "actions": ["left", "right"],
        "cause": None,
        "finished": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return fields | changes


def error_row(**changes: Any) -> dict[str, Any]:
    nothing = {"status": "infrastructure_error", "success": None, "reward": None, "steps": 0}
    return row(**nothing | {"actions": [], "cause": "server gone"} | changes)


def run(
    todo: pl.DataFrame,
    cache: RolloutCache,
    acting: Actor | None = None,
    environments: Callable[[], Any] = Corridor,
    limits: Limits | None = None,
    closes: Engine | None = None,
    **options: Any,
) -> Any:
    """Run what `missing` gave; retries without waiting unless `limits` says otherwise.

    `closes` is closed at the end, as the engine of a job is.
    """
    acting = acting or actor()
    if "attempt" not in todo.columns:
        todo = missing(todo, cache)

    async def go():
        try:
            return await run_rollouts(
                pending(todo, Corridor(), BUDGET),
                {acting.executor_id: acting},
                environments,
                cache,
                limits or Limits(retry_wait_s=0.0),
                **options,
            )
        finally:
            if closes is not None:
                await closes.close()

    return asyncio.run(go())


def put(cache: RolloutCache, *rows: dict) -> Path:
    """Write rows of executor e0 as one shard."""
    with cache.writer() as writer:
        before = set(shards.list_shards(cache.folder / "e0"))
        for each in rows:
            writer.add(each)
    (new,) = set(shards.list_shards(cache.folder / "e0")) - before
    return new


def records(cache: RolloutCache) -> pl.DataFrame:
    """All that a cache holds but the time at which it came about."""
    return cache.read().drop("finished")


def temporary_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".tmp")]


def order_seed(*parts: Any) -> int:
    return seed_of("tests", *parts)
