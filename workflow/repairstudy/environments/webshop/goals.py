"""What shoppers want: the goals of a catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product as combinations

from repairstudy.environments.webshop.draws import Draws
from repairstudy.environments.webshop.sources import Listing, Wish

AMOUNTS = tuple(10.0 * step for step in range(1, 100))  # price limits that instructions name
NEAREST = 4  # of the amounts above the price, as many may become the limit
NO_LIMIT = 1_000_000.0
Options = tuple[tuple[str, str], ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """One task: a product to buy, in words and in what a purchase is scored by.

    Attributes:
        goal_id: stable: the product, how the goal came about, and its number there.
        index: the place in the original's order of all goals, from 0.
        nouns: of the wanted product's name; one that occurs twice counts twice.
        options: (group, value) pairs of a synthetic goal; plain values of a person's goal.
        price_upper: the limit in dollars; `NO_LIMIT` without a clause about the price.
        weight: how often the original draws the goal, relative to others.
        reachable: whether buying the wanted product as wanted scores 1 under the original rules.
        reason: why it does not.
    """

    goal_id: str
    index: int
    asin: str
    instruction: str
    query: str
    product_category: str
    nouns: tuple[str, ...]
    attributes: tuple[str, ...]
    options: Options
    price_upper: float
    weight: float = 1.0
    reachable: bool = True
    reason: str | None = None


def make_goals(listings: Sequence[Listing], draws: Draws) -> list[Goal]:
    """All goals in the original's order; `reachable` is not judged yet.

    The draws of price limits come after those of all prices: the listings must be complete.
    """
    made = [goal for listing in listings for goal in _goals_of(listing, draws)]
    human = any(wish.options is not None for listing in listings for wish in listing.wishes)
    weights = [1.0] * len(made) if human else _weights(made)
    order = draws.order([goal.goal_id for goal in made])
    return [
        replace(made[position], index=index, weight=weights[position])
        for index, position in enumerate(order)
    ]


def _goals_of(listing: Listing, draws: Draws) -> Iterator[Goal]:
    product, number = listing.product, 0
    for wish in listing.wishes:
        limit = _limit(product.asin, product.price, draws)
        clause = "" if limit == NO_LIMIT else f", and price lower than {limit:.2f} dollars"
        kind = "s" if wish.options is None else "h"
        for options, words in _wanted_options(wish, product.options):
            yield Goal(
                goal_id=f"{product.asin}-{kind}{number}",
                index=-1,
                asin=product.asin,
                instruction=wish.instruction + words + clause,
                query=product.query,
                product_category=product.product_category,
                nouns=product.nouns,
                attributes=wish.attributes,
                options=options,
                price_upper=limit,
            )
            number += 1


def _wanted_options(
    wish: Wish, offered: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[Options, str]]:
    """The options of each goal and how its instruction names them."""
    if wish.options is not None:
        yield wish.options, ""
        return
    groups = sorted(offered)
    for values in combinations(*(offered[group] for group in groups)):
        pairs = tuple(zip(groups, values, strict=True))
        words = ", and ".join(f"{group}: {value}" for group, value in pairs)
        yield pairs, f" with {words}" if words else ""


def _limit(asin: str, price: float, draws: Draws) -> float:
    above = [amount for amount in AMOUNTS if amount > price][:NEAREST]
    return draws.limits(asin, above) if len(above) >= 2 else NO_LIMIT


def _weights(goals: Sequence[Goal]) -> list[float]:
    """Of goals of combined options: those whose attributes are rare weigh more."""
    uses = Counter(name for goal in goals for name in goal.attributes)
    return [
        sum(1.0 / uses[name] for name in goal.attributes) / len(goal.attributes) for goal in goals
    ]
