"""How good a purchase is: a number in [0, 1] that depends on nothing but the final state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from repairstudy.environments.webshop.goals import Goal, Options
from repairstudy.environments.webshop.matching import (
    REMEMBERED,
    first_colour,
    has_phrase,
    pair_text,
    same_words,
    similar,
)
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.sources import option_value

ORIGINAL = Rules()
LIKE = 0.2  # a larger share of the goal's nouns makes the purchase of the wanted kind
UNLIKE = 0.1  # a smaller one makes it of another kind
SEPARATOR = "›"  # of the levels in a path of categories
PURCHASES = 1 << 13  # distinct ones to remember: each may hold on to a product's texts


class Score(NamedTuple):
    """A purchase's reward and what it is made of.

    ``reward = kind * (attributes + options + price) / (wanted attributes + wanted options + 1)``

    Attributes:
        kind: whether it is the kind of thing that was wanted: 1, 0.5, 0.1 or 0.
        title: the share of the goal's nouns that the purchase's name has.
        attributes: how many of the wanted attributes it has.
        options: how many of the wanted options were chosen.
        price: whether it costs no more than the limit.
    """

    reward: float
    kind: float
    same_query: bool
    same_category: bool
    title: float
    attributes: int
    options: int
    price: bool


def purchase_reward(
    goal: Goal, product: Product, chosen: Mapping[str, str], rules: Rules = ORIGINAL
) -> float:
    """The reward of buying a product with the chosen options (group -> value); in [0, 1]."""
    return score_purchase(goal, product, chosen, rules).reward


def score_purchase(
    goal: Goal, product: Product, chosen: Mapping[str, str], rules: Rules = ORIGINAL
) -> Score:
    """The reward of a purchase and its parts.

    Parts of purchases that were scored before are remembered: a study scores few distinct ones.
    """
    same_query = goal.query == product.query
    same_category = _share_categories(goal.product_category, product.product_category)
    title = _shared_nouns(goal.nouns, product.nouns)
    kind = _kind(same_query or same_category, title, rules.type_floor == "corrected")
    attributes = _attributes(
        goal.attributes,
        product.attributes,
        (product.name, *product.bullets, product.description),
        rules.attribute_match == "corrected",
    )
    options = _options(
        goal.options,
        tuple(chosen.items()),
        rules.option_match == "corrected",
        rules.option_pairs == "original",
        rules.colours == "original",
    )
    price = product.price <= goal.price_upper
    wanted = len(goal.attributes) + len(goal.options) + 1
    reward = (attributes + options + price) / wanted * kind
    return Score(reward, kind, same_query, same_category, title, attributes, options, price)


@lru_cache(REMEMBERED)
def _share_categories(one: str, other: str) -> bool:
    """Whether the paths of categories have two levels in common, wherever they stand."""
    return len(_levels(one) & _levels(other)) >= 2


@lru_cache(REMEMBERED)
def _levels(path: str) -> frozenset[str]:
    return frozenset(level.strip() for level in path.split(SEPARATOR))


@lru_cache(REMEMBERED)
def _shared_nouns(wanted: tuple[str, ...], found: tuple[str, ...]) -> float:
    """Distinct shared nouns over all wanted ones, repetitions included, as in the original."""
    if not wanted:
        return LIKE
    return len(set(wanted) & set(found)) / len(wanted)


def _kind(matches: bool, title: float, corrected: bool) -> float:
    if matches and corrected:
        return 1.0
    if title == 0.0:
        return 0.0
    if title < UNLIKE:
        return 0.1
    return 1.0 if matches or title > LIKE else 0.5


@lru_cache(PURCHASES)
def _attributes(
    wanted: tuple[str, ...], listed: tuple[str, ...], texts: tuple[str, ...], corrected: bool
) -> int:
    """How many wanted attributes a product lists, or names in its texts.

    `texts`: the name, the bullets, and the description.
    """
    found = 0
    for name in wanted:
        found += _is_listed(name, listed, corrected) or _is_named(name, texts, corrected)
    return found


@lru_cache(REMEMBERED)
def _is_listed(wanted: str, listed: tuple[str, ...], corrected: bool) -> bool:
    alike = same_words if corrected else similar
    return any(alike(attribute, wanted) for attribute in listed)


def _is_named(wanted: str, texts: tuple[str, ...], corrected: bool) -> bool:
    places = _places(texts)
    if corrected:
        return any(has_phrase(place, wanted) for place in places)
    name, bullets, description = places
    return wanted in name or wanted in bullets or wanted in description


@lru_cache(PURCHASES)
def _places(texts: tuple[str, ...]) -> tuple[str, str, str]:
    """Where an attribute may be named: the name, all bullets as one text, the description."""
    name, *bullets, description = texts
    return name.lower(), " ".join(bullets).lower(), description.lower()


@lru_cache(PURCHASES)
def _options(
    options: Options,
    chosen: tuple[tuple[str, str], ...],
    exactly: bool,
    as_pairs: bool,
    reduce_colours: bool,
) -> int:
    """How many of a goal's options have a match among the chosen ones.

    Spelt out as loops: here and in `_is_named` is where purchases not seen before spend time.
    """
    if exactly:
        return sum(_is_chosen(option, dict(chosen), reduce_colours) for option in options)
    values = [_shade(value, reduce_colours) for _, value in chosen]
    found = 0
    for option in options:
        wanted = _compared(option, as_pairs, reduce_colours)
        for value in values:
            if similar(value, wanted):
                found += 1
                break
    return found


def _compared(option: tuple[str, str] | str, as_pair: bool, reduce_colours: bool) -> str:
    """The text that stands for a goal's option in comparisons."""
    if isinstance(option, str):
        return _shade(option, reduce_colours)
    group, value = option
    if as_pair:
        return pair_text(group, value, reduce_colours)
    return _shade(value, reduce_colours)


def _is_chosen(
    option: tuple[str, str] | str, chosen: Mapping[str, str], reduce_colours: bool
) -> bool:
    """Whether the very value was chosen: in the option's group, or in any if it names none."""
    if isinstance(option, str):
        wanted, values = option, list(chosen.values())
    else:
        group, wanted = option
        values = [chosen[group]] if group in chosen else []
    wanted = _shade(option_value(wanted), reduce_colours)
    return any(_shade(value, reduce_colours) == wanted for value in values)


def _shade(value: str, reduce_colours: bool) -> str:
    return first_colour(value) if reduce_colours else value
