"""A server with a GPU's timing and a cache of prefixes of limited size, in a process of its own.

    python batching_server.py CACHED_WORDS

prints its port. It works as vLLM does: in each step of 12 ms (and 0.05 ms for each request in it)
every running request gets a token; a prompt's words that are not cached are read first, at 0.05 ms
each. Prefixes are cached in blocks of 16 words, the least recently used dropped first, those of
running requests never. `/metrics` says what vLLM's says. The numbers are of the size that 7B models
show on one data-centre GPU; they are a model, not a measurement.
"""

from __future__ import annotations

import asyncio
import json
import sys
import zlib
from collections import Counter, OrderedDict, defaultdict, deque

from latency_server import MOVES, Server

STEP_S, REQUEST_S, WORD_S, BLOCK = 0.012, 0.00005, 0.00005, 16


class BatchingServer(Server):
    def __init__(self, cached_words: int) -> None:
        super().__init__(0.0, STEP_S, REQUEST_S)
        self.most = cached_words // BLOCK
        self.cached: OrderedDict[int, None] = OrderedDict()  # blocks
        self.pinned: Counter[int] = Counter()
        self.waiting: deque[tuple[list[int], int, asyncio.Future]] = deque()
        self.ending: defaultdict[int, list] = defaultdict(list)  # requests by their last step
        self.running = self.steps = 0
        self.woken = asyncio.Event()

    async def page(self, path: bytes, body: bytes) -> bytes:
        if path == b"/metrics":
            used = len(self.pinned) / self.most
            return (
                f'vllm:num_requests_running{{engine="0"}} {self.running}\n'
                f'vllm:num_requests_waiting{{engine="0"}} {len(self.waiting)}\n'
                f'vllm:kv_cache_usage_perc{{engine="0"}} {used}\n'
            ).encode()
        if not body:
            return json.dumps({"data": [{"id": "model", "owned_by": "vllm"}]}).encode()
        return json.dumps(await self.answer(json.loads(body))).encode()

    async def answer(self, body: dict | None) -> dict:
        assert body is not None
        words, blocks = body["prompt"].split(), []
        for start in range(0, len(words), BLOCK):
            last = blocks[-1] if blocks else 0
            blocks.append(hash((last, *words[start : start + BLOCK])))
        done: asyncio.Future = asyncio.get_running_loop().create_future()
        self.waiting.append((blocks, body["max_tokens"], done))
        self.woken.set()
        await done
        move = MOVES[zlib.crc32(f"{body['prompt']}/{body.get('seed')}".encode()) % len(MOVES)]
        usage = {"prompt_tokens": len(words), "completion_tokens": body["max_tokens"]}
        return {"choices": [{"text": move, "finish_reason": "stop"}], "usage": usage}

    async def work(self) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while True:
            fresh = self.read()
            if not self.running:
                self.woken.clear()
                await self.woken.wait()
                due = clock()
                continue
            # Steps follow each other on the clock, so that a busy machine makes none longer.
            due += STEP_S + REQUEST_S * self.running + WORD_S * BLOCK * fresh
            await asyncio.sleep(max(due - clock(), 0.0))
            self.steps += 1
            for blocks, done in self.ending.pop(self.steps, ()):
                self.running -= 1
                for block in blocks:
                    self.pinned[block] -= 1
                    if not self.pinned[block]:
                        del self.pinned[block]
                if not done.done():
                    done.set_result(None)

    def read(self) -> int:
        """Take in what there is room for; the blocks that had to be computed."""
        fresh = 0
        while self.waiting:
            blocks, tokens, done = self.waiting[0]
            missing = [block for block in blocks if block not in self.cached]
            if not self.make_room(len(missing), set(blocks)):
                break
            self.waiting.popleft()
            for block in blocks:
                self.cached[block] = None
                self.cached.move_to_end(block)
            self.pinned.update(blocks)
            self.running += 1
            self.ending[self.steps + tokens].append((blocks, done))
            fresh += len(missing)
        return fresh

    def make_room(self, blocks: int, wanted: set[int]) -> bool:
        surplus = len(self.cached) + blocks - self.most
        if surplus <= 0:
            return True
        idle = (b for b in self.cached if not self.pinned[b] and b not in wanted)
        dropped = [block for block, _ in zip(idle, range(surplus), strict=False)]
        for block in dropped:
            del self.cached[block]
        return len(dropped) == surplus


async def main(cached_words: int) -> None:
    serving = BatchingServer(cached_words)
    server = await asyncio.start_server(serving.talk, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.gather(serving.work(), server.serve_forever())


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
