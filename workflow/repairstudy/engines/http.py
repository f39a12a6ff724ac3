"""JSON over HTTP to a model server: bounded concurrency, seeded retries, no key in any error."""

from __future__ import annotations

import asyncio
import email.utils
import os
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from repairstudy.errors import ConfigError, EngineError, RequestRefused
from repairstudy.records import seed_of

RETRIED = frozenset({408, 409, 429}) | frozenset(range(500, 600))
REFUSED = (400, 422)  # the request itself is wrong


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server answers, and how patient to be with it.

    `url` is the base of the OpenAI routes and mostly ends in /v1. `timeout`: seconds a request
    may take; `attempts`: how often it is tried; `patience`: seconds of waiting between tries in
    all; `first_wait`, doubled with each try, up to `longest_wait`, each in seconds.
    """

    url: str
    concurrency: int = 32
    timeout: float = 120.0
    attempts: int = 8
    patience: float = 120.0
    first_wait: float = 0.5
    longest_wait: float = 20.0

    def __post_init__(self) -> None:
        parsed = httpx.URL(self.url)
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise ConfigError(f"url: {self.url!r} (accepted: http://host:port/v1 or https://...)")
        if parsed.userinfo:
            raise ConfigError(f"url: holds a password (host {parsed.host}); use api_key_env")
        object.__setattr__(self, "url", self.url.rstrip("/"))

    @property
    def root(self) -> str:
        """The server's own routes, beside the OpenAI ones."""
        return self.url.removesuffix("/v1")


def key_from_environment(variable: str | None) -> str | None:
    """The key that an environment variable holds; None without a variable.

    Raises:
        ConfigError: the variable is not set.
    """
    if variable is None:
        return None
    if not os.environ.get(variable):
        raise ConfigError(f"api_key_env: the environment variable {variable} is not set")
    return os.environ[variable]


class JsonClient:
    """Sends JSON and gets JSON.

    Belongs to the event loop in which it is first used.

    Args:
        endpoint: the server.
        key: bearer token; appears in no error and no log.
        died: tells why the server can never answer again, or None; asked before each retry.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        key: str | None = None,
        died: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.endpoint = endpoint
        self._key = key
        self._died = died
        self._connections = _Connections(endpoint, key)

    async def get(self, url: str) -> dict[str, Any]:
        return await self._request("GET", url, None)

    async def post(self, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._request("POST", url, body)

    async def close(self) -> None:
        await self._connections.close()

    async def _request(self, method: str, url: str, body: Mapping[str, Any] | None) -> Any:
        """One exchange, retried while that makes sense.

        Raises:
            EngineError: refused, or still failing after all attempts; says what the last one got.
        """
        waited = 0.0
        for attempt in range(1, self.endpoint.attempts + 1):
            problem, wait_asked = await self._try(method, url, body)
            if not isinstance(problem, str):
                return problem.json()
            cause = self._died()
            if cause is not None:
                raise EngineError(f"{url}: {problem}; the server has ended: {cause}")
            wait = max(self._backoff(url, body, attempt), wait_asked)
            if attempt == self.endpoint.attempts or waited + wait > self.endpoint.patience:
                break
            waited += wait
            await asyncio.sleep(wait)
        asked = f"; it asks to wait {wait_asked:.0f} s" if wait_asked else ""
        raise EngineError(
            f"{url}: {problem} (attempt {attempt} of {self.endpoint.attempts}, "
            f"after {waited:.0f} s of waiting{asked})"
        )

    async def _try(
        self, method: str, url: str, body: Mapping[str, Any] | None
    ) -> tuple[httpx.Response | str, float]:
        """A good response, or what went wrong and may not the next time; seconds to wait."""
        async with self._connections.one() as client:
            try:
                response = await client.request(method, url, json=body)
            except httpx.TimeoutException as error:
                return f"no answer in time ({type(error).__name__})", 0.0
            except httpx.TransportError as error:
                return f"connection failed ({type(error).__name__}: {self._safe(str(error))})", 0.0
        if response.status_code in RETRIED:
            return f"status {response.status_code}: {self._said(response)}", _retry_after(response)
        if not response.is_success:
            refused = RequestRefused if response.status_code in REFUSED else EngineError
            raise refused(self._refusal(url, response))
        try:
            response.json()
        except ValueError:
            return f"broken JSON ({len(response.content)} bytes)", 0.0
        return response, 0.0

    def _refusal(self, url: str, response: httpx.Response) -> str:
        hint = ""
        if response.status_code in (401, 403):
            hint = "; is the key in the variable that api_key_env names right?"
        return f"{url}: status {response.status_code}: {self._said(response)}{hint}"

    def _said(self, response: httpx.Response) -> str:
        """The server's own words, shortened."""
        try:
            content = response.json()
            error = content.get("error", content)
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, AttributeError):
            text = response.text
        return self._safe(" ".join(text.split())[:300])

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    def _backoff(self, url: str, body: Mapping[str, Any] | None, attempt: int) -> float:
        """Exponential, times 0.5 to 1.5: seeded, yet different for different requests."""
        longest = min(self.endpoint.first_wait * 2 ** (attempt - 1), self.endpoint.longest_wait)
        return longest * (0.5 + seed_of("retry", url, dict(body or {}), attempt) / 2**63)


class _Connections:
    """At most `concurrency` connections, each lent to one request at a time.

    Each is a client of its own: one client with many connections looks at all of them for every
    request, which at 32 of them costs more than the request itself.
    """

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._free: list[httpx.AsyncClient] = []
        self._all: list[httpx.AsyncClient] = []
        # Loading certificates takes a while: once is enough, and never for a local server.
        secure = endpoint.url.startswith("https:")
        self._verify = ssl.create_default_context() if secure else False
        self._timeout = httpx.Timeout(endpoint.timeout, connect=min(endpoint.timeout, 10.0))
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    @asynccontextmanager
    async def one(self) -> AsyncIterator[httpx.AsyncClient]:
        async with self._slots:
            client = self._free.pop() if self._free else self._new()
            try:
                yield client
            finally:
                self._free.append(client)

    def _new(self) -> httpx.AsyncClient:
        client = httpx.AsyncClient(
            headers=self._headers,
            timeout=self._timeout,
            limits=httpx.Limits(max_connections=1),
            verify=self._verify,
            trust_env=False,  # a proxy for the internet must not see requests to a local server
        )
        self._all.append(client)
        return client

    async def close(self) -> None:
        for client in self._all:
            await client.aclose()


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks to wait: a number or a date; 0 if it does not ask."""
    text = response.headers.get("Retry-After", "")
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except ValueError:
        return 0.0
