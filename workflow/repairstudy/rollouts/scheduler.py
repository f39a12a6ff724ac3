"""Many rollouts at once, each waiting for nothing but its own next action.

The outcome of a rollout is a function of its spec, its actor and its environment; the order, the
number in flight, retries and resumptions decide only when it is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from repairstudy.errors import EngineError
from repairstudy.rollouts.actors import Actor
from repairstudy.rollouts.attempts import Attempts, Environments, Limits
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.progress import Progress, Tally
from repairstudy.rollouts.signals import Interrupted, stop_signals
from repairstudy.rollouts.worklist import Pending
from repairstudy.rollouts.writer import CacheWriter

_TICK_S = 0.2


async def run_rollouts(
    items: Sequence[Pending],
    actors: Mapping[str, Actor],
    environments: Environments,
    cache: RolloutCache,
    limits: Limits | None = None,
    progress: Progress | None = None,
    writer: CacheWriter | None = None,
) -> Tally:
    """Run rollouts and put them into the cache.

    Args:
        items: what is missing, in the order in which it is started.
        actors: by executor id.
        environments: makes an environment instance; called as often as there are episodes in
            flight at most.
        writer: default `cache.writer()`; it is closed at the end.

    Returns:
        Counts of what was done. Infrastructure errors are among them: ask `missing` again.

    Raises:
        Interrupted: on Ctrl-C or SIGTERM.
        WrongModel, ReplayMismatch, ConfigError: nothing that a retry could mend.
        EngineError: `limits.give_up_after` rollouts in a row failed.
        DataError: the cache cannot be written.
        In each case the rollouts that had finished are in the cache (after a DataError, those
        of the flushes that succeeded).
    """
    limits = limits or Limits()
    progress = progress or Progress(None)
    tally = Tally(len(items))
    cache.prune()
    with writer or cache.writer() as sink:
        run = _Run(iter(items), Attempts(actors, environments, limits), sink, tally, limits)
        await run.until_done(min(limits.max_in_flight, len(items)), progress)
    cache.compact(actors)
    progress.close(tally)
    return tally


class _Run:
    """The state that the workers of one run share."""

    def __init__(
        self,
        queue: Iterator[Pending],
        attempts: Attempts,
        sink: CacheWriter,
        tally: Tally,
        limits: Limits,
    ) -> None:
        self._queue = queue
        self._attempts = attempts
        self._sink = sink
        self._tally = tally
        self._limits = limits

    async def until_done(self, workers: int, progress: Progress) -> None:
        with stop_signals() as stopped:
            tasks = [asyncio.create_task(self._work()) for _ in range(workers)]
            work = asyncio.gather(*tasks)
            ticks = asyncio.create_task(self._tick(progress))
            try:
                waited: set[asyncio.Future[Any]] = {work, ticks, stopped}
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    work.result()
                if ticks.done():
                    ticks.result()
                if not work.done():
                    name = stopped.result().name
                    done = f"{self._tally.done:,} of {self._tally.total:,}"
                    raise Interrupted(
                        f"stopped by {name}: {done} rollouts are in the cache. "
                        "Start the same run again to go on from there."
                    )
            finally:
                await _cancel([*tasks, ticks, work])

    async def _work(self) -> None:
        for item in self._queue:
            row = await self._attempts.run(item)
            self._sink.add(row)
            self._tally.add(row)
            if self._tally.errors_in_a_row >= self._limits.give_up_after:
                raise EngineError(
                    f"gave up after {self._tally.errors_in_a_row} infrastructure errors in a row; "
                    f"the last: {row['cause']}"
                )
            # An engine that answers from memory never waits: let signals and ticks have a turn.
            await asyncio.sleep(0)

    async def _tick(self, progress: Progress) -> None:
        while True:
            await asyncio.sleep(min(_TICK_S, progress.every_s))
            self._sink.flush_if_due()
            progress.tick(self._tally)


async def _cancel(futures: Sequence[asyncio.Future[Any]]) -> None:
    for future in futures:
        future.cancel()
    await asyncio.gather(*futures, return_exceptions=True)
