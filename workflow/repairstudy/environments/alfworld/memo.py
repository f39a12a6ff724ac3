"""A bounded memo whose values are computed once, however many threads ask at the same time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class MemoCounts(NamedTuple):
    """`hits` + `misses` requests so far; `held` values are kept now."""

    hits: int
    misses: int
    held: int


class Memo(Generic[Key, Value]):
    """Values by key; the one not used for longest gives way beyond `capacity`. Thread-safe.

    A request for a value that another thread is computing waits for it and counts as a hit. An
    error is not kept: it goes to all who wait, and the next request computes anew.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._lock = Lock()
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._pending: dict[Key, Future[Value]] = {}
        self._hits = self._misses = 0

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of the key, computed if it is not held. Raises what `compute` raises."""
        with self._lock:
            if key in self._values:
                self._hits += 1
                self._values.move_to_end(key)
                return self._values[key]
            pending = self._pending.get(key)
            if pending is not None:
                self._hits += 1
            else:
                self._misses += 1
                mine: Future[Value] = Future()
                self._pending[key] = mine
        if pending is not None:
            return pending.result()
        try:
            value = compute()
        except BaseException as error:
            with self._lock:
                del self._pending[key]
            mine.set_exception(error)
            raise
        self._keep(key, value)
        mine.set_result(value)
        return value

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._values

    def counts(self) -> MemoCounts:
        with self._lock:
            return MemoCounts(self._hits, self._misses, len(self._values))

    def _keep(self, key: Key, value: Value) -> None:
        with self._lock:
            del self._pending[key]
            self._values[key] = value
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
