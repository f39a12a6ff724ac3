"""One HTTP connection: what comes over it, when it is new, and when it is not used again."""

import asyncio
import contextlib
import socket
import ssl

import pytest

from repairstudy.engines import connection as module
from repairstudy.engines.connection import BrokenAnswer, Connection, NoAnswer

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def talk(answers, story):
    """Let the story use a connection to a server that answers the n-th request with the n-th
    bytes, a function of the writer instead does as it likes; how often it was connected to."""
    connected, remaining = [], list(answers)

    async def serve(reader, writer):
        connected.append(1)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                answer = remaining.pop(0)
                if callable(answer):
                    await answer(writer)
                else:
                    writer.write(answer)
        writer.close()

    async def go():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        connection = Connection(f"http://127.0.0.1:{port}/v1", None, {"Authorization": "Bearer k"})
        try:
            return await story(connection, port)
        finally:
            connection.close()
            server.close()

    return asyncio.run(go()), len(connected)


async def get(connection, port):
    answer = await connection.ask("GET", f"http://127.0.0.1:{port}/v1/models", b"", {})
    return answer.content


async def twice(connection, port):
    first = await get(connection, port)
    assert connection.fresh
    await asyncio.sleep(0.02)
    return first, await get(connection, port), connection.fresh


def test_a_connection_is_used_again():
    assert talk([OK, OK], twice) == ((b"ok", b"ok", False), 1)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n"
INFORMED = b"HTTP/1.1 100 Continue\r\n\r\n" + OK


@pytest.mark.parametrize("page", [CHUNKED, INFORMED])
def test_every_form_of_an_answer_is_read(page):
    assert talk([page, OK], twice) == ((b"ok", b"ok", False), 1)


CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
UNTIL_END = b"HTTP/1.0 200 OK\r\n\r\nok"
TWO_AT_ONCE = OK + OK.replace(b"ok", b"no")


async def until_end(writer):
    writer.write(UNTIL_END)
    writer.close()


async def close_after(writer):
    writer.write(OK)
    await asyncio.sleep(0.005)
    writer.close()


async def more_later(writer):
    writer.write(OK)
    await asyncio.sleep(0.005)
    writer.write(OK.replace(b"ok", b"no"))


@pytest.mark.parametrize("page", [CLOSING, until_end, close_after, TWO_AT_ONCE, more_later])
def test_a_connection_that_ended_or_said_too_much_is_not_used_again(page):
    assert talk([page, OK], twice) == ((b"ok", b"ok", True), 2)


async def hang_up(writer):
    writer.close()


async def hang_up_in_the_middle(writer):
    writer.write(OK[:-1])
    writer.close()


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        (hang_up, "closed|no HTTP"),
        (hang_up_in_the_middle, "no HTTP: peer closed"),
        (b"hello\r\n\r\n", "no HTTP"),
        (OK.replace(b"Content-Length: 2", b"Content-Length: 9999999999") + b" " * 99, "more than"),
    ],
)
def test_what_is_no_answer_is_an_error_and_the_next_request_gets_its_own(
    page, problem, monkeypatch
):
    monkeypatch.setattr(module, "LARGEST_ANSWER", 50)

    async def story(connection, port):
        with pytest.raises(BrokenAnswer, match=problem):
            await get(connection, port)
        return await get(connection, port)

    assert talk([page, OK], story) == (b"ok", 2)


def test_a_request_that_was_given_up_leaves_nothing_behind():
    async def late(writer):
        await asyncio.sleep(0.05)
        writer.write(OK.replace(b"ok", b"no"))

    async def story(connection, port):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await get(connection, port)
        await asyncio.sleep(0.06)
        return await get(connection, port)

    assert talk([late, OK], story) == (b"ok", 2)


def test_silence_within_an_answer_is_noticed_before_the_whole_time_is_over(monkeypatch):
    monkeypatch.setattr(module, "SILENCE_S", 0.05)

    async def stall(writer):
        writer.write(OK[:-1])
        await asyncio.sleep(30)

    async def story(connection, port):
        with pytest.raises(NoAnswer, match=r"silence within an answer \(0.05 s\)"):
            await get(connection, port)
        return await get(connection, port)

    assert talk([stall, OK], story) == (b"ok", 2)


def test_an_answer_may_take_long_to_begin_and_long_in_all(monkeypatch):
    monkeypatch.setattr(module, "SILENCE_S", 0.1)

    async def slowly(writer):
        await asyncio.sleep(0.2)
        for byte in OK:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.005)

    async def story(connection, port):
        return await get(connection, port)

    assert talk([slowly], story) == (b"ok", 1)


def test_a_server_that_takes_no_connection_is_given_up(monkeypatch):
    """The queue of those who wait to be accepted is full, and nobody is."""
    monkeypatch.setattr(module, "CONNECT_S", 0.1)

    async def go():
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen(0)
            port = listening.getsockname()[1]
            waiting = [socket.socket() for _ in range(4)]
            for caller in waiting:
                caller.setblocking(False)
                caller.connect_ex(("127.0.0.1", port))
            connection = Connection(f"http://127.0.0.1:{port}/v1", None, {})
            with pytest.raises(NoAnswer, match=r"no connection in time \(0.1 s\)"):
                await get(connection, port)
            for caller in waiting:
                caller.close()

    asyncio.run(go())


def test_nobody_there():
    async def go():
        with pytest.raises(OSError, match="Connect call failed"):
            await get(Connection("http://127.0.0.1:1/v1", None, {}), 1)
        secure = Connection("https://127.0.0.1:1/v1", ssl.create_default_context(), {})
        with pytest.raises(OSError, match="Connect call failed"):
            await get(secure, 1)

    asyncio.run(go())
