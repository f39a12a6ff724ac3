"""JSON over HTTP to one model server: one try at a time, no key in any error."""

from __future__ import annotations

import asyncio
import email.utils
import itertools
import json
import math
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC
from typing import Any, NoReturn, TypeVar

from repairstudy.engines.connection import Answer, BrokenAnswer, Connection, NoAnswer, tls_of
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.pressure import Pressure
from repairstudy.engines.trouble import Malformed, Passing
from repairstudy.errors import EngineError, RequestRefused

PASSING = frozenset({408, 409, 425, 429}) | frozenset(range(500, 600))
BUSY = (429, 503)
REFUSED = (400, 422)  # the request itself is wrong
SHOWN = 300  # characters of a server's own words

T = TypeVar("T")


class JsonClient:
    """Sends JSON and gets JSON, once; who asks decides whether to ask again.

    Belongs to the event loop in which it is first used.

    Args:
        endpoint: the server.
        key: bearer token; appears in no error and no log.
        on_connect: awaited before an answer that came over a new connection is believed: the
            server may have been replaced since.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        key: str | None = None,
        on_connect: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.pressure = Pressure(endpoint.concurrency)
        self.answered = 0  # requests that got an answer of any kind
        self.waiting = 0  # requests that were sent and not answered yet
        self._key = key
        self._on_connect = on_connect
        self._connections = _Connections(endpoint, key)
        self._owner = f"rs{secrets.token_hex(6)}"
        self._foreign = re.compile(rf"{self._owner}-\d+")
        self._numbers = itertools.count()

    async def get(self, url: str, read: Callable[[dict[str, Any]], T]) -> T:
        """As `post`, without a body; a new connection is no reason to doubt the answer."""
        return await self._exchange("GET", url, None, read, trusted=True)

    async def post(
        self,
        url: str,
        body: Mapping[str, Any],
        read: Callable[[dict[str, Any]], T],
        trusted: bool = False,
    ) -> T:
        """What `read` makes of the answer.

        Args:
            read: raises Malformed if the answer is not what was asked for.
            trusted: do not wait for `on_connect`.

        Raises:
            Passing: another try makes sense.
            RequestRefused: this request will never be answered.
            EngineError: nothing will be, as with a wrong key.
        """
        return await self._exchange("POST", url, body, read, trusted)

    async def close(self) -> None:
        self._connections.close()

    async def _exchange(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None,
        read: Callable[[dict[str, Any]], T],
        trusted: bool,
    ) -> T:
        async with self.pressure.one() as entered, self._connections.one() as connection:
            self.waiting += 1
            try:
                answer = await self._answer(connection, method, url, body)
                found = read(answer)
            except Passing as trouble:
                if trouble.busy:
                    self.pressure.complained(entered)
                if isinstance(trouble, Malformed):
                    connection.close()  # who knows whose answers still sit in it
                raise
            finally:
                self.waiting -= 1
            self.pressure.eased(entered)
            fresh = connection.fresh
        if fresh and not trusted and self._on_connect is not None:
            await self._on_connect()
        return found

    async def _answer(
        self, connection: Connection, method: str, url: str, body: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        asked = f"{self._owner}-{next(self._numbers)}"
        content = json.dumps(body).encode() if body is not None else b""
        try:
            async with asyncio.timeout(self.endpoint.timeout):
                response = await connection.ask(method, url, content, {"X-Request-Id": asked})
        except TimeoutError:
            raise Passing(
                f"{url}: no answer in time ({self.endpoint.timeout:g} s)", away=True
            ) from None
        except NoAnswer as error:
            raise Passing(f"{url}: {error}", away=True) from None
        except OSError as error:  # refused, unreachable, no such name, no valid certificate
            said = error.strerror or str(error)
            raise Passing(f"{url}: connection failed ({said})", away=True) from None
        except BrokenAnswer as error:
            raise Passing(f"{url}: connection failed ({self._safe(str(error))})") from None
        self.answered += 1
        if not 200 <= response.status < 300:
            self._complain(url, response)
        try:
            answer = json.loads(response.content)
        except ValueError:
            raise Malformed(f"{url}: broken JSON ({len(response.content)} bytes)") from None
        if not isinstance(answer, dict):
            raise Malformed(f"{url}: JSON that is no object")
        self._check_whose(url, answer, asked, connection)
        return answer

    def _check_whose(
        self, url: str, answer: dict[str, Any], asked: str, connection: Connection
    ) -> None:
        """An answer that came twice must not be taken for that of the next request.

        vLLM puts the request's id into the answer's; other servers give each answer an id.
        """
        said = answer.get("id")
        if not isinstance(said, str):
            return
        named = self._foreign.search(said)
        if said == connection.last_id or (named and named.group() != asked):
            raise Malformed(f"{url}: the answer to another request came")
        connection.last_id = said

    def _complain(self, url: str, response: Answer) -> NoReturn:
        code = response.status
        problem = f"{url}: status {code}: {self._said(response.content)}"
        if code in PASSING:
            raise Passing(problem, wait_s=_retry_after(response), busy=code in BUSY)
        if code in (401, 403):
            problem += "; is the key that api_key_env or api_key_file names right?"
        raise (RequestRefused if code in REFUSED else EngineError)(problem)

    def _said(self, content: bytes) -> str:
        """The server's own words, shortened."""
        text = content.decode("utf-8", errors="replace")
        try:
            answer = json.loads(content)
            error = answer.get("error", answer)
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, AttributeError):
            pass
        return self._safe(" ".join(text.split()))[:SHOWN]

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


class _Connections:
    """Connections, each lent to one request at a time."""

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        self._free: list[Connection] = []
        self._closed = False
        self._url = endpoint.url
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Connection]:
        connection = self._free.pop() if self._free else self._new()
        try:
            yield connection
        finally:
            if self._closed:
                connection.close()
            else:
                self._free.append(connection)

    def _new(self) -> Connection:
        return Connection(self._url, tls_of(self._url), self._headers)

    def close(self) -> None:
        self._closed = True
        while self._free:
            self._free.pop().close()


def _retry_after(response: Answer) -> float:
    """Seconds that the server asks to wait: a number or a date; 0 if it does not ask."""
    text = response.headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(text)
        except (ValueError, TypeError):
            return 0.0
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        seconds = moment.timestamp() - time.time()
    return max(seconds, 0.0) if not math.isnan(seconds) else 0.0
