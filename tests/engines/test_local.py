"""A small checkpoint beside the job, without a server."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from engine_processes import descendants, lives, wait_until

from repairstudy.engines import Request
from repairstudy.engines.factory import open_engine
from repairstudy.errors import ConfigError, EngineError

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-vllm/bin/python"
MODEL = ROOT / "resources/models/policy-strong"
TABLE = json.loads((ROOT / "tests/data/gridworld_logprobs.json").read_text())
MOVES = (" up", " down", " left", " right")

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"needs {PYTHON}"),
]


def prompt(observation):
    return f"{observation}\nmove:"


def with_engine(folder, call, **settings):
    async def go():
        settings_used = {"path": str(MODEL), "python": str(PYTHON), "threads": 1} | settings
        engine = open_engine("transformers", log=folder / "log", **settings_used)
        try:
            return await call(engine)
        finally:
            await engine.close()

    return asyncio.run(go())


def test_scores_are_those_of_the_network(tmp_path):
    observations = TABLE["observations"][:200]
    known = TABLE["models"]["policy-strong"]["logprobs"]

    async def call(engine):
        asked = (engine.score(prompt(text), MOVES) for text in observations)
        return await asyncio.gather(*asked)

    for found, wanted in zip(with_engine(tmp_path, call), known, strict=False):
        assert found.logprobs == pytest.approx(wanted, abs=2e-5)


def test_an_answer_is_the_same_alone_and_among_others_in_whatever_order(tmp_path):
    texts = TABLE["observations"][:60]

    async def together(engine):
        return await asyncio.gather(*(engine.score(prompt(text), MOVES) for text in texts))

    async def one_by_one(engine):
        return [await engine.score(prompt(text), MOVES) for text in reversed(texts)]

    assert with_engine(tmp_path, together) == with_engine(tmp_path, one_by_one)[::-1]


REFUSED = {
    "unknown to the tokenizer": ("x", [" northwest"]),
    "no token of its own": ("x", [" up down"]),
    "at least one": ("x", []),
    "must be different": ("x", [" up", " up"]),
    "the model reads": ("up " * 5000, MOVES),
}


def test_questions_without_an_answer_are_refused_and_the_process_goes_on(tmp_path):
    async def call(engine):
        for message, (text, choices) in REFUSED.items():
            with pytest.raises(ConfigError, match=message):
                await engine.score(text, choices)
        with pytest.raises(ConfigError, match="writes no text"):
            await engine.complete(Request("x", 0.0, 1.0, 0, 4, seed=0))
        return await engine.score(prompt("x"), MOVES)

    assert len(with_engine(tmp_path, call).logprobs) == 4


def test_a_killed_process_is_started_anew_and_all_questions_are_answered(tmp_path):
    others = set(descendants(os.getpid()))  # such as multiprocessing's, of an earlier test
    texts = TABLE["observations"][:50]

    async def call(engine):
        await engine.score(prompt(texts[0]), MOVES)
        waiting = [asyncio.create_task(engine.score(prompt(text), MOVES)) for text in texts]
        await asyncio.sleep(0)
        (scorer,) = set(descendants(os.getpid())) - others
        os.kill(scorer, signal.SIGKILL)
        return await asyncio.gather(*waiting)

    async def undisturbed(engine):
        return [await engine.score(prompt(text), MOVES) for text in texts]

    assert with_engine(tmp_path, call) == with_engine(tmp_path, undisturbed)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"path": "/no/such/folder"}, "did not load"), ({"python": "/no/python"}, "cannot be run")],
)
def test_what_cannot_start_says_why(tmp_path, settings, message):
    async def call(engine):
        with pytest.raises(EngineError, match=message):
            await engine.score(prompt("x"), MOVES)

    with_engine(tmp_path, call, **settings)


OWNER = """
import asyncio
from pathlib import Path
from repairstudy.engines.factory import open_engine

async def main():
    engine = open_engine("transformers", path={model!r}, python={python!r}, threads=1,
                         log=Path({log!r}))
    await engine.score("x", [" up", " down"])
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_nothing_is_left_when_the_owner_is_killed(tmp_path):
    code = OWNER.format(python=str(PYTHON), model=str(MODEL), log=str(tmp_path / "log"))
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with owner:
        assert owner.stdout.readline() == "ready\n"
        family = descendants(owner.pid)
        assert family
        owner.kill()
    wait_until(lambda: not any(lives(pid) for pid in family), seconds=20)
