"""What a check found: it holds, it does not, or it cannot be made here."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

Problems = Iterator[str | None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check of an environment. `passed` is None where it cannot be made; `detail` says why."""

    check: str
    passed: bool | None
    detail: str


class NotApplicable(Exception):
    """A check cannot be made in this environment; the message is the reason."""


class TooSlow(BaseException):
    """A check did not end in its time. No ordinary exception: a scorer must not swallow it."""


def found(
    check: str, problems: Callable[[], Problems], things: str, seconds: float, first: bool = False
) -> Finding:
    """Make a check.

    Args:
        problems: yields one item a thing that is looked at: None, or what is wrong with it.
        things: what the things are, in the plural.
        seconds: after which a check that hangs has failed.
        first: stop at the first problem.
    """
    looked, wrong = 0, list[str]()
    try:
        with _within(seconds):
            for problem in problems():
                looked += 1
                if problem is not None:
                    wrong.append(problem)
                    if first:
                        break
    except NotApplicable as reason:
        return Finding(check, None, f"not applicable: {reason}")
    except TooSlow:
        wrong.append(f"did not end within {seconds:g} s")
    except Exception as error:
        wrong.append(f"{type(error).__name__}: {error}")
    if wrong:
        return Finding(check, False, f"{len(wrong)} problems in {looked:,} {things}: {wrong[0]}")
    if not looked:
        return Finding(check, None, f"not applicable: no {things} to look at")
    return Finding(check, True, f"{looked:,} {things}")


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the body after a time; only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> NoReturn:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
