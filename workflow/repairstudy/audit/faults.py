"""Exceptions planted into scoring: at every line that it executes, one after the other."""

from __future__ import annotations

import ast
import gc
import linecache
import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

from repairstudy.audit import findings
from repairstudy.audit.findings import TooSlow
from repairstudy.environments import Outcome

# What a scorer does through these methods is acting, not scoring: it fails as a whole or not.
ACTING = frozenset(
    (
        "reset", "step", "restore", "snapshot", "plan", "solvable", "describe", "signature",
        "admissible_actions", "instruction", "tasks", "cluster", "knows", "planned",
        "__del__",
    )
)  # fmt: skip
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


class PlantedError(
    TimeoutError, ConnectionError, KeyError, IndexError, ValueError, ZeroDivisionError,
    RecursionError, NotImplementedError, TypeError, AssertionError, EOFError, MemoryError,
):  # fmt: skip
    """Of as many kinds as Python allows, so that a handler of any of them meets it."""


class PlantedAttributeError(AttributeError):
    """Of a kind that cannot be combined with the others."""


class PlantedInterrupt(KeyboardInterrupt):
    """Only a handler of everything stops it."""


KINDS: tuple[type[BaseException], ...] = (PlantedError, PlantedAttributeError, PlantedInterrupt)


class Fault(NamedTuple):
    """One call of a scorer with an exception planted in it.

    `place` is None if no line was left to plant it at; then `outcome` is the plain answer.
    `outcome` beside a `place`: the exception did not come out.
    """

    place: str | None
    outcome: Outcome | None


class Faults:
    """Plants an exception of each kind at each line that a scorer of one state executes.

    A line in the standard library, in an `except` or a `finally` is left alone: nobody could clean
    up if cleaning up failed.

    Args:
        handled: kinds of errors that the scorer handles by intention; they are not planted.
    """

    def __init__(self, handled: tuple[type[BaseException], ...] = ()) -> None:
        self._kinds = [kind for kind in KINDS if not issubclass(kind, handled or ())]
        self._met: set[tuple[CodeType, int, type[BaseException]]] = set()

    def call(self, score: Callable[[], Outcome]) -> Fault:
        """Call it; an exception is raised at the first line that had not every kind yet."""
        place: str | None = None
        aside: FrameType | None = None
        outermost = sys._getframe()

        def plant(frame: FrameType, line: int) -> None:
            nonlocal place
            for kind in self._kinds:
                key = (frame.f_code, line, kind)
                if key not in self._met:
                    self._met.add(key)
                    place = f"{kind.__name__} at {frame.f_code.co_filename}:{line}"
                    raise kind(f"planted by the audit in line {line}")

        def leaving(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal aside
            if event == "return" and frame is aside:
                aside = None
            return leaving

        def tracing(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal aside
            code = frame.f_code
            if place is not None or aside is not None or _is_standard(code.co_filename):
                return None
            if event == "call":
                caller = frame.f_back
                cleaning = (
                    caller is not None
                    and caller is not outermost
                    and caller.f_lineno in _cleaning(caller.f_code.co_filename)
                )
                if cleaning or code.co_name in ACTING:
                    if not cleaning and code.co_name != "__del__":
                        plant(frame, code.co_firstlineno)
                    aside = frame
                    return leaving
                return tracing
            if event == "line" and frame.f_lineno not in _cleaning(code.co_filename):
                plant(frame, frame.f_lineno)
            return tracing

        before, collecting = sys.gettrace(), gc.isenabled()
        gc.disable()  # whoever watches collections is no part of the scorer
        sys.settrace(tracing)
        try:
            outcome: Outcome | None = score()
        except TooSlow:
            raise
        except BaseException:
            if place is None:
                raise
            outcome = None
        finally:
            sys.settrace(before)
            if collecting:
                gc.enable()
        return Fault(place, outcome)


def _is_standard(filename: str) -> bool:
    inside = filename.startswith(_STANDARD_LIBRARY) and "site-packages" not in filename
    return inside or filename.startswith("<frozen") or filename == findings.__file__


@lru_cache(maxsize=1024)
def _cleaning(filename: str) -> frozenset[int]:
    """Lines of a file that handle exceptions or clean up, and the bare `try:` above them."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return frozenset()
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            lines.add(node.lineno)
            parts: list[ast.ExceptHandler | ast.stmt] = [*node.handlers, *node.finalbody]
            for part in parts:
                lines.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return frozenset(lines)
