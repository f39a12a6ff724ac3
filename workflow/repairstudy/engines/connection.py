"""One HTTP/1.1 connection that is asked one thing at a time, at little cost.

A rollout job puts hundreds of requests a second. The protocol is h11's; what a general client adds
to it (redirects, cookies, proxies, pools) takes several times as long and is not needed here, while
what is needed, to know whether a connection is new and whether more came over it than was asked
for, such a client does not tell.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import h11

LARGEST_ANSWER = 32 * 2**20  # bytes; no answer that is asked for comes near
CONNECT_S = 10.0  # to the end of the TLS handshake
SILENCE_S = 30.0  # within an answer that has begun; the caller limits the whole of it


class BrokenAnswer(Exception):
    """The connection ended within an answer, or what came is no HTTP or too long."""


class NoAnswer(Exception):
    """A server that nobody can connect to in time, or that falls silent within an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers by lower-case name, and content."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Connection:
    """A connection to one server, opened when it is needed and again after it has closed.

    Args:
        url: of the server; host, port and scheme count.
        tls: for https (`tls_of`).
        headers: sent with every request.

    Attributes:
        fresh: whether the last answer came over a connection that was opened for it.
        last_id: for who asks, what the last answer was called.
    """

    def __init__(self, url: str, tls: ssl.SSLContext | None, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._tls = parts.hostname or "", tls
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._headers = {"Host": parts.netloc, "Accept": "application/json", **headers}
        self._wire: _Wire | None = None
        self._protocol = h11.Connection(h11.CLIENT)
        self.fresh = True
        self.last_id: str | None = None

    async def ask(
        self, method: str, url: str, content: bytes, headers: Mapping[str, str]
    ) -> Answer:
        """One request and its answer.

        Raises:
            ConnectionRefusedError and other OSErrors: the server cannot be reached.
            BrokenAnswer: no whole answer came.
            NoAnswer: connecting, or the next piece of an answer, took too long.
        """
        wire = self._wire
        self.fresh = wire is None or wire.stale
        if wire is None or self.fresh:
            self.close()
            wire = self._wire = await self._open()
        try:
            answer = await self._exchange(wire, method, urlsplit(url).path, content, headers)
        except h11.ProtocolError as error:
            self.close()
            raise BrokenAnswer(f"no HTTP: {error}") from None
        except BaseException:
            self.close()
            raise
        if self._protocol.our_state is h11.DONE and self._protocol.their_state is h11.DONE:
            if self._protocol.trailing_data[0]:  # more than was asked for: not for the next one
                self.close()
            else:
                self._protocol.start_next_cycle()
        else:
            self.close()
        return answer

    def close(self) -> None:
        """Never use the present connection again."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        self._protocol = h11.Connection(h11.CLIENT)
        self.last_id = None

    async def _open(self) -> _Wire:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_S):
                _, wire = await loop.create_connection(_Wire, self._host, self._port, ssl=self._tls)
        except TimeoutError:
            raise NoAnswer(f"no connection in time ({CONNECT_S:g} s)") from None
        return wire

    async def _exchange(
        self, wire: _Wire, method: str, path: str, content: bytes, headers: Mapping[str, str]
    ) -> Answer:
        sent = {**self._headers, **headers, "Content-Length": str(len(content))}
        request = h11.Request(method=method, target=path, headers=list(sent.items()))
        protocol = self._protocol
        data = [protocol.send(request), protocol.send(h11.Data(data=content))]
        wire.write(b"".join(part for part in [*data, protocol.send(h11.EndOfMessage())] if part))
        response: h11.Response | None = None
        received, begun = bytearray(), False
        while True:
            event = protocol.next_event()
            if event is h11.NEED_DATA:
                protocol.receive_data(await self._more(wire, begun))
                begun = True
            elif isinstance(event, h11.Data):
                received += event.data
                if len(received) > LARGEST_ANSWER:
                    raise BrokenAnswer(f"an answer of more than {LARGEST_ANSWER >> 20} MiB")
            elif isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.EndOfMessage):
                break
            elif isinstance(event, h11.ConnectionClosed):
                raise BrokenAnswer("the connection was closed without an answer")
        assert response is not None
        named = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers
        }
        return Answer(response.status_code, named, bytes(received))

    async def _more(self, wire: _Wire, begun: bool) -> bytes:
        if not begun or wire.stale:  # nearly always: an answer mostly comes in one piece
            return await wire.more()
        try:
            async with asyncio.timeout(SILENCE_S):
                return await wire.more()
        except TimeoutError:
            raise NoAnswer(f"silence within an answer ({SILENCE_S:g} s)") from None


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def tls_of(url: str) -> ssl.SSLContext | None:
    """What checks a server's certificate; None without https. Loading takes a while: only once."""
    return _certificates() if url.startswith("https:") else None


class _Wire(asyncio.Protocol):
    """Bytes in and out."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._came = bytearray()
        self._ended = False
        self._error: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None

    @property
    def stale(self) -> bool:
        """Closed by the server, or with bytes that nobody has asked for."""
        return self._ended or bool(self._came)

    def write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    async def more(self) -> bytes:
        """What has come; empty at the end.

        Raises:
            BrokenAnswer: the connection broke.
        """
        if not self._came and not self._ended:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        if not self._came and self._error is not None:
            raise BrokenAnswer(f"{type(self._error).__name__}: {self._error}")
        data = bytes(self._came)
        self._came.clear()
        return data

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()  # there is nothing left to be sent

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._came += data
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._error = True, exc
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
