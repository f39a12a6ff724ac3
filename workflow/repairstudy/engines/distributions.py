"""The action-distribution cache: each distinct question is put to the model once, ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl

from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request
from repairstudy.engines.load import Load, load_of
from repairstudy.engines.once import Shared
from repairstudy.engines.shards import (
    SCHEMA,
    list_shards,
    read_shard,
    remove_stale,
    write_shard,
)
from repairstudy.errors import DataError
from repairstudy.executors import ModelIdentity
from repairstudy.records import digest

# Two writers may ask the same at once, and a GPU need not answer alike twice. What differs more
# than this in any probability comes from another model under the same identity.
SAME_MODEL = 0.1


class Distributions:
    """An `Engine` that keeps what another engine's `score` answers; `complete` passes through.

    Each writer adds shards of its own to `folder/<hash of the model's identity>/`, so many jobs
    may write at once; of equal questions the oldest answer counts, for all readers.

    Args:
        folder: of the cache of all models.
        model: identity of the model behind the engine; part of every key.
        engine: asked what is not stored. Closed with this one.
        flush_rows, flush_s: written after so many new answers, or so many seconds.

    Raises:
        DataError: a stored shard is damaged or contradicts another; names it.
    """

    def __init__(
        self,
        folder: Path,
        model: ModelIdentity,
        engine: Engine,
        *,
        flush_rows: int = 1000,
        flush_s: float = 5.0,
    ) -> None:
        self.folder = folder / digest(asdict(model))
        self.asked = 0  # questions for probabilities that reached the engine
        self.written = 0  # texts that it wrote
        self._model = asdict(model)
        self._engine = engine
        self._flush_rows = flush_rows
        self._flush_s = flush_s
        remove_stale(self.folder)
        self._known = _load(self.folder)
        self._unwritten: list[dict[str, object]] = []
        self._running: Shared[str, ChoiceScores] = Shared()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def calls(self) -> int:
        """Answers of the engine itself, so far."""
        return self.asked + self.written

    async def complete(self, request: Request) -> Completion:
        completion = await self._engine.complete(request)
        self.written += 1
        return completion

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        key = self.key(prompt, choices)
        if key in self._known:
            return self._known[key]
        return await self._running.get(key, lambda: self._ask(key, prompt, tuple(choices)))

    async def prefetch(
        self, prompts: Iterable[str], choices: Sequence[str], concurrency: int = 32
    ) -> int:
        """Ask all that is not stored, so many at a time; how many that were.

        Raises:
            EngineError: the engine failed; what it answered before that is stored.
        """
        before = self.asked
        queue = iter(dict.fromkeys(prompts))

        async def work() -> None:
            for prompt in queue:  # shared by all workers
                await self.score(prompt, choices)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            self.flush()
        return self.asked - before

    def stored(self, prompt: str, choices: Sequence[str]) -> ChoiceScores | None:
        """The answer if it is known already."""
        return self._known.get(self.key(prompt, choices))

    def key(self, prompt: str, choices: Sequence[str]) -> str:
        return digest([self._model, prompt, list(choices)])

    def flush(self) -> None:
        """Write what is new."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unwritten:
            write_shard(self.folder, pl.DataFrame(self._unwritten, schema=SCHEMA))
            self._unwritten = []

    def load(self) -> Load | None:
        """That of the engine behind."""
        return load_of(self._engine)

    async def close(self) -> None:
        """Write what is new and close the engine."""
        await self._running.cancel()
        try:
            self.flush()
        finally:
            await self._engine.close()

    async def _ask(self, key: str, prompt: str, choices: tuple[str, ...]) -> ChoiceScores:
        scores = await self._engine.score(prompt, choices)
        self.asked += 1
        self._known[key] = scores
        self._unwritten.append(
            {
                "key": key,
                "prompt": prompt,
                "choices": list(choices),
                "logprobs": list(scores.logprobs),
                "tokens_in": scores.tokens_in,
            }
        )
        if len(self._unwritten) >= self._flush_rows:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._flush_s, self.flush)
        return scores


def read_distributions(folder: Path, model: ModelIdentity) -> pl.DataFrame:
    """All stored answers of a model, one row each: key, prompt, choices, logprobs, tokens_in."""
    frames = [read_shard(path) for path in list_shards(folder / digest(asdict(model)))]
    return pl.concat([pl.DataFrame(schema=SCHEMA), *frames]).unique("key", maintain_order=True)


def _load(folder: Path) -> dict[str, ChoiceScores]:
    known: dict[str, ChoiceScores] = {}
    for path in list_shards(folder):
        rows = read_shard(path, ["key", "logprobs", "tokens_in"])
        for key, logprobs, tokens_in in rows.iter_rows():
            scores = ChoiceScores(tuple(logprobs), tokens_in)
            first = known.setdefault(key, scores)
            if first is not scores and not _alike(first, scores):
                raise DataError(
                    path,
                    f"key {key}: column 'logprobs' contradicts an older shard of the folder.",
                    "Two models wrote under one identity; delete the folder.",
                )
    return known


def _alike(one: ChoiceScores, other: ChoiceScores) -> bool:
    if len(one.logprobs) != len(other.logprobs):
        return False
    difference = np.exp(one.logprobs) - np.exp(other.logprobs)
    return bool(np.abs(difference).max() <= SAME_MODEL)
