"""The real vLLM, its engine process killed, then frozen: it is restarted and answers alike.

Opt-in, as it starts vLLM three times: REPAIRSTUDY_SLOW=1 (about two minutes).
"""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from engine_processes import descendants, lives, wait_until

from repairstudy.engines.factory import open_engine

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "resources/models/policy-strong"
PYTHON = ROOT / ".venv-vllm/bin/python"
MOVES = (" up", " down", " left", " right")
PROMPT = (
    "Around you: up free, down pit, left wall, right cracked. "
    "The goal is down and right, 3 away.\nmove:"
)

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"needs {PYTHON}"),
    pytest.mark.skipif(
        os.environ.get("REPAIRSTUDY_SLOW") != "1", reason="REPAIRSTUDY_SLOW=1 restarts vLLM"
    ),
]


def engine_core():
    """The process that computes; the one that answers HTTP is its parent and seems healthy."""
    (core,) = [
        pid
        for pid in descendants(os.getpid())
        if "EngineCor" in Path(f"/proc/{pid}/comm").read_text()  # cut by the system
    ]
    return core


async def fingerprint(engine):
    """What a study would record, if this server were a standing one."""
    (member,) = engine._engine._members
    return await member.engine._server.engine.fingerprint()


def test_a_killed_and_a_frozen_engine_process(tmp_path):
    async def go():
        engine = open_engine(
            "vllm",
            path=str(MODEL),
            python=str(PYTHON),
            device="cpu",
            threads=1,
            max_model_len=128,
            silence=15.0,
            log=tmp_path / "log",
        )
        answers = [await engine.score(PROMPT, MOVES)]
        prints = [await fingerprint(engine)]
        for blow in (signal.SIGKILL, signal.SIGSTOP):
            os.kill(engine_core(), blow)
            answers += await asyncio.gather(*(engine.score(PROMPT, MOVES) for _ in range(8)))
            prints.append(await fingerprint(engine))
        family = descendants(os.getpid())
        await engine.close()
        return answers, prints, family

    answers, prints, family = asyncio.run(go())
    first = answers[0].logprobs
    assert all(answer.logprobs == pytest.approx(first, abs=1e-4) for answer in answers)
    assert len({each.hash for each in prints}) == 1, "a restart made it another model"
    assert [prints[0].difference(each) for each in prints] == [None] * 3
    wait_until(lambda: not any(lives(pid) for pid in family))
