"""SmolLM2 under the real vLLM: our decoding is the engine's own, and nothing is left behind.

The tests share one server. It belongs to a process of its own, which the last test kills.
"""

import asyncio
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from engine_processes import descendants, lives, wait_until

from repairstudy.engines import Request
from repairstudy.engines.endpoint import Endpoint
from repairstudy.engines.metrics import read_metrics, room_for
from repairstudy.engines.openai import OpenAiEngine
from repairstudy.errors import ConfigError
from repairstudy.executors import Decoding
from repairstudy.executors.decoding import action_probabilities, validity_mass

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "resources/models/smollm2-135m-instruct"
PYTHON = ROOT / ".venv-vllm/bin/python"
TEMPLATE = (ROOT / "resources/prompts/ego.txt").read_text().removesuffix("\n")
MOVES = (" up", " down", " left", " right")
OBSERVATIONS = (
    "Around you: up free, down pit, left wall, right cracked. The goal is down and right, 3 away.",
    "Around you: up free, down free, left free, right free. The goal is up and left, 2 away.",
)
CHI_SQUARE_999 = {1: 10.83, 2: 13.82, 3: 16.27}  # by degrees of freedom

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not MODEL.exists(), reason=f"needs {MODEL} (prepare_smollm2.py)"),
    pytest.mark.skipif(not PYTHON.exists(), reason=f"needs {PYTHON}"),
]

OWNER = """
import asyncio
from pathlib import Path
from repairstudy.engines.vllm import VllmServer, VllmSettings

async def go():
    settings = VllmSettings({python!r}, {model!r}, "small", device="cpu")
    async with VllmServer(settings, Path({log!r})) as server:
        print(server.url, server._key, flush=True)
        await asyncio.sleep(600)

asyncio.run(go())
"""


@dataclass
class Owner:
    process: subprocess.Popen
    url: str
    key: str


@pytest.fixture(scope="module")
def owner(tmp_path_factory):
    log = tmp_path_factory.mktemp("vllm") / "log"
    code = OWNER.format(python=str(PYTHON), model=str(MODEL), log=str(log))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    said = process.stdout.readline().split()
    assert said, log.read_text()[-3000:]
    yield Owner(process, *said)
    process.kill()
    process.wait()
    process.stdout.close()


def run(owner, call):
    async def go():
        engine = OpenAiEngine(Endpoint(owner.url), "small", key=owner.key)
        try:
            return await call(engine)
        finally:
            await engine.close()

    return asyncio.run(go())


def prompt(observation):
    return TEMPLATE.replace("{observation}", observation)


def frequencies(owner, observation, decoding, number):
    """How often the engine itself draws each move, with seeds 0, 1, ..."""

    async def call(engine):
        requests = (
            Request(
                prompt(observation),
                decoding.temperature,
                decoding.top_p,
                decoding.top_k,
                max_tokens=1,
                seed=seed,
                choices=MOVES,
            )
            for seed in range(number)
        )
        answers = await asyncio.gather(*(engine.complete(request) for request in requests))
        return np.bincount([MOVES.index(answer.text) for answer in answers], minlength=4)

    return run(owner, call)


def expected(owner, observation, decoding):
    scores = run(owner, lambda engine: engine.score(prompt(observation), MOVES))
    return action_probabilities(scores.logprobs, decoding)


@pytest.mark.parametrize(
    ("observation", "decoding"),
    [
        (OBSERVATIONS[0], Decoding(0.7, 0.95)),
        (OBSERVATIONS[1], Decoding(1.0, 0.6)),
        (OBSERVATIONS[1], Decoding(1.5, 1.0, top_k=2)),
    ],
    ids=["study", "top-p", "top-k"],
)
def test_sampling_from_stored_distributions_is_the_engines_own(owner, observation, decoding):
    number = 150
    counts = frequencies(owner, observation, decoding, number)
    wanted = number * expected(owner, observation, decoding)
    assert counts[wanted == 0].sum() == 0
    kept = wanted > 0
    if kept.sum() > 1:
        chi_square = ((counts - wanted)[kept] ** 2 / wanted[kept]).sum()
        assert chi_square < CHI_SQUARE_999[int(kept.sum()) - 1]


def test_greedy_is_the_most_likely_move(owner):
    greedy = Decoding(0.0)
    for observation in OBSERVATIONS:
        counts = frequencies(owner, observation, greedy, 2)
        assert (counts == 2 * expected(owner, observation, greedy)).all()


def test_scores_are_probabilities_of_the_unconstrained_model(owner):
    scores = run(owner, lambda engine: engine.score(prompt(OBSERVATIONS[0]), MOVES))
    assert 0.9 < validity_mass(scores.logprobs) < 1.0
    assert scores.tokens_in > 200


def test_free_text_names_a_move(owner):
    request = Request(prompt(OBSERVATIONS[0]), 0.0, 1.0, 0, 4, seed=1, stop=("\n",))
    completion = run(owner, lambda engine: engine.complete(request))
    assert completion.text in MOVES
    assert completion.finish_reason == "stop"


def test_a_move_of_two_tokens_is_refused(owner):
    with pytest.raises(ConfigError, match="tokens of model 'small', not one"):
        run(owner, lambda engine: engine.score(prompt(OBSERVATIONS[0]), [" northwest corner"]))


def test_it_says_how_many_conversations_its_cache_holds(owner):
    """2 GiB of keys and values; a token takes 45 KiB (30 layers, 3 heads of 64 floats)."""

    async def call(engine):
        asking = [
            asyncio.create_task(
                engine.complete(Request(prompt(f"{text} {n}"), 1.0, 1.0, 0, 40, seed=n))
            )
            for n in range(4)
            for text in OBSERVATIONS
        ]
        rooms = []
        while not all(task.done() for task in asking):
            await asyncio.sleep(0.05)
            metrics = await read_metrics(Endpoint(owner.url))
            rooms.append(room_for(metrics, own=len(asking)))
        return [room for room in rooms if room is not None]

    rooms = run(owner, call)
    tokens = 2 * 2**30 / (30 * 2 * 3 * 64 * 4)
    # Each needs a prompt of about 450 tokens, most of which they share, and up to 40 of its own.
    assert tokens / 500 < max(rooms) < tokens / 40


def test_nothing_is_left_when_the_owner_is_killed(owner):
    family = descendants(owner.process.pid)
    assert len(family) >= 3  # supervisor, server, engine
    owner.process.kill()
    owner.process.wait()
    wait_until(lambda: not any(lives(pid) for pid in family), seconds=40)
