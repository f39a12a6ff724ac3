"""What a vLLM server counts of itself, and what that says of its cache of prefixes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

from repairstudy.engines.connection import BrokenAnswer, Connection, NoAnswer, tls_of
from repairstudy.engines.endpoint import Endpoint

TIMEOUT_S = 5.0
LOOK_S = 2.0  # between two looks of a gauge; the page takes a millisecond to read
RUNNING, WAITING = "vllm:num_requests_running", "vllm:num_requests_waiting"
USED = "vllm:kv_cache_usage_perc"  # from 0 to 1, in spite of its name; of running requests alone


async def read_metrics(endpoint: Endpoint) -> dict[str, list[float]]:
    """The values of vLLM's metrics by name, one for each set of labels; empty if it has none."""
    connection = Connection(endpoint.url, tls_of(endpoint.url), {})
    try:
        async with asyncio.timeout(TIMEOUT_S):
            answer = await connection.ask("GET", f"{endpoint.root}/metrics", b"", {})
        return parse_metrics(answer.content.decode("utf-8", errors="replace"))
    except (OSError, BrokenAnswer, NoAnswer, ValueError):
        return {}
    finally:
        connection.close()


def parse_metrics(text: str) -> dict[str, list[float]]:
    """vLLM's own samples in Prometheus' text format.

    Raises:
        ValueError: it is something else.
    """
    found: dict[str, list[float]] = {}
    for line in text.splitlines():
        if line.startswith("vllm:"):
            name, _, value = line.rpartition(" ")
            found.setdefault(name.partition("{")[0], []).append(float(value))
    return found


def room_for(metrics: Mapping[str, Sequence[float]], own: int) -> float | None:
    """Conversations like the running ones that the cache holds of `own` requests' owner.

    The running requests pin their blocks, a shared prefix once; so running / used is how many such
    conversations fill it. Of a server that others use too, the owner gets its share of requests.
    """
    running, waiting = sum(metrics.get(RUNNING, ())), sum(metrics.get(WAITING, ()))
    used = metrics.get(USED, ())
    if not running or not own or not sum(used):
        return None
    share = min(own / (running + waiting), 1.0)
    return share * running / (sum(used) / len(used))


class CacheGauge:
    """Knows for how many conversations a server's cache has room; looks now and then.

    Args:
        endpoint: the server.
        own: this process's requests that are there now.
    """

    def __init__(self, endpoint: Endpoint, own: Callable[[], int]) -> None:
        self._endpoint = endpoint
        self._own = own
        self._room: float | None = None
        self._looked = -LOOK_S
        self._looking: asyncio.Task[None] | None = None

    def room(self) -> float | None:
        """As seen last; None if the server does not say, or was idle."""
        now = time.monotonic()
        if now - self._looked >= LOOK_S and (self._looking is None or self._looking.done()):
            self._looked = now
            self._looking = asyncio.create_task(self._look())
        return self._room

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        metrics = await read_metrics(self._endpoint)
        self._room = room_for(metrics, self._own())
