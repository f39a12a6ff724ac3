"""Plans from any state of a game, by Fast Downward on a problem without what cannot help."""

from __future__ import annotations

import ctypes
import json
import os
import re
import resource
import select
import signal
import time
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fast_downward

from repairstudy.environments.alfworld.translation import Translations

if TYPE_CHECKING:
    from repairstudy.environments.alfworld.game import Game, State

_ABILITIES = ("pickupable", "heatable", "coolable", "cleanable", "sliceable")
_GOAL = re.compile(r"\(:goal\b")
_FACT = re.compile(rf"\(\s*({'|'.join(_ABILITIES)})\s+([^\s()]+)\s*\)", re.IGNORECASE)
_TYPE = re.compile(r"\(\s*objectType\s+([^\s()]+)\s+([^\s()]+)\s*\)", re.IGNORECASE)
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_PLANS = 20_000  # plans that are kept, of one game


def pruned(problem: str, held: str | None) -> str:
    """The problem in which only objects of the goal's types, and the held one, can be used.

    The held object stays usable because it must be put down; nothing has to be sliced. Blind
    search is then over in milliseconds, with plans of the same cost.
    """
    goal = _GOAL.search(problem)
    start, end = (problem[: goal.start()], problem[goal.start() :]) if goal else (problem, "")
    wanted = {kind.lower() for _, kind in _TYPE.findall(end)}
    useful = {thing.lower() for thing, kind in _TYPE.findall(start) if kind.lower() in wanted}
    useful |= {held} if held else set()

    def keep(fact: re.Match[str]) -> str:
        ability, thing = fact.group(1).lower(), fact.group(2).lower()
        return fact.group() if ability != "sliceable" and thing in useful else ""

    return _FACT.sub(keep, start) + end


class Planner:
    """Plans for one loaded game, each made once.

    The search has neither a time nor a memory limit of its own, so a child process makes it.

    Args:
        game: the game; the library must hold it.
        translations: keeps the pruned problems.
        memory_mb: how much memory a search may take beyond what the process has.
    """

    def __init__(self, game: Game, translations: Translations, memory_mb: int = 1_000) -> None:
        self._game = game
        self._translations = translations
        self._memory = memory_mb * 2**20
        self._plans: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def plan(self, state: State, seconds: float) -> tuple[str, ...] | None:
        """A plan from a state; () when its goal is reached, None when none was found in time."""
        if state.won:
            return ()
        if state.signature not in self._plans:
            operators = self._search(state, seconds)
            if not operators:
                return None  # not kept: more time may help
            self._plans[state.signature] = tuple(map(self._game.command, operators))
            if len(self._plans) > _PLANS:
                self._plans.popitem(last=False)
        return self._plans[state.signature]

    def _search(self, state: State, seconds: float) -> list[str]:
        """The operators of a plan; none if the child found none, or was stopped."""
        until = time.monotonic() + seconds
        now = self._game.truth.now(state.changed)
        held = next((words[1] for name, words in sorted(now) if name == "holds"), None)
        problem = pruned(self._game.problem, held)
        task = self._translations.get(self._game.domain, problem, simplified=True)
        self._game.library.set_state_id(state.number)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            _work(self._game.library, task.sas, self._memory, writing)
        os.close(writing)
        try:
            text = _read_until(reading, until)
        finally:
            os.close(reading)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return json.loads(text) if text.endswith(b"]") else []


def _work(library: Any, sas: str, memory: int, writing: int) -> None:
    """The child's whole life; it must not return into the program of its parent."""
    try:
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)  # the planner's last words are not the parent's answer
        os.dup2(silence, 2)
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        limit = int(pages) * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        library.load_sas_replan(sas.encode())
        if library.replan(False):
            steps = (fast_downward.Operator * library.get_last_plan_length())()
            library.get_last_plan(steps)
            os.write(writing, json.dumps([step.name for step in steps]).encode())
    finally:
        os._exit(0)


def _read_until(reading: int, until: float) -> bytes:
    """All that the child writes, or what it wrote in time."""
    text = b""
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, until - time.monotonic()))
        part = os.read(reading, 65536) if ready else b""
        if not part:
            return text
        text += part
