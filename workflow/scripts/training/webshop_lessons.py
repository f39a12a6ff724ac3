"""Write lessons for WebShop policy LMs: encoded prompts and what a teacher clicks after each.

    python workflow/scripts/training/webshop_lessons.py --teacher oracle --catalogue FOLDER \
        --prompt resources/prompts/webshop/policy.txt --seed 1001 --episodes 2500 --out FILE
    python workflow/scripts/training/webshop_lessons.py --teacher experts --catalogue FOLDER \
        --prompt resources/prompts/webshop/policy.txt --trajectories FILE --out FILE

The teacher `oracle` sees what no agent sees, the scoring of purchases; it acts on training goals
only. `experts` are published runs that bought what was wanted; those of held-out products are left
out. The file holds one JSON object: the protocol's vocabulary, and the lessons. Needs no torch.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from repairstudy.environments.webshop import Webshop
from repairstudy.environments.webshop.teacher import Teacher
from repairstudy.environments.webshop_text import BUTTONS, SEPARATOR, chosen, opened, read_page
from repairstudy.errors import DataError
from repairstudy.executors import AgentView
from repairstudy.executors.webshop_policy import WebshopDescriptors, described, vocabulary
from repairstudy.records import generator

TEACHERS = ("oracle", "experts")
PROTOCOL = WebshopDescriptors()
BUDGET = 25
GOALS_PER_PRODUCT = 4
ASTRAY = 0.25  # of the oracle's steps are random clicks, so that it also teaches to recover
GREETING = f"Instruction:{SEPARATOR}"


class Lesson(NamedTuple):
    """What an agent sees and the item that the teacher clicks; `asin` is the goal's product."""

    view: AgentView
    item: str
    asin: str


def oracle_lessons(shop: Webshop, seed: int, episodes: int) -> Iterator[Lesson]:
    """Lessons of episodes over random goals of the shop."""
    rng = generator("webshop-lessons", seed)
    tasks, teacher = shop.tasks(), Teacher(shop.shop.catalogue, shop.options.rules)
    for _ in range(episodes):
        goal = shop.goal(tasks[int(rng.integers(len(tasks)))])
        observations, actions, first_page = [shop.reset(goal.goal_id)], list[str](), list[str]()
        while len(actions) < BUDGET and (admissible := shop.admissible_actions()):
            view = AgentView(
                shop.instruction(), tuple(observations), tuple(actions), tuple(admissible)
            )
            page = read_page(observations[-1], view.admissible)
            options = PROTOCOL.options(view)
            clicks = [action for action in options.values() if action != "click[buy now]"]
            if page.kind == "search":
                action = clicks[0]
            else:
                if page.number == 1:
                    first_page = [result.asin for result in page.results]
                asin = opened(observations, actions)[-1] if page.kind == "item" else ""
                choices = chosen(page, observations, actions)
                item = teacher.click(goal, page, choices, asin, first_page)
                yield Lesson(view, item, goal.asin)
                stray = rng.random() < ASTRAY
                action = clicks[int(rng.integers(len(clicks)))] if stray else f"click[{item}]"
            observations.append(shop.step(action).observation)
            actions.append(action)


def expert_lessons(shop: Webshop, trajectories: Path) -> Iterator[Lesson]:
    """Lessons of published runs on products of the shop's goals.

    Raises:
        DataError: a line is not a run of messages.
    """
    trained = {shop.goal(task).asin.lower() for task in shop.tasks()}
    for number, line in enumerate(trajectories.read_text(encoding="utf-8").splitlines(), 1):
        try:
            texts = [message["text"] for message in json.loads(line)["messages"]]
            observations = texts[0::2]
            actions = [text.rpartition("Action:\n")[2].strip().lower() for text in texts[1::2]]
            instruction = observations[0].split(SEPARATOR)[2]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise DataError(
                trajectories, f"line {number}: {error!r}.", "Fetch it again."
            ) from error
        bought = opened(observations, actions[: len(observations) - 1])[-1:]
        if not bought or bought[0] not in trained:
            continue
        for step, action in enumerate(actions):
            seen = tuple(observations[: step + 1])
            view = AgentView(
                instruction, seen, tuple(actions[:step]), clickable(shop, seen, actions[:step])
            )
            if action.startswith("click["):
                yield Lesson(view, action[len("click[") : -1], bought[0].upper())


def clickable(shop: Webshop, observations: tuple[str, ...], actions: list[str]) -> tuple[str, ...]:
    """The clicks that a page of a published run offered; the run itself does not list them."""
    parts = [part.lower() for part in observations[-1].split(SEPARATOR)[2:]]
    products = {part for part in parts if part.upper() in shop.shop.catalogue}
    options: set[str] = set()
    if "buy now" in parts:
        product = shop.shop.catalogue.product(
            shop.shop.catalogue.position(opened(observations, actions)[-1].upper())
        )
        options = {value for values in product.options.values() for value in values}
    items = dict.fromkeys(part for part in parts if part in {*BUTTONS, *products, *options})
    return tuple(f"click[{item}]" for item in items) or ("search[<query>]",)


def write_lessons(path: Path, lessons: Iterator[Lesson], teacher: str, prompt: Path) -> int:
    """Write the lessons in the words of the protocol; how many there are."""
    template = prompt.read_text(encoding="utf-8")
    rows, products = [], set[str]()
    for lesson in lessons:
        choice = dict(described(lesson.view)).get(lesson.item)
        if choice is not None:  # an expert may click what the page does not offer
            rows.append({"prompt": PROTOCOL.prompt(template, lesson.view), "choice": choice})
            products.add(lesson.asin)
    made = {
        "protocol": PROTOCOL.name,
        "prompt": template.removesuffix("\n"),
        "teacher": teacher,
        "products": len(products),
        "vocabulary": [*vocabulary(), *template.replace("{descriptors}", "").split()],
        "lessons": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
    return len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--teacher", choices=TEACHERS, required=True)
    parser.add_argument("--catalogue", type=Path, required=True, help="prepared, with real goals")
    parser.add_argument("--prompt", type=Path, required=True, help="template with {descriptors}")
    parser.add_argument("--trajectories", type=Path, help="agenttraj_413.jsonl, for the experts")
    parser.add_argument("--seed", type=int, default=1001, help="of the oracle's episodes")
    parser.add_argument("--episodes", type=int, default=2500, help="of the oracle")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    shop = Webshop(data=str(args.catalogue), split="train", max_goals_per_product=GOALS_PER_PRODUCT)
    if args.teacher == "oracle":
        lessons = oracle_lessons(shop, args.seed, args.episodes)
    elif args.trajectories is None:
        parser.error("--teacher experts needs --trajectories")
    else:
        lessons = expert_lessons(shop, args.trajectories)
    print(write_lessons(args.out, lessons, args.teacher, args.prompt), "lessons")


if __name__ == "__main__":
    main()
