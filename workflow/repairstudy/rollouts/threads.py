"""Threads for calls that wait for another process, and may wait for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any


class WaitingThreads(Executor):
    """Runs calls in daemon threads: one that never returns does not keep the job from ending.

    The standard library's pool joins its threads when the interpreter exits.

    Args:
        most: threads at most, those that were given up not counted.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._started = 0
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._calls.put((future, lambda: fn(*args, **kwargs)))
        with self._lock:
            if not self._idle.acquire(blocking=False) and self._started < self._most:
                self._started += 1
                name = f"environment {self._started}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        return future

    @property
    def waiting(self) -> int:
        """Calls that wait for a thread."""
        return self._calls.qsize()

    def give_up_one(self) -> None:
        """A call will not return: let another thread take its place."""
        with self._lock:
            self._most += 1

    def _work(self) -> None:
        while True:
            future, call = self._calls.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:
                    future.set_exception(error)
            self._idle.release()
