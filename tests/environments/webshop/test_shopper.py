"""The scripted shopper, on pages of an invented shop."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from repairstudy.environments.webshop.shopper import Shopper
from repairstudy.records import generator

INSTRUCTION = (
    "Find me machine wash men's shirts with long sleeve with color: dark blue, and size: x-large,"
    " and price lower than 30.00 dollars"
)
HEAD = f"Instruction: [SEP] {INSTRUCTION} [SEP] Back to Search"
SEARCH = f"WebShop [SEP] Instruction: [SEP] {INSTRUCTION} [SEP] Search"
RESULTS = (
    f"{HEAD} [SEP] Page 1 (Total results: 3) [SEP] Next > "
    "[SEP] A000000001 [SEP] Mens Long Sleeve Shirt, Machine Wash [SEP] $39.5 "
    "[SEP] A000000002 [SEP] Lamp [SEP] $25.0 to $45.0 "
    "[SEP] A000000003 [SEP] Shirts for men, long sleeves, machine washable [SEP] $12.0"
)
ITEM = (
    f"{HEAD} [SEP] < Prev [SEP] color [SEP] blue [SEP] dark blue [SEP] fit [SEP] slim "
    "[SEP] size [SEP] large [SEP] xx-large [SEP] Shirts for men [SEP] Price: $12.0 "
    "[SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now"
)
SUB = f"{HEAD} [SEP] < Prev [SEP] A shirt."
QUERY = (
    "search[find me machine wash men's shirts with long sleeve with color: dark blue, and "
    "size: x-large]"
)
BUTTONS = ("back to search", "< prev", "description", "features", "reviews", "buy now")
AT_SEARCH = ("search[<query>]",)
AT_RESULTS = tuple(f"click[{item}]" for item in ("next >", *(f"a00000000{n}" for n in (1, 2, 3))))
VALUES = ("blue", "dark blue", "slim", "large", "xx-large")
AT_ITEM = tuple(f"click[{item}]" for item in (*BUTTONS, *VALUES))


@dataclass(frozen=True)
class Seen:
    observations: tuple[str, ...]
    actions: tuple[str, ...]
    admissible: tuple[str, ...]
    instruction: str = INSTRUCTION


def act(*steps: str, admissible: tuple[str, ...], noise: float = 0.0, key: int = 0) -> str:
    seen = Seen(steps[0::2], steps[1::2], admissible)
    return Shopper(noise).act(seen, generator("shopper", key))


def test_it_searches_for_the_instruction_without_its_price() -> None:
    assert act(SEARCH, admissible=AT_SEARCH) == QUERY


def test_it_opens_the_first_affordable_result_that_matches() -> None:
    assert act(SEARCH, QUERY, RESULTS, admissible=AT_RESULTS) == "click[a000000003]"


def test_without_a_match_it_opens_what_is_affordable() -> None:
    only = RESULTS[: RESULTS.index(" [SEP] A000000003")]
    assert act(SEARCH, QUERY, only, admissible=AT_RESULTS[:-1]) == "click[a000000002]"


def test_it_sets_the_options_that_match_best_and_buys() -> None:
    steps = [SEARCH, QUERY, RESULTS, "click[a000000003]", ITEM]
    chosen = []
    while (action := act(*steps, admissible=AT_ITEM)) != "click[buy now]":
        chosen.append(action)
        steps += [action, ITEM]
    assert chosen == ["click[dark blue]", "click[large]"]  # no wish names a fit


def test_it_leaves_texts_and_empty_pages_of_results() -> None:
    assert act(SUB, admissible=("click[back to search]", "click[< prev]")) == "click[< prev]"
    empty = f"{HEAD} [SEP] Page 9 (Total results: 3) [SEP] < Prev [SEP] Next >"
    buttons = ("click[back to search]", "click[< prev]", "click[next >]")
    assert act(empty, admissible=buttons) == "click[back to search]"


def test_noise_clicks_anything_but_never_a_form() -> None:
    drawn = {act(ITEM, admissible=AT_ITEM, noise=1.0, key=key) for key in range(200)}
    assert drawn == set(AT_ITEM)
    assert act(SEARCH, admissible=AT_SEARCH, noise=1.0) == QUERY
    assert act(ITEM, admissible=AT_ITEM, noise=1.0, key=3) == act(
        ITEM, admissible=AT_ITEM, noise=1.0, key=3
    )


def test_impossible_uses_are_refused() -> None:
    with pytest.raises(ValueError, match="noise"):
        Shopper(1.5)
    with pytest.raises(ValueError, match="has ended"):
        act("Thank you", admissible=())
