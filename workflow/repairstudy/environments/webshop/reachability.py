"""Which goals can be met at all: the wanted product, bought with the wanted options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.matching import plain, similar
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.reward import ORIGINAL, score_purchase
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.sources import option_value


def judged(goal: Goal, product: Product, rules: Rules = ORIGINAL) -> Goal:
    """The goal with `reachable` and `reason` as they are under the rules.

    Args:
        product: the one that the goal was written for.
    """
    chosen = right_choice(goal, product)
    score = score_purchase(goal, product, chosen, rules)
    if score.reward == 1.0:
        return replace(goal, reachable=True, reason=None)
    problems = []
    if score.kind < 1.0:
        problems.append("its product's name does not count as of the wanted kind")
    if score.attributes < len(goal.attributes):
        problems.append("its product does not count as having every wanted attribute")
    if score.options < len(goal.options):
        problems.append("its product's own options do not count as those wanted")
    if not score.price:
        problems.append("its product costs more than the limit")
    reason = "; ".join(problems) or "a purchase counts more options than were wanted"
    return replace(goal, reachable=False, reason=reason)


def right_choice(goal: Goal, product: Product) -> dict[str, str]:
    """The options (group -> value) that a shopper who knows the goal ends up with.

    A wanted option that the product lacks is left out. Options are clicked by their text, so a
    value that two groups have is chosen in the later one.
    """
    chosen: dict[str, str] = {}
    for option in goal.options:
        if isinstance(option, str):
            value = _nearest(option, product.options)
        else:
            value = option[1] if option[1] in product.options.get(option[0], ()) else None
        if value is not None:
            groups = [group for group, values in product.options.items() if value in values]
            chosen[groups[-1]] = value
    return chosen


def _nearest(wanted: str, options: Mapping[str, tuple[str, ...]]) -> str | None:
    """The offered value that a person's words name: the same text, the same words, or similar."""
    offered = [value for values in options.values() for value in values]
    text = option_value(wanted)
    for matches in (
        lambda value: value == text,
        lambda value: plain(value) == plain(text),
        lambda value: similar(value, text),
    ):
        found = next(filter(matches, offered), None)
        if found is not None:
            return found
    return None
