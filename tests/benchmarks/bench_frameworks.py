"""CPU time of an agent's step in other frameworks, against a rollout of ours: `scheduler_vs_...`.

Equal episodes everywhere: the world and the model of `frameworks/line.py`, which cost nothing, 256
episodes at once, the whole conversation in every prompt, a text that is read for its action, and
all episodes saved at the end. What is left is what a framework adds.

The others are installed in an environment of their own, once (1.1 GB, minutes), so this runs only
when it is asked for: ``make bench NAME=scheduler_vs``, or one figure's whole name.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_scheduler import Remembered
from tests.benchmarks.frameworks.line import (
    ANSWER,
    AT_ONCE,
    REPEATS,
    STEPS,
    TASK,
    TOKENS_IN,
    TOKENS_OUT,
    Line,
)

from repairstudy.engines import Completion
from repairstudy.environments import Outcome, Step
from repairstudy.executors import Decoding, Executor, ModelIdentity, make_protocol
from repairstudy.rollouts import (
    Actor,
    Limits,
    ModelActor,
    Pending,
    RolloutCache,
    RolloutSpec,
    run_rollouts,
)

ONLY_BY_NAME = True
ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements/bench-frameworks.txt"
LOOPS = Path(__file__).parent / "frameworks"
OURS = 2_000  # episodes
# Figure -> package, its loop, and how many episodes that runs.
FRAMEWORKS = {
    "scheduler_vs_inspect_ratio": ("inspect-ai", "inspect_loop.py", 200),
    "scheduler_vs_verifiers_ratio": ("verifiers", "verifiers_loop.py", 500),
}


class LineWorld:
    """As much of an environment as a rollout without a prefix needs."""

    name, version, blocking = "line", "1", False

    def reset(self, task_id: str, seed: int = 0) -> str:
        self._line = Line()
        return TASK

    def instruction(self) -> str:
        return TASK

    def admissible_actions(self) -> tuple[str, ...]:
        return (ANSWER, "left")

    def step(self, action: str) -> Step:
        return Step(self._line.walk(action), done=False, valid=True)

    def outcome(self) -> Outcome:
        return Outcome(success=False, reward=0.0)


class Known(Remembered):
    """An engine that always writes the same, at once."""

    async def complete(self, request: Any) -> Completion:
        return Completion(ANSWER, "stop", TOKENS_IN, TOKENS_OUT)


def make_actor() -> Actor:
    executor = Executor(
        name="known",
        model=ModelIdentity("none", "1", "none"),
        protocol="react/1",
        template="{instruction}\n{history}\nAction:",
        decoding=Decoding(mode="text"),
    )
    return ModelActor(executor, make_protocol(executor.protocol), Known())


def our_us_per_step(episodes: int = OURS) -> float:
    """Least of some repeats, each with an empty cache."""
    actor, found = make_actor(), []
    for _ in range(REPEATS):
        specs = [
            RolloutSpec(actor.executor_id, "line", "1", TASK, (), None, STEPS, "collect", number)
            for number in range(episodes)
        ]
        before, start = Line.steps, time.process_time()
        asyncio.run(_scheduled(actor, specs))
        seconds, steps = time.process_time() - start, Line.steps - before
        assert steps == episodes * STEPS, steps
        found.append(seconds / steps * 1e6)
    return min(found)


async def _scheduled(actor: Actor, specs: list[RolloutSpec]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await run_rollouts(
            [Pending(spec) for spec in specs],
            {actor.executor_id: actor},
            LineWorld,
            RolloutCache(folder),
            Limits(max_in_flight=AT_ONCE),
        )


def installed() -> Path:
    """Python of the frameworks' environment, made at the first call.

    Raises:
        subprocess.CalledProcessError: pip could not install them.
    """
    edition = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    folder = ROOT / "results/bench-frameworks" / edition
    python, done = folder / "bin/python", folder / "installed"
    if not done.exists():
        pip = (python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS)
        for command in ((sys.executable, "-m", "venv", "--clear", folder), pip):
            subprocess.run(command, check=True, capture_output=True, text=True)
        done.touch()
    return python


def version_of(package: str) -> str:
    lines = REQUIREMENTS.read_text("utf-8").replace("_", "-").splitlines()
    return next(line.partition("==")[2] for line in lines if line.startswith(f"{package}=="))


def their_us_per_step(python: Path, loop: str, episodes: int) -> float:
    command = (python, LOOPS / loop, str(episodes))
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def run() -> Iterator[dict[str, Any]]:
    """The figures of FRAMEWORKS: how many times the CPU time of our step theirs is."""
    try:
        python, ours = installed(), our_us_per_step()
    except subprocess.CalledProcessError as error:
        print(f"{REQUIREMENTS.name} cannot be installed here: {_last(error)}", file=sys.stderr)
        return
    for figure, (package, loop, episodes) in FRAMEWORKS.items():
        try:
            theirs = their_us_per_step(python, loop, episodes)
        except subprocess.CalledProcessError as error:
            print(f"{figure}: {package} does not run here: {_last(error)}", file=sys.stderr)
            continue
        yield {
            "figure": figure,
            "value": round(theirs / ours, 1),
            "unit": "times our CPU time a step, cache and scheduler included",
            "baseline": f"{package} {version_of(package)}: {theirs:.1f} us a step; "
            f"ours: {ours:.1f} us",
            "ratio": round(theirs / ours, 1),
        }


def _last(error: subprocess.CalledProcessError) -> str:
    return (error.stderr or str(error)).strip().splitlines()[-1]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line), flush=True)
