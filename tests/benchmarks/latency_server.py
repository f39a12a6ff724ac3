"""A server with the timing of a GPU that batches, in a process of its own.

    python latency_server.py PREFILL_S STEP_S STEP_PER_REQUEST_S

prints its port. A request of n tokens takes PREFILL_S + n * (STEP_S + STEP_PER_REQUEST_S * b)
seconds, where b is the number of requests in flight when it comes. The numbers of `GPU` are of the
size that 7B models show on one data-centre GPU; they are a model, not a measurement. Answers are a
function of prompt and seed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import zlib

GPU = (0.02, 0.012, 0.00005)
MOVES = (" up", " down", " left", " right")


class Server:
    def __init__(self, prefill: float, step: float, step_per_request: float) -> None:
        self.prefill, self.step, self.step_per_request = prefill, step, step_per_request
        self.in_flight = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                start = head.lower().find(b"content-length:")
                length = int(head[start + 15 : head.index(b"\r", start)]) if start >= 0 else 0
                body = await reader.readexactly(length)
                content = await self.page(head.split(b" ", 2)[1], body)
                top = f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n\r\n".encode()
                writer.write(top + content)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def page(self, path: bytes, body: bytes) -> bytes:
        return json.dumps(await self.answer(json.loads(body) if body else None)).encode()

    async def answer(self, body: dict | None) -> dict:
        if body is None:
            return {"data": [{"id": "model", "owned_by": "someone"}]}
        self.in_flight += 1
        tokens = body["max_tokens"]
        each = self.step + self.step_per_request * self.in_flight
        await asyncio.sleep(self.prefill + tokens * each)
        self.in_flight -= 1
        move = MOVES[zlib.crc32(f"{body['prompt']}/{body.get('seed')}".encode()) % len(MOVES)]
        usage = {"prompt_tokens": len(body["prompt"].split()), "completion_tokens": tokens}
        return {"choices": [{"text": move, "finish_reason": "stop"}], "usage": usage}


async def main(timing: list[float]) -> None:
    server = await asyncio.start_server(Server(*timing).talk, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main([float(word) for word in sys.argv[1:]]))
