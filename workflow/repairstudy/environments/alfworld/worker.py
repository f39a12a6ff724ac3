"""A worker process: holds engines with open games and answers the pool, one request at a time.

It never outlives its owner: it ends when the owner's end of the socket closes, and the kernel
kills it when the owner dies while it is busy. It leaves by `os._exit`, since the planner library
may crash at an ordinary exit, when nothing is left to lose.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import os
import resource
import signal
import socket
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repairstudy.environments.alfworld.messages import receive, send
from repairstudy.environments.alfworld.position import as_list
from repairstudy.errors import DataError, ReplayMismatch, StudyError

PR_SET_PDEATHSIG = 1
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class OpenGame:
    """An engine, its game's first position, and the signature of the state it stands at."""

    engine: Any
    start: Any
    at: str


class Desk:
    """Answers requests with a few engines, each holding one open game.

    Args:
        engine: the class, called with the folder of translations or None.
        open_games: how many games may be open at once; the one not used for longest gives way.
    """

    def __init__(self, engine: type[Any], translations: Path | None, open_games: int) -> None:
        self._make = engine
        self._translations = translations
        self._room = open_games
        self._games: OrderedDict[str, OpenGame] = OrderedDict()
        self._spare = engine(translations)  # made now: a refusal of versions comes at the start
        self.opened = 0

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to one request: `do` is open, step, plan or describe.

        Raises:
            ReplayMismatch: the path leads to another state than the signature says.
        """
        game = request["game"]
        if request["do"] == "open":
            current = self._open(game)
            return {"position": as_list(current.start), "task": current.engine.task}
        current = self._stand(game, request["signature"], request["path"])
        if request["do"] == "step":
            position = current.engine.step(request["action"])
            current.at = position.signature
            return {"position": as_list(position)}
        if request["do"] == "plan":
            plan = current.engine.plan(request["seconds"])
            return {"plan": None if plan is None else list(plan)}
        return {"text": current.engine.describe()}

    def _stand(self, game: str, signature: str, path: Sequence[str]) -> OpenGame:
        """The game, standing at the state: restored if the engine knows it, else replayed."""
        current = self._open(game)
        if current.at == signature:
            return current
        if current.engine.knows(signature):
            self._go_to(current, signature)
            return current
        self._to_start(current, game)
        for action in path:
            current.at = current.engine.step(action).signature
        if current.at != signature:
            raise ReplayMismatch(
                f"{game}: {len(path)} actions from the start lead to state {current.at}, "
                f"recorded was {signature}"
            )
        return current

    def _open(self, game: str) -> OpenGame:
        if game in self._games:
            self._games.move_to_end(game)
            return self._games[game]
        if self._spare is not None:
            engine, self._spare = self._spare, None
        elif len(self._games) < self._room:
            engine = self._make(self._translations)
        else:
            engine = self._games.popitem(last=False)[1].engine
        try:
            position = engine.open(Path(game))
        except BaseException:
            self._spare = engine
            raise
        self.opened += 1
        self._games[game] = OpenGame(engine, position, position.signature)
        return self._games[game]

    def _to_start(self, current: OpenGame, game: str) -> None:
        if current.engine.knows(current.start.signature):
            self._go_to(current, current.start.signature)
        else:
            current.engine.open(Path(game))
            current.at = current.start.signature

    def _go_to(self, current: OpenGame, signature: str) -> None:
        try:
            current.engine.go_to(signature)
        except ReplayMismatch as error:  # what it remembers is gone, not what the study recorded
            raise RuntimeError(str(error)) from error
        current.at = signature


def serve(channel: socket.socket, desk: Desk) -> None:
    """Answer until the owner has gone."""
    while True:
        request = receive(channel)
        try:
            reply = desk.answer(request)
        except StudyError as error:
            reply = {"study_error": _told(error)}
        except Exception as error:
            reply = {"engine_error": f"{type(error).__name__}: {error}"}
        send(channel, {**reply, "opened": desk.opened, "rss": resident()})


def resident() -> int:
    """Bytes of memory this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def _told(error: StudyError) -> list[str]:
    """A study's error as its class and arguments."""
    if isinstance(error, DataError):
        return ["DataError", error.path, error.problem, error.remedy]
    return [type(error).__name__, str(error)]


def _die_with(owner: int) -> None:
    """SIGKILL for this process when the thread that started it ends (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:  # it died before we asked
        os._exit(0)


def _load(name: str) -> type[Any]:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def main() -> None:
    """Run with the socket's descriptor and the owner's process id as arguments."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    _die_with(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the owner's to handle
    faulthandler.enable()
    try:
        settings = receive(channel)
        sys.argv[1:] = []  # the translator reads and overwrites them
        resource.setrlimit(resource.RLIMIT_AS, (settings["address_space"],) * 2)
        translations = settings["translations"]
        try:
            desk = Desk(
                _load(settings["engine"]),
                Path(translations) if translations else None,
                settings["open_games"],
            )
        except StudyError as error:
            send(channel, {"study_error": _told(error)})
            os._exit(0)
        send(channel, {"ready": True})
        serve(channel, desk)
    except (EOFError, OSError):
        os._exit(0)
    except BaseException:
        faulthandler.disable()
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
