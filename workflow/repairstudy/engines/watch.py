"""Whether a server that seems healthy gets on with its work."""

from __future__ import annotations

import time

import httpx

from repairstudy.engines.http import JsonClient

METRICS_TIMEOUT_S = 5.0
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
        try:
            async with httpx.AsyncClient(
                timeout=METRICS_TIMEOUT_S, trust_env=False, verify=False
            ) as client:
                answer = await client.get(f"{self._client.endpoint.root}/metrics")
            counts = [
                float(line.rsplit(" ", 1)[1])
                for line in answer.text.splitlines()
                if line.startswith("vllm:") and _COUNTERS in line
            ]
        except (httpx.HTTPError, ValueError, IndexError):
            return None
        return sum(counts) if counts else None
