"""Play held-out ALFWorld games with a checkpoint, and report its success by type of task.

    python workflow/scripts/training/evaluate_alfworld_policy.py \
        --model resources/models/alfworld-strong --games ../shared/data/alfworld --limit 30

It plays as an executor with `decoding.mode: choice` does in a study.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from repairstudy.engines import Engine
from repairstudy.engines.factory import checkpoint_fingerprint, open_engine
from repairstudy.environments.alfworld import Alfworld
from repairstudy.executors import Decoding, Executor, ModelIdentity, make_protocol
from repairstudy.rollouts import ModelActor, RolloutSpec
from repairstudy.rollouts.episode import Episode, run_episode

BUDGET = 50
LOG = "results/logs/evaluate_alfworld_policy.log"


def make_actor(args: argparse.Namespace, engine: Engine) -> ModelActor:
    model = ModelIdentity(args.model.name, "main", checkpoint_fingerprint(args.model))
    template = args.prompt.read_text(encoding="utf-8").removesuffix("\n")
    decoding = Decoding(args.temperature, top_p=0.95)
    executor = Executor(args.model.name, model, args.protocol, template, decoding)
    return ModelActor(executor, make_protocol(args.protocol), engine)


async def play(environment: Alfworld, actor: ModelActor, task_id: str, number: int) -> Episode:
    spec = RolloutSpec(
        executor_id=actor.executor_id,
        environment=environment.name,
        environment_version=environment.version,
        task_id=task_id,
        prefix=(),
        forced=None,
        budget=BUDGET,
        role="collect",
        replicate=number,
    )
    return await run_episode(environment, actor, spec)


async def evaluate(environment: Alfworld, actor: ModelActor, episodes: int) -> dict[str, float]:
    """Success by type of task, by split and in all, and the mean length of an episode."""
    won: dict[str, list[bool]] = defaultdict(list)
    steps: list[int] = []
    for task_id in environment.tasks():
        game = environment.game(task_id)
        for number in range(episodes):
            episode = await play(environment, actor, task_id, number)
            for group in (game.task_type, game.split, "all"):
                won[group].append(episode.success)
            steps.append(episode.steps)
    shown = {group: round(float(np.mean(values)), 3) for group, values in sorted(won.items())}
    return shown | {"episodes": len(steps), "steps": round(float(np.mean(steps)), 1)}


async def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--python", default=".venv-vllm/bin/python", help="where torch is")
    parser.add_argument("--protocol", default="window-3/1")
    parser.add_argument(
        "--prompt", type=Path, default=Path("resources/prompts/alfworld/policy.txt")
    )
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--games", required=True, help="folder of the game files")
    parser.add_argument("--splits", nargs="+", default=["valid_seen", "valid_unseen"])
    parser.add_argument("--limit", type=int, help="number of games, spread over types and scenes")
    parser.add_argument("--episodes", type=int, default=2, help="of each game")
    args = parser.parse_args()
    environment = Alfworld(games=args.games, splits=args.splits, limit=args.limit, workers=1)
    engine = open_engine(
        "transformers", path=str(args.model), python=args.python, threads=1, log=LOG
    )
    try:
        found = await evaluate(environment, make_actor(args, engine), args.episodes)
    finally:
        await engine.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
