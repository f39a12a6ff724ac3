"""An OpenAI server that answers as a pure function of the question, and misbehaves by a script.

It speaks raw HTTP, so that it can also say what no HTTP library would.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
import socket
import struct
import threading
from collections.abc import Callable

from repairstudy.engines.openai import PROBE

TEXTS = ("go right", "LEFT", "dance", "wait")  # those of rollout_toys.HashEngine
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST
Fault = Callable[["Turn"], "asyncio.Future | None"]


class Turn:
    """One completion request and the connection it came over."""

    def __init__(self, server, writer, body, request_id):
        self.server, self.writer, self.body, self.request_id = server, writer, body, request_id

    def answer(self):
        """What a good server says."""
        prompt, seed = self.body["prompt"], self.body.get("seed", 0)
        texts = self.server.texts
        text = texts[_hash(prompt, seed) % len(texts)]
        answer = {
            "choices": [{"text": f" {text}\n", "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": len(prompt.split()),
                "completion_tokens": len(text.split()),
            },
        }
        if self.server.ids == "echo":  # as vLLM does
            answer["id"] = f"cmpl-{self.request_id}-0"
        elif self.server.ids == "own":  # as OpenAI does
            answer["id"] = f"cmpl-{id(self):x}"
        return answer | self.server.signed

    def page(self, answer=None, status=200, kind="application/json", headers=(), length=None):
        """A whole response as bytes."""
        answer = self.answer() if answer is None else answer
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", *headers]
        lines.append(f"Content-Length: {len(content) if length is None else length}")
        return "\r\n".join([*lines, "", ""]).encode() + content

    async def say(self, data):
        self.writer.write(data)
        await self.writer.drain()

    def reset(self):
        """Close the connection with RST, as a killed process or a firewall would."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.writer.transport.abort()


class FaultServer:
    """Listens in a thread of its own; a context manager.

    Args:
        script: called with the number of each completion (from 0) gives None for a good answer or
            an asynchronous function of the turn that answers in its stead.
        port: 0 for any.
    """

    def __init__(self, script=lambda number: None, port=0, models=("small",), ids=None):
        self.script, self.models, self.ids = script, models, ids
        self.card, self.signed = {}, {}
        self.key, self.texts = None, TEXTS
        self.completions = self.health_checks = 0
        self.previous = None  # the answer before
        self.port = port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._writers = set()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """End at once, with all connections; harmless if it has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)

    def _serve(self):
        self._loop.run_until_complete(self._run())
        self._loop.close()

    async def _run(self):
        self._end = asyncio.Event()
        server = await asyncio.start_server(self._talk, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)  # an aborted connection is closed in the loop's next turn

    async def _talk(self, reader, writer):
        self._writers.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lines = [line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line]
                words = {name.lower(): value for name, value in lines}
                body = await reader.readexactly(int(words.get("content-length", 0)))
                await self._answer(head.split(" ")[1], words, body, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass  # as a task of asyncio's own server, it must not end as cancelled
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, path, words, body, writer):
        asked = json.loads(body) if body else {}
        turn = Turn(self, writer, asked, words.get("x-request-id"))
        if self.key and words.get("authorization") != f"Bearer {self.key}":
            await turn.say(turn.page({"error": "no such key: " + str(words)}, status=401))
        elif path == "/v1/models":
            cards = [{"id": name, "owned_by": "someone"} | self.card for name in self.models]
            await turn.say(turn.page({"data": cards}))
        elif path == "/health":
            self.health_checks += 1
            await turn.say(turn.page({}))
        elif asked.get("prompt") == PROBE:
            await turn.say(turn.page())
        else:
            number, self.completions = self.completions, self.completions + 1
            fault = self.script(number)
            await (fault(turn) if fault else turn.say(turn.page()))
            self.previous = turn.answer()


def _hash(*parts):
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16)


def every(period, fault, first=3):
    """A script: every so many completions, from the first on, go wrong."""
    return lambda number: fault if number >= first and (number - first) % period == 0 else None


def status(code, *headers):
    return lambda turn: turn.say(turn.page({"error": "trouble"}, status=code, headers=headers))


async def reset_before_an_answer(turn):
    turn.reset()


async def reset_in_mid_body(turn):
    page = turn.page()
    await turn.say(page[: len(page) - 20])
    turn.reset()


async def close_in_mid_body(turn):
    page = turn.page()
    await turn.say(page[: len(page) - 20])
    turn.writer.close()


async def truncated_json(turn):
    content = json.dumps(turn.answer()).encode()
    await turn.say(turn.page(content[: len(content) // 2]))


async def json_of_another_shape(turn):
    shapes = ({}, [], {"choices": []}, {"choices": [{"text": 5}]}, "text", None, 7)
    shape = shapes[turn.server.completions % len(shapes)]
    await turn.say(turn.page(json.dumps(shape).encode()))


async def nothing_generated(turn):
    choice = {"text": "", "finish_reason": "stop"}
    await turn.say(turn.page({"choices": [choice], "usage": {"completion_tokens": 0}}))


async def web_page(turn):
    await turn.say(turn.page(b"<html>502 Bad Gateway</html>", kind="text/html"))


async def no_http_at_all(turn):
    await turn.say(b"\x00\x01 this is no HTTP \r\n\r\n")
    turn.writer.close()


async def huge_body(turn):
    await turn.say(turn.page(b"", length=10**10))
    with contextlib.suppress(ConnectionError):
        for _ in range(10**10 // 2**20):
            await turn.say(b" " * 2**20)


async def silence(turn):
    await asyncio.sleep(60)


async def silence_in_mid_body(turn):
    page = turn.page()
    await turn.say(page[: len(page) - 20])
    await asyncio.sleep(60)


async def slow_drip(turn):
    with contextlib.suppress(ConnectionError):
        for byte in turn.page():
            await turn.say(bytes([byte]))
            await asyncio.sleep(0.05)


async def said_twice(turn):
    page = turn.page()
    await turn.say(page + page)


async def answer_of_another(turn):
    await turn.say(turn.page(turn.server.previous))


def late(seed):
    """Answers come in another order than their questions."""
    draws = random.Random(seed)

    async def answer(turn):
        await asyncio.sleep(draws.random() * 0.02)
        await turn.say(turn.page())

    return answer
