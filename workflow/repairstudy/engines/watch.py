"""Whether a server that seems healthy gets on with its work."""

from __future__ import annotations

import time

from repairstudy.engines.http import JsonClient
from repairstudy.engines.metrics import read_metrics

_COUNTERS = "_tokens_total"  # vLLM: vllm:prompt_tokens_total, vllm:generation_tokens_total


class Watch:
    """Tells how long a server has been silent although answers are due.

    An answer is progress, and so is a token: vLLM counts those of all requests in its metrics, so
    that one long text does not look like a hang. A server without metrics has to answer.
    """

    def __init__(self, client: JsonClient) -> None:
        self._client = client
        self._seen: tuple[int, float | None] = (-1, None)
        self._since = time.monotonic()

    async def silence(self) -> float:
        """Seconds since progress was last seen; 0 if nothing is due."""
        now = time.monotonic()
        if not self._client.waiting or self._client.answered != self._seen[0]:
            self._seen, self._since = (self._client.answered, self._seen[1]), now
        elif (tokens := await self._tokens()) is not None and tokens != self._seen[1]:
            self._seen, self._since = (self._seen[0], tokens), now
        return now - self._since

    async def _tokens(self) -> float | None:
        """Tokens that the server has read and written so far; None if it does not say."""
        metrics = await read_metrics(self._client.endpoint)
        counts = [sum(values) for name, values in metrics.items() if name.endswith(_COUNTERS)]
        return sum(counts) if counts else None
