"""Stopping a run on Ctrl-C or a scheduler's SIGTERM without losing what is finished."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from repairstudy.errors import StudyError

STOPPING = (signal.SIGINT, signal.SIGTERM)


class Interrupted(StudyError):
    """The run was asked to stop; what had finished is in the cache."""


@contextmanager
def stop_signals() -> Iterator[asyncio.Future[signal.Signals]]:
    """A future that resolves to the first stopping signal while the context is open.

    Outside the main thread, where signals cannot be caught, it never resolves.
    """
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[signal.Signals] = loop.create_future()

    def stop(number: signal.Signals) -> None:
        if not stopped.done():
            stopped.set_result(number)

    caught = STOPPING if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.getsignal(number) for number in caught}
    for number in caught:
        loop.add_signal_handler(number, stop, number)
    try:
        yield stopped
    finally:
        stopped.cancel()
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            if handler is not None:  # None: it was not set from Python and cannot be
                signal.signal(number, handler)
