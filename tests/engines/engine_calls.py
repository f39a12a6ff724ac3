"""Asking fake servers through the engine that a study asks real ones with."""

import asyncio

from repairstudy.engines import Request
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.fingerprint import Reference
from repairstudy.engines.fleet import Fleet, Patience
from repairstudy.engines.openai import OpenAiEngine

REQUEST = Request("Go", 0.7, 0.95, 0, 4, seed=5, stop=("\n",))
MOVES = (" up", " down", " left")


def ask(*servers, calls=(), model="small", key=None, chat=False, concurrency=32, timeout=60.0,
        strict=True, **patience):  # fmt: skip
    """Do the calls, each a function of an engine over the servers, at once; their results."""
    reference = Reference(strict=strict)

    def engine_for(server):
        endpoint = Endpoint(server.url, concurrency, timeout)
        return OpenAiEngine(endpoint, model, key=key, chat=chat, reference=reference)

    async def run():
        members = [(server.url, engine_for(server)) for server in servers]
        engine = Fleet(members, Patience(**{"first_wait": 0.01, "flukes": 4} | patience))
        try:
            return await asyncio.gather(*(call(engine) for call in calls))
        finally:
            await engine.close()

    return asyncio.run(run())


def complete(engine):
    return engine.complete(REQUEST)
