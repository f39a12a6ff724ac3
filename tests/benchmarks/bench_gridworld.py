"""How many model calls the stored action distributions save in gridworld rollouts.

Measured against asking the model at every step, counted in the same run.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.bench_scheduler import make_specs

from repairstudy.engines.distributions import Distributions
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.environments.gridworld import Gridworld
from repairstudy.executors import Executor, ModelIdentity, make_protocol
from repairstudy.rollouts import Limits, ModelActor, Pending, RolloutCache, run_rollouts

ROLLOUTS = 20_000


async def count(folder: Path) -> tuple[int, int]:
    """Steps of the rollouts, and questions that reached the model."""
    identity = ModelIdentity("planted", "1", "1")
    engine = Distributions(folder / "distributions", identity, SimulatedEngine(planted_policy({})))
    executor = Executor("planted", identity, "ego/1", "{observation}\nmove:")
    actor = ModelActor(executor, make_protocol(executor.protocol), engine)
    items = [Pending(spec) for spec in make_specs(Gridworld(), actor, ROLLOUTS)]
    cache = RolloutCache(folder / "rollouts")
    tally = await run_rollouts(items, {actor.executor_id: actor}, Gridworld, cache, Limits())
    await engine.close()
    return tally.steps, engine.asked


def run() -> list[dict[str, Any]]:
    """The figure `gridworld_calls_saved`; ratio: steps to calls."""
    with tempfile.TemporaryDirectory() as folder:
        steps, asked = asyncio.run(count(Path(folder)))
    return [
        {
            "figure": "gridworld_calls_saved",
            "value": round(1 - asked / steps, 4),
            "unit": f"share of model calls, {ROLLOUTS:,} rollouts on the default layouts",
            "baseline": f"a call at each of {steps:,} steps; asked were {asked:,} prompts",
            "ratio": round(steps / asked, 1),
        }
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
