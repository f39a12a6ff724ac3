"""CPU time that the scheduler adds to a step of a rollout whose distributions are cached.

Measured against the same rollouts in a plain loop: same environment, prompts, draws and seeds, but
one after the other, without checks of the replay, timeouts, retries, records or cache.
"""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from repairstudy.engines import ChoiceScores, Completion, Request
from repairstudy.environments import Environment
from repairstudy.environments.gridworld import Gridworld
from repairstudy.executors import AgentView, Decoding, Executor, ModelIdentity, make_protocol
from repairstudy.rollouts import (
    Actor,
    Limits,
    ModelActor,
    Pending,
    RolloutCache,
    RolloutSpec,
    run_rollouts,
)

ROLLOUTS, BUDGET, REPEATS = 2_000, 20, 3


class Remembered:
    """An engine that knows every answer: uniform over the choices."""

    async def score(self, prompt: str, choices: Sequence[str]) -> ChoiceScores:
        return ChoiceScores((-math.log(len(choices) + 1),) * len(choices), tokens_in=40)

    async def complete(self, request: Request) -> Completion:
        raise NotImplementedError

    async def close(self) -> None:
        pass


def make_actor() -> Actor:
    executor = Executor(
        name="remembered",
        model=ModelIdentity("none", "1", "none"),
        protocol="ego/1",
        template="{observation}\nMove:",
        decoding=Decoding(),
    )
    return ModelActor(executor, make_protocol(executor.protocol), Remembered())


def make_specs(environment: Environment, actor: Actor, rollouts: int) -> list[RolloutSpec]:
    tasks = environment.tasks()
    return [
        RolloutSpec(
            executor_id=actor.executor_id,
            environment=environment.name,
            environment_version=environment.version,
            task_id=tasks[number % len(tasks)],
            prefix=(),
            forced=None,
            budget=BUDGET,
            role="collect",
            replicate=number // len(tasks),
        )
        for number in range(rollouts)
    ]


async def plain_loop(environment: Environment, actor: Actor, specs: list[RolloutSpec]) -> int:
    """The rollouts one after the other; the number of steps."""
    steps = 0
    for spec in specs:
        observations, actions = [environment.reset(spec.task_id)], []
        for index in range(spec.budget):
            view = AgentView(
                environment.instruction(),
                tuple(observations),
                tuple(actions),
                environment.admissible_actions(),
            )
            decision = await actor.act(view, spec.step_seed(index))
            assert decision.action is not None
            step = environment.step(decision.action)
            observations.append(step.observation)
            actions.append(decision.action)
            if step.done:
                break
        environment.outcome()
        steps += len(actions)
    return steps


async def scheduled(environment: Environment, actor: Actor, specs: list[RolloutSpec]) -> int:
    """The rollouts through scheduler and cache; the number of steps."""
    with tempfile.TemporaryDirectory() as folder:
        tally = await run_rollouts(
            [Pending(spec) for spec in specs],
            {actor.executor_id: actor},
            lambda: environment,
            RolloutCache(folder),
            Limits(max_in_flight=256),
        )
    return tally.steps


def cpu_us_per_step(runner: Any) -> float:
    """Least of some repeats, each with specs whose keys are not computed yet."""
    environment, actor, times = Gridworld(), make_actor(), []
    for _ in range(REPEATS):
        specs = make_specs(environment, actor, ROLLOUTS)
        start = time.process_time()
        steps = asyncio.run(runner(environment, actor, specs))
        times.append((time.process_time() - start) / steps * 1e6)
    return min(times)


def run() -> list[dict[str, Any]]:
    """The figure `scheduler_cpu_us_per_step`; ratio: whole run to plain loop."""
    plain, whole = cpu_us_per_step(plain_loop), cpu_us_per_step(scheduled)
    return [
        {
            "figure": "scheduler_cpu_us_per_step",
            "value": round(whole - plain, 1),
            "unit": "us of CPU per step, beyond the plain loop",
            "baseline": f"plain loop of the same gridworld rollouts: {plain:.1f} us per step; "
            f"through scheduler and cache: {whole:.1f}",
            "ratio": round(whole / plain, 2),
        }
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
