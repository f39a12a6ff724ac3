"""Several servers of one model as one engine that outlives each of them."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from repairstudy.engines.affinity import GROUP
from repairstudy.engines.base import ChoiceScores, Completion, Engine, Request
from repairstudy.engines.load import Load, total_load
from repairstudy.engines.trouble import Gone, Passing
from repairstudy.errors import EngineError
from repairstudy.records import seed_of

T = TypeVar("T")

# Requests that a group's server may have beyond twice those of the idlest before that one helps.
SLACK = 16
# One that is full is helped as soon as another has more than this share of its places free: to
# read a prompt anew costs less than an idle place, and a few idle ones less than moving about.
FREE = 1 / 8


@dataclass(frozen=True, slots=True)
class Patience:
    """How long trouble is put up with.

    `seconds`: from a request's first trouble to its error, while its servers are away or busy;
    `flukes`: answers that a request may get from working servers and cannot use;
    `first_wait`, doubled with each try up to `longest_wait`: seconds between tries, times 0.5 to
    1.5; the same for how long a server that is away is left alone.
    """

    seconds: float = 300.0
    flukes: int = 8
    first_wait: float = 0.5
    longest_wait: float = 20.0

    def wait(self, tries: int, *key: object) -> float:
        """Seconds before the next try: seeded, yet different for different requests."""
        longest = min(self.first_wait * 2 ** min(tries - 1, 30), self.longest_wait)
        return longest * (0.5 + seed_of("retry", *key, tries) / 2**63)


class _Member:
    """A server and how it has been."""

    def __init__(self, name: str, engine: Engine) -> None:
        self.name = name
        self.engine = engine
        self.in_flight = 0
        self.awake_at = 0.0  # of the loop's clock; until then nobody is sent there
        self.failures = 0  # in a row
        self.gone: Gone | None = None

    def rest(self, until: float) -> None:
        self.awake_at = max(self.awake_at, until)


class Fleet:
    """An `Engine` that sends each request to one of its members, and on to another in trouble.

    A member that is away rests, longer each time, and is tried again; so it comes back by itself.
    A request is put again until it is answered, or `patience` is spent.

    Args:
        members: engines of the same model by name; closed with this one.
        sticky: requests of one group (`affinity.GROUP`) go to the same member while that one is
            neither away nor far busier than the rest. Otherwise, and without a group, the member
            with the fewest requests in flight is asked.
        places: requests that a member takes at once; None: any number.
    """

    def __init__(
        self,
        members: Sequence[tuple[str, Engine]],
        patience: Patience | None = None,
        sticky: bool = False,
        places: int | None = None,
    ) -> None:
        self._members = [_Member(name, engine) for name, engine in members]
        self._patience = patience or Patience()
        self._sticky = sticky and len(self._members) > 1
        self._places = places
        self._asked = 0  # questions that are not answered yet

    async def complete(self, request: Request) -> Completion:
        key = (request.prompt, request.seed)
        return await self._ask(lambda engine: engine.complete(request), *key)

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        return await self._ask(lambda engine: engine.score(prompt, choices), prompt)

    def load(self) -> Load | None:
        """That of the members that are awake; requests that wait for another try are queued."""
        awake = self._awake()
        if not awake:
            return Load(0, 0, self._asked)
        found = total_load(member.engine for member in awake)
        return found and replace(found, queued=max(self._asked - found.running, 0))

    async def close(self) -> None:
        closing = [member.engine.close() for member in self._members]
        for outcome in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _ask(self, ask: Callable[[Engine], Awaitable[T]], *key: object) -> T:
        """Put a question until it is answered.

        Raises:
            WrongModel, RequestRefused, ConfigError: asking again would not help.
            EngineError: patience is spent, or no member will ever answer again.
        """
        self._asked += 1
        try:
            return await self._until_answered(ask, key)
        finally:
            self._asked -= 1

    async def _until_answered(
        self, ask: Callable[[Engine], Awaitable[T]], key: tuple[object, ...]
    ) -> T:
        call = _Call(self._patience)
        while True:
            member = await self._choose(call)
            member.in_flight += 1
            try:
                answer = await ask(member.engine)
            except Gone as error:
                member.gone = error
                continue
            except Passing as trouble:
                call.had(trouble, member.name)
                self._note(member, trouble, key)
            else:
                member.failures = 0
                return answer
            finally:
                member.in_flight -= 1
            if not self._others(member):
                await call.wait(self._patience.wait(call.tries, *key))

    def _note(self, member: _Member, trouble: Passing, key: tuple[object, ...]) -> None:
        now = asyncio.get_running_loop().time()
        if trouble.away and member.awake_at <= now:  # one rest for all whose requests it took
            member.failures += 1
            member.rest(now + self._patience.wait(member.failures, member.name, *key))
        if trouble.wait_s:
            member.rest(now + trouble.wait_s)

    def _others(self, member: _Member) -> bool:
        return any(other is not member for other in self._awake())

    def _awake(self) -> list[_Member]:
        now = asyncio.get_running_loop().time()
        return [m for m in self._members if m.gone is None and m.awake_at <= now]

    async def _choose(self, call: _Call) -> _Member:
        """A member that is awake, not the one of the last trouble if there is another."""
        while True:
            left = [member for member in self._members if member.gone is None]
            if not left:
                gone = self._members[0].gone
                raise EngineError(str(gone)) from gone
            awake = self._awake()
            if awake:
                fresh = [member for member in awake if member.name != call.last]
                return self._best(fresh or awake)
            first = min(member.awake_at for member in left)
            await call.wait(first - asyncio.get_running_loop().time())

    def _best(self, members: Sequence[_Member]) -> _Member:
        least = min(members, key=lambda member: member.in_flight)
        group = GROUP.get() if self._sticky else ""
        if not group or len(members) == 1:
            return least
        home = max(members, key=lambda member: _rank(group, member.name))
        most = self._places or math.inf
        if home.in_flight >= most and least.in_flight < most * (1 - FREE):
            return least
        return home if home.in_flight <= 2 * least.in_flight + SLACK else least


class _Call:
    """One question: what became of it so far, and how much patience is left for it."""

    def __init__(self, patience: Patience) -> None:
        self.last: str | None = None  # member of the last trouble
        self.tries = 0
        self._patience = patience
        self._flukes = 0
        self._began: float | None = None
        self._trouble: Passing | None = None

    def had(self, trouble: Passing, name: str) -> None:
        """Remember a trouble; raise EngineError if it was one too many."""
        self._start()
        self.tries += 1
        self.last, self._trouble = name, trouble
        if not (trouble.away or trouble.busy):
            self._flukes += 1
            if self._flukes >= self._patience.flukes:
                raise self._error()

    async def wait(self, seconds: float) -> None:
        """Sleep; raise EngineError at once if patience does not last so long."""
        now = self._start()
        assert self._began is not None
        if now + seconds - self._began > self._patience.seconds:
            raise self._error(seconds)
        await asyncio.sleep(max(seconds, 0.0))

    def _start(self) -> float:
        now = asyncio.get_running_loop().time()
        if self._began is None:
            self._began = now
        return now

    def _error(self, wait: float = 0.0) -> EngineError:
        assert self._began is not None
        spent = asyncio.get_running_loop().time() - self._began
        asked = self._trouble.wait_s if self._trouble else wait
        until = f"; it asks to wait {asked:.0f} s" if asked else ""
        what = self._trouble or "all servers are being left alone after errors"
        return EngineError(f"{what} (try {max(self.tries, 1)}, after {spent:.0f} s{until})")


@lru_cache(maxsize=65_536)
def _rank(group: str, member: str) -> bytes:
    """Rendezvous hashing: when a member goes, only its own groups move."""
    return hashlib.blake2b(f"{group}\0{member}".encode(), digest_size=8).digest()
