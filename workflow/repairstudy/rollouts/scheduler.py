"""Many rollouts at once, each waiting for nothing but its own next action.

The outcome of a rollout is a function of its spec, its actor and its environment; the order, the
number in flight, retries and resumptions decide only when it is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from repairstudy.engines.load import total_load
from repairstudy.errors import EngineError
from repairstudy.rollouts.actors import Actor
from repairstudy.rollouts.admission import Admission
from repairstudy.rollouts.attempts import Attempts, Environments, Limits
from repairstudy.rollouts.cache import RolloutCache
from repairstudy.rollouts.progress import Progress, Tally
from repairstudy.rollouts.signals import Interrupted, stop_signals
from repairstudy.rollouts.worklist import Pending, Work
from repairstudy.rollouts.world import waiting_for_environments
from repairstudy.rollouts.writer import CacheWriter

_TICK_S = 0.2


async def run_rollouts(
    items: Work,
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
        await run.until_done(_engines(actors), progress)
    cache.compact(actors)
    progress.close(tally)
    return tally


def _engines(actors: Mapping[str, Actor]) -> tuple[object, ...]:
    """The engines behind the actors, each once; rules have none."""
    found = (getattr(actor, "engine", None) for actor in actors.values())
    return tuple({id(engine): engine for engine in found if engine is not None}.values())


class _Run:
    """The state that the workers of one run share. A worker runs an episode after the other."""

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
        self._admission = Admission(limits.max_in_flight)
        self._workers: set[asyncio.Task[None]] = set()
        self._open = self._allowed = 0  # episodes
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def until_done(self, engines: Sequence[object], progress: Progress) -> None:
        with stop_signals() as stopped:
            ticks = asyncio.create_task(self._tick(engines, progress))
            try:
                waited: set[asyncio.Future[Any]] = {self._over, ticks, stopped}
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                if self._over.done():
                    self._over.result()
                if ticks.done():
                    ticks.result()
                if not self._over.done():
                    name = stopped.result().name
                    done = f"{self._tally.done:,} of {self._tally.total:,}"
                    raise Interrupted(
                        f"stopped by {name}: {done} rollouts are in the cache. "
                        "Start the same run again to go on from there."
                    )
            finally:
                self._over.cancel()  # what workers say from now on is no news
                await _cancel([*self._workers, ticks])

    def _admit(self, engines: Sequence[object]) -> None:
        """Open as many episodes as may be open now; fewer, as some end."""
        now = asyncio.get_running_loop().time()
        waiting = waiting_for_environments()
        load = total_load(engines)
        self._allowed = self._admission.may_be_open(now, self._open, waiting, load)
        while self._open < self._allowed and (item := next(self._queue, None)):
            self._open += 1
            worker = asyncio.create_task(self._work(item))
            self._workers.add(worker)
            worker.add_done_callback(self._ended)
        if not self._open and not self._over.done():
            self._over.set_result(None)

    async def _work(self, item: Pending | None) -> None:
        while item is not None:
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
            item = next(self._queue, None) if self._open <= self._allowed else None
        self._open -= 1

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if worker.cancelled():
            self._over.cancel()
            return
        error = worker.exception()  # of several that fail together, the first is told
        if self._over.done():
            return
        if error is not None:
            self._over.set_exception(error)
        elif not self._open:
            self._over.set_result(None)

    async def _tick(self, engines: Sequence[object], progress: Progress) -> None:
        while True:
            self._admit(engines)
            await asyncio.sleep(min(_TICK_S, progress.every_s))
            self._sink.flush_if_due()
            progress.tick(self._tally)


async def _cancel(futures: Sequence[asyncio.Future[Any]]) -> None:
    for future in futures:
        future.cancel()
    await asyncio.gather(*futures, return_exceptions=True)
