"""Speed of the shop: steps and scores.

The original's speed was measured on its unmodified code with the published 1,000 products (2
cores): 14 steps a second, 1,250 scores a second with its parsed names at hand. Ours runs on an
invented catalogue of as many products.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repairstudy.environments.forms import closed
from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.index import add_index, index_folder, load_index
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.reward import purchase_reward
from repairstudy.environments.webshop.shop import Shop
from repairstudy.environments.webshop.synthetic import write_synthetic
from repairstudy.records import generator

ORIGINAL_STEPS, ORIGINAL_REWARDS = 14, 1250  # a second, measured on the original's own code
PRODUCTS = 1000
TASKS, ROLLOUTS, BUDGET = 60, 40, 25  # rollouts of each task, as many as a position's labels need
SEARCHES = 3  # different queries that an agent types for a task
PURCHASES = 40_000


def run() -> list[dict[str, Any]]:
    """The figures `webshop_steps_per_s`, `webshop_memory_gain` and `webshop_rewards_per_s`."""
    with tempfile.TemporaryDirectory() as folder:
        prepare_shop(Path(folder), PRODUCTS)
        return [*_steps(Path(folder)), _rewards(Path(folder))]


def prepare_shop(folder: Path, products: int) -> float:
    """Make a shop; the seconds that its index took."""
    took = 0.0

    def timed(made: Path) -> None:
        nonlocal took
        took = seconds(lambda: add_index(made))

    prepare(write_synthetic(folder / "files", products, 0), folder, "benchmark", then=timed)
    return took


def _steps(folder: Path) -> list[dict[str, Any]]:
    """Rollouts of random clicks from the same starts, with and without memory."""
    world = Webshop(data=str(folder))
    fast = _rollouts(world, ROLLOUTS)
    shop = world.shop
    index = load_index(index_folder(folder))
    world.shop = Shop(shop.catalogue, index, shop.rules, memory=False)
    plain = _rollouts(world, 1)
    return [
        figure(
            "webshop_steps_per_s",
            round(fast),
            f"steps a second of one core, {TASKS * ROLLOUTS:,} rollouts",
            f"the original, published measurement: {ORIGINAL_STEPS} a second",
            fast / ORIGINAL_STEPS,
        ),
        figure(
            "webshop_memory_gain",
            round(fast / plain, 1),
            "times as many steps a second as without memory of pages and searches",
            f"the same code without memory: {plain:,.0f} a second",
            fast / plain,
        ),
    ]


def _rollouts(world: Webshop, repeats: int) -> float:
    """Steps a second of processor time."""
    rng = generator("webshop benchmark")
    numbers = iter(rng.integers(0, 1 << 30, TASKS * repeats * BUDGET * 2).tolist())
    steps, start = 0, time.process_time()
    for task in list(world.tasks()[:TASKS]) * repeats:
        world.reset(task)
        words = world.instruction().split()
        for _ in range(BUDGET):
            clicks = closed(world.admissible_actions())
            if clicks:
                action = clicks[next(numbers) % len(clicks)]
            else:
                action = f"search[{' '.join(words[2 : 8 + next(numbers) % SEARCHES])}]"
            steps += 1
            if world.step(action).done:
                break
        world.outcome()
    return steps / (time.process_time() - start)


def _rewards(folder: Path) -> dict[str, Any]:
    """Purchases of random products, nearly all for the first time."""
    world = Webshop(data=str(folder), max_goals_per_product=None)
    catalogue = Catalogue.open(folder)
    rng = generator("webshop benchmark rewards")
    goals = [world.goal(task) for task in world.tasks()]
    cases: list[tuple[Goal, Product, dict[str, str]]] = []
    for goal, place in rng.integers(0, [len(goals), len(catalogue)], (PURCHASES, 2)).tolist():
        product = catalogue.product(place)
        chosen = {group: values[-1] for group, values in product.options.items()}
        cases.append((goals[goal], product, chosen))
    took = seconds(lambda: [purchase_reward(*case) for case in cases])
    return figure(
        "webshop_rewards_per_s",
        round(PURCHASES / took),
        f"scores a second of one core, {PURCHASES:,} random purchases",
        f"the original, published measurement: {ORIGINAL_REWARDS:,} a second",
        PURCHASES / took / ORIGINAL_REWARDS,
    )


def seconds(work: Callable[[], object]) -> float:
    """Processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def figure(name: str, value: float, unit: str, baseline: str, ratio: float) -> dict[str, Any]:
    return {
        "figure": name,
        "value": value,
        "unit": unit,
        "baseline": baseline,
        "ratio": round(ratio, 1),
    }


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
