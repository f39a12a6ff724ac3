"""Other solutions that a world's rules permit: what a fair scorer must accept as well.

Every function yields (what it is, all actions from the start of the task).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from repairstudy.audit.observing import Spot, go, planned
from repairstudy.environments import Environment
from repairstudy.environments.forms import is_form

Item = TypeVar("Item")
Variant = tuple[str, tuple[str, ...]]
NOTHING = "do what is not possible here"  # an action that no environment admits
DETOURS = 2  # a task, at its start and in the middle of the reference
TRIED = 8  # actions tried for a detour until one leaves the goal within reach
WAYS = 5_000  # states searched for a way round
PRODUCTS = 500  # looked at for one that is as good


def filled(action: str, instruction: str) -> str:
    """An admissible action that can be done: a form is filled with words of the instruction."""
    if not is_form(action):
        return action
    words = "".join(c if c.isalnum() else " " for c in instruction).split()
    start, end = action.index("<"), action.index(">")
    return action[:start] + " ".join(words[:6] or ["anything"]).lower() + action[end + 1 :]


def shuffled(items: Sequence[Item], random: np.random.Generator) -> list[Item]:
    """In random order. Ranks of plain uniform numbers: NumPy promises their stream alone."""
    return [items[place] for place in np.argsort(random.random(len(items)), kind="stable")]


def variants(
    environment: Environment,
    task_id: str,
    reference: Sequence[str] | None,
    random: np.random.Generator,
) -> Iterator[Variant]:
    """Other solutions of a task; `environment` is used up.

    An environment may offer some itself by a method `permitted_variants`, called right after a
    reset: all actions of each, by what it is.
    """
    if reference:
        yield "after an impossible action", (NOTHING, *reference)
        yield from _detours(environment, task_id, reference, random)
        if hasattr(environment, "transitions"):
            yield from _way_round(environment, task_id, reference)
        world = {"alfworld": _walkthrough, "webshop": _purchases}.get(environment.name)
        if world is not None:
            yield from world(environment, task_id, reference)
    offered = getattr(environment, "permitted_variants", None)
    if offered is not None:
        environment.reset(task_id)
        named: Mapping[str, Sequence[str]] = offered()
        yield from ((name, tuple(actions)) for name, actions in named.items())


def _detours(
    environment: Environment, task_id: str, reference: Sequence[str], random: np.random.Generator
) -> Iterator[Variant]:
    """Something else first, or in the middle, and then the plan from there."""
    for before in sorted({0, len(reference) // 2})[:DETOURS]:
        done = tuple(reference[:before])
        go(environment, Spot(task_id, done))
        start = environment.snapshot()
        offered = [filled(a, environment.instruction()) for a in environment.admissible_actions()]
        for action in shuffled(offered, random)[:TRIED]:
            environment.restore(start)
            if action == reference[before] or environment.step(action).done:
                continue
            plan = planned(environment)
            if plan:
                yield f"a detour after {before} actions", (*done, action, *plan)
                break


def _way_round(environment: Any, task_id: str, reference: Sequence[str]) -> Iterator[Variant]:
    """A solution that shares no state between its ends with the reference."""
    avoided, state = set(), environment.initial(task_id)
    for action in reference[:-1]:
        ((_, state),) = environment.transitions(state, action)
        avoided.add(state)
    start = environment.initial(task_id)
    waiting: deque[tuple[Any, tuple[str, ...]]] = deque([(start, ())])
    seen = {start} | avoided
    while waiting and len(seen) < WAYS:
        state, actions = waiting.popleft()
        view = environment.view(state)
        if not view.admissible and actions:
            environment.reset(task_id)
            for action in actions:
                environment.step(action)
            if planned(environment) == () and actions != tuple(reference):
                yield "another way altogether", actions
                return
        for action in view.admissible:
            for _, after in environment.transitions(state, action):
                if after not in seen:
                    seen.add(after)
                    waiting.append((after, (*actions, action)))


def _walkthrough(environment: Any, task_id: str, reference: Sequence[str]) -> Iterator[Variant]:
    """The solution that the game's file brings along."""
    from repairstudy.environments.alfworld.games import read_game

    actions = tuple(read_game(environment.game(task_id).path)["walkthrough"])
    yield "the game's own walkthrough", actions


def _purchases(environment: Any, task_id: str, reference: Sequence[str]) -> Iterator[Variant]:
    """Options in another order or chosen anew, a look at a tab, and a product as good."""
    environment.reset(task_id)
    goal, shop = environment.goal(task_id), environment.shop
    wanted = shop.catalogue.product(shop.catalogue.position(goal.asin))
    opened = next(n for n, a in enumerate(reference) if a == f"click[{wanted.asin.lower()}]") + 1
    chosen = reference[opened:-1]
    if len(chosen) > 1:
        reordered = (*reference[:opened], *reversed(chosen), reference[-1])
        yield "the options in another order", tuple(reordered)
    for click in chosen[:1]:
        values = next(v for v in reversed(wanted.options.values()) if click[6:-1] in v)
        others = [f"click[{value}]" for value in values if f"click[{value}]" not in chosen]
        go(environment, Spot(task_id, tuple(reference[:opened])))
        for other in [a for a in others if a in environment.admissible_actions()][:1]:
            yield "another option first", (*reference[:opened], other, *chosen, reference[-1])
    tab = ("click[description]", "click[< prev]")
    yield "with a look at the description", (*reference[:opened], *tab, *reference[opened:])
    yield from islice(_as_good(environment, task_id, goal), 1)


def _as_good(environment: Any, task_id: str, goal: Any) -> Iterator[Variant]:
    """Products other than the wanted one whose purchase has everything that was wanted."""
    from repairstudy.environments.webshop.plan import purchase_plan
    from repairstudy.environments.webshop.session import Session

    catalogue = environment.shop.catalogue
    for position in range(min(PRODUCTS, len(catalogue))):
        product = catalogue.product(position)
        alike = product.query == goal.query or product.product_category == goal.product_category
        if product.asin == goal.asin or not alike:
            continue
        plan = purchase_plan(environment.shop, replace(goal, asin=product.asin), Session(task_id))
        if plan is not None and plan.reward == 1.0:
            yield "a product that is as good", plan.actions
