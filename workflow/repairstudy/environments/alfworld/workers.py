"""The pool of worker processes: who answers what, and what becomes of those that fail."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from repairstudy.environments.alfworld.post import Post
from repairstudy.environments.alfworld.process import WorkerDied, WorkerProcess, WorkerSettings
from repairstudy.errors import StudyError

START_ATTEMPTS = 3  # failed starts in a row after which no worker can be had


class WorkerLost(RuntimeError):
    """Workers died of a request, or none can be started: an infrastructure error."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How many workers there are and when one is replaced.

    Attributes:
        worker: what each is started with.
        size: number of worker processes.
        retries: further workers that a request is given to when one dies of it.
        start_seconds: what a start may take.
        pace_seconds: pause between two starts.
        games_per_worker: games a worker opens before it is replaced.
        memory_per_worker: bytes a worker may hold before it is replaced.
    """

    worker: WorkerSettings = field(default_factory=WorkerSettings)
    size: int = 2
    retries: int = 2
    start_seconds: float = 120.0
    pace_seconds: float = 0.0
    games_per_worker: int = 300
    memory_per_worker: int = 1 << 30


class PoolCounts(NamedTuple):
    """Workers so far: `started`, `lost` (crashed or hung) and `recycled` (replaced in time)."""

    started: int
    lost: int
    recycled: int


class WorkerPool:
    """Worker processes for many threads. The first request starts them all, one by one.

    Starts are made by a thread of the pool's own: the kernel kills a worker when the thread
    that started it ends, and an asking thread may end before the study does.
    """

    def __init__(self, settings: PoolSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._posts: list[Post] = []
        self._broken: Exception | None = None
        self._closed = False
        self._starter: threading.Thread | None = None
        self._starting: WorkerProcess | None = None
        self._started = self._lost = self._recycled = 0

    def ask(self, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The reply to a request about `request["game"]`; a worker may take `seconds` for it.

        Raises:
            WorkerLost: every worker it was given to died of it, or none can be started.
            StudyError: the engine's own: data, versions, replay.
        """
        causes: list[str] = []
        while len(causes) <= self._settings.retries:
            post = self._assign(request["game"])
            try:
                with post.lock:
                    if not post.left:
                        return self._exchange(post, request, seconds)
            except WorkerDied as error:
                causes.append(str(error))
            finally:
                with self._changed:
                    post.waiting -= 1
        raise WorkerLost(
            f"{request['do']} in {request['game']}: {len(causes)} workers died of it "
            f"({'; '.join(causes)})"
        )

    def counts(self) -> PoolCounts:
        with self._changed:
            return PoolCounts(self._started, self._lost, self._recycled)

    def pids(self) -> tuple[int, ...]:
        """Process ids of the workers that are ready now."""
        with self._changed:
            return tuple(post.process.pid for post in self._posts)

    def prewarm(self) -> None:
        """Start the workers now and wait for all of them. Raises as `ask` does."""
        with self._changed:
            self._need_starter()
            self._changed.wait_for(lambda: self._broken or len(self._posts) >= self._settings.size)
            self._raise_if_broken()

    def close(self) -> None:
        """End all workers; requests in progress fail."""
        with self._changed:
            self._closed = True
            posts, self._posts = self._posts, []
            if self._starting is not None:
                self._starting.kill()
            self._changed.notify_all()
        for post in posts:
            post.left = True
            post.process.kill()
            with post.lock:
                post.process.end()
        if self._starter is not None:
            self._starter.join()

    def _assign(self, game: str) -> Post:
        """The worker with the least to do, switching games included."""
        with self._changed:
            self._need_starter()
            self._changed.wait_for(lambda: self._broken or self._closed or self._posts)
            if not self._posts:
                self._raise_if_broken()
            post = min(self._posts, key=lambda post: post.price(game))
            post.waiting += 1
            post.note(game)
            return post

    def _exchange(self, post: Post, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        try:
            reply = post.process.ask(request, seconds)
        except WorkerDied:
            self._dismiss(post, lost=True)
            raise
        if (
            reply["opened"] >= self._settings.games_per_worker
            or reply["rss"] >= self._settings.memory_per_worker
        ):
            self._dismiss(post, lost=False)
        return reply

    def _dismiss(self, post: Post, lost: bool) -> None:
        """End a worker, whose lock the caller holds; the starter replaces it."""
        post.left = True
        post.process.end()
        with self._changed:
            if post in self._posts:
                self._posts.remove(post)
                self._lost += lost
                self._recycled += not lost
            self._changed.notify_all()

    def _need_starter(self) -> None:
        if self._starter is None and not self._closed:
            self._starter = threading.Thread(
                target=self._keep_staffed, name="alfworld worker starter", daemon=True
            )
            self._starter.start()

    def _raise_if_broken(self) -> None:
        if self._closed:
            raise WorkerLost("the pool of workers is closed")
        if self._broken is not None:
            raise self._broken

    def _keep_staffed(self) -> None:
        failures = 0
        while self._short_of_workers():
            try:
                self._welcome(self._start_one())
                failures = 0
            except (WorkerDied, OSError, StudyError) as error:
                failures += 1
                if isinstance(error, StudyError) or failures == START_ATTEMPTS:
                    self._give_up(error)
                    return
            time.sleep(self._settings.pace_seconds)

    def _short_of_workers(self) -> bool:
        """Wait until a worker is wanted; False when the pool is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._posts) < self._settings.size)
            return not self._closed

    def _start_one(self) -> WorkerProcess:
        with self._changed:
            process = self._starting = WorkerProcess(self._settings.worker)
        try:
            process.wait_ready(self._settings.start_seconds)
        except BaseException:
            process.end()
            raise
        return process

    def _welcome(self, process: WorkerProcess) -> None:
        with self._changed:
            if not self._closed:
                self._posts.append(Post(process, self._settings.worker.open_games))
                self._started += 1
                self._changed.notify_all()
                return
        process.end()

    def _give_up(self, error: Exception) -> None:
        with self._changed:
            self._broken = (
                error if isinstance(error, StudyError) else WorkerLost(f"no worker starts: {error}")
            )
            self._changed.notify_all()


_POOLS: dict[PoolSettings, WorkerPool] = {}
_POOLS_LOCK = threading.Lock()


def shared_pool(settings: PoolSettings) -> WorkerPool:
    """The process's one pool with these settings; it is closed when the process ends."""
    with _POOLS_LOCK:
        return _POOLS.setdefault(settings, WorkerPool(settings))


@atexit.register
def close_pools() -> None:
    """Close all shared pools. Environments that hold one can be used no more."""
    with _POOLS_LOCK:
        pools = list(_POOLS.values())
        _POOLS.clear()
    for pool in pools:
        pool.close()
