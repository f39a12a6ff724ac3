"""How many episodes may be open: enough to fill the engine, no more than its cache remembers.

An open episode is in one of four places: at the engine, in the queue before it, waiting for an
environment, or elsewhere: stepping, starting or ending. Too few open ones leave the engine's batch
half empty while environments work. Too many take turns, and each finds that the engine has
forgotten its prefix when its turn comes: the queue goes round, which is the worst order for a cache
that drops what was used least recently.

Little's law says how many it takes. If for each request that runs there are `elsewhere / running`
episodes away from the engine, then

    n = places + away + sqrt(away) + 1,    away = places * elsewhere / running,

keep all places filled: square-root staffing for the chance that many are away at once, and one to
take the place of an episode that ends. Episodes that start or end need no term of their own: they
are part of `elsewhere`, in the share of time that starting and ending takes. Those that wait for an
environment are not: more of them would only lengthen that queue.

Not more than 0.8 times as many as the engine's cache holds, because beyond that it forgets nearly
all at once. In simulations (`tests/rollouts/test_rollout_admission.py`) this reaches what the best
fixed number does within 1 to 10 per cent, so nothing cleverer is needed.
"""

from __future__ import annotations

import math

from repairstudy.engines.load import Load

MEMORY_S = 5.0  # how long a moment counts in the means
CACHE_FILLED = 0.8


class Admission:
    """Says from moment to moment how many episodes may be open; decides nothing else.

    Args:
        most: never more than this.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._moment: float | None = None
        self._running = _Mean()
        self._elsewhere = _Mean()
        self._holds = _Mean()

    def may_be_open(self, now: float, opened: int, waiting: int, load: Load | None) -> int:
        """At least 1, at most `most`.

        Args:
            now: seconds of any clock; calls come in its order.
            opened: episodes that are open.
            waiting: those of them that wait for an environment.
            load: of the engine; None: it takes any number of requests.
        """
        if load is None:
            return self._most
        self._see(now, opened, waiting, load)
        away = load.places * self._elsewhere.value / max(self._running.value, 1e-9)
        wanted = load.places + away + math.sqrt(away) + 1
        if self._holds.weight:
            wanted = min(wanted, CACHE_FILLED * self._holds.value)
        return max(1, min(int(wanted), self._most))

    def _see(self, now: float, opened: int, waiting: int, load: Load) -> None:
        if self._moment is None:
            # Until it is known better, environments take no time: a run begins with starts
            # alone, and would open far too many if it took them for what is to come.
            self._running.add(float(load.places), MEMORY_S)
            self._elsewhere.add(0.0, MEMORY_S)
            self._moment = now
        passed, self._moment = now - self._moment, now
        if not load.places:  # the engine is down, which says nothing about the environments
            return
        self._running.add(float(load.running), passed)
        away = opened - waiting - load.running - load.queued
        self._elsewhere.add(float(max(away, 0)), passed)
        if load.holds is not None:
            self._holds.add(load.holds, passed)


class _Mean:
    """A mean over time that forgets exponentially."""

    def __init__(self) -> None:
        self.weight = 0.0
        self._sum = 0.0

    @property
    def value(self) -> float:
        return self._sum / self.weight if self.weight else 0.0

    def add(self, value: float, seconds: float) -> None:
        """`value` has held for so long."""
        kept = math.exp(-seconds / MEMORY_S)
        self.weight = self.weight * kept + seconds
        self._sum = self._sum * kept + value * seconds
