"""Goals: the original's, one by one, and which of them can be met."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from webshop_shops import DATA, NO_DATA, make_product, real_folder

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.draws import OriginalDraws
from repairstudy.environments.webshop.goals import NO_LIMIT, Goal, make_goals
from repairstudy.environments.webshop.reachability import judged, right_choice
from repairstudy.environments.webshop.reward import purchase_reward
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.selection import Goals, part_of_index, part_of_product
from repairstudy.environments.webshop.sources import Listing, Wish

needs_data = pytest.mark.skipif(not DATA.exists(), reason=NO_DATA)
SHIRT = make_product(
    "B000000001",
    "Linen Shirt",
    price=31.0,
    options={"size": ("small", "large"), "color": ("red", "tan2626")},
    attributes=("soft",),
    nouns=("linen", "shirt"),
)


def goals_of(*wishes: Wish) -> list[Goal]:
    """The goals of the shirt, in the order of its options."""
    goals = make_goals([Listing(SHIRT, wishes)], OriginalDraws(0))
    return sorted(goals, key=lambda goal: goal.goal_id)


def test_each_combination_of_options_is_a_goal() -> None:
    goals = goals_of(Wish("Find a shirt", ("soft",), None))
    limit = goals[0].price_upper
    assert limit in {50.0, 60.0, 70.0}  # the larger of two of 40, 50, 60 and 70
    assert goals[0].instruction == (
        f"Find a shirt with color: red, and size: small, and price lower than {limit:.2f} dollars"
    )
    assert [goal.options for goal in goals] == [
        (("color", color), ("size", size))
        for color in ("red", "tan2626")
        for size in ("small", "large")
    ]
    assert [goal.goal_id for goal in goals] == [f"B000000001-s{number}" for number in range(4)]
    assert sorted(goal.index for goal in goals) == [0, 1, 2, 3]
    assert {goal.weight for goal in goals} == {0.25}


def test_a_persons_goal_keeps_the_values_that_were_named() -> None:
    (goal,) = goals_of(Wish("a red shirt", ("soft",), ("red",)))
    assert goal.goal_id == "B000000001-h0"
    assert goal.options == ("red",)
    assert goal.weight == 1.0


def test_dear_products_have_no_price_clause() -> None:
    dear = make_product("B000000002", "Gold Shirt", price=985.0)
    (goal,) = make_goals([Listing(dear, (Wish("gold", ("soft",), None),))], OriginalDraws(0))
    assert (goal.instruction, goal.price_upper) == ("gold", NO_LIMIT)


def test_a_goal_whose_colour_is_not_recognised_again_is_marked() -> None:
    goals = [judged(goal, SHIRT) for goal in goals_of(Wish("a shirt", ("soft",), None))]
    assert [goal.reachable for goal in goals] == [True, True, False, False]
    assert goals[0].reason is None
    assert goals[2].reason == "its product's own options do not count as those wanted"
    corrected = judged(goals[2], SHIRT, Rules(option_pairs="corrected"))
    assert corrected.reachable
    assert corrected.reason is None


def test_every_reason_is_named() -> None:
    (goal,) = goals_of(Wish("a shirt", ("soft", "warm"), ()))
    other = make_product("B000000003", "Mug", price=500.0, query="mug", product_category="Kitchen")
    assert judged(goal, other).reason == (
        "its product's name does not count as of the wanted kind; "
        "its product does not count as having every wanted attribute; "
        "its product costs more than the limit"
    )


def test_the_right_choice_names_groups_and_values_of_the_product() -> None:
    (goal,) = goals_of(Wish("a shirt", ("soft",), ("Large", "red", "no such value")))
    assert right_choice(goal, SHIRT) == {"size": "large", "color": "red"}


def test_a_value_that_two_groups_have_is_chosen_in_the_later() -> None:
    shirt = make_product("B000000001", "Shirt", options={"a": ("x", "y"), "b": ("x", "z")})
    goal = goals_of(Wish("a shirt", ("soft",), ("x",)))[0]
    assert right_choice(goal, shirt) == {"b": "x"}


def test_parts_are_functions_of_the_product_or_of_the_place() -> None:
    parts = Counter(part_of_product(f"B{number:09d}") for number in range(5000))
    assert 0.18 < parts["test"] / 5000 < 0.22
    assert 0.08 < parts["dev"] / 5000 < 0.12
    assert [part_of_index(index) for index in (0, 499, 500, 1499, 1500)] == [
        "test",
        "test",
        "dev",
        "dev",
        "train",
    ]


@pytest.fixture(scope="module")
def goals() -> Goals:
    folder = Path(real_folder())
    return Goals.open(folder, Catalogue.open(folder))


@needs_data
def test_all_goals_of_the_real_set_are_the_originals(goals: Goals) -> None:
    expected = json.loads((DATA / "goals_seed0.json").read_text())["goals"]
    assert len(goals) == len(expected) == 6910
    found = [[goal.asin, goal.price_upper, [value for _, value in goal.options]] for goal in goals]
    assert found == expected
    assert [goal.index for goal in goals] == list(range(6910))


@needs_data
def test_instructions_of_the_real_set_are_those_of_published_runs(goals: Goals) -> None:
    """The price limit aside, which the published runs drew without a seed."""
    clause = ", and price lower than"
    for line in (DATA / "agenttraj_413.jsonl").read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        wanted = goals[run["goal_idx"]].instruction.split(clause)[0]
        assert any(wanted in message["text"] for message in run["messages"])


@needs_data
def test_goals_of_the_real_set_that_cannot_be_met(goals: Goals) -> None:
    unmet = [goal for goal in goals if not goal.reachable]
    assert (len(unmet), len({goal.asin for goal in unmet})) == (458, 17)
    assert {goal.reason for goal in unmet} == {
        "its product's own options do not count as those wanted"
    }
    corrected = Rules(option_pairs="corrected")
    folder = Path(real_folder())
    products = Catalogue.open(folder)
    for goal in unmet:
        product = products.product(products.position(goal.asin))
        assert purchase_reward(goal, product, dict(goal.options), corrected) == 1.0
    assert len(Goals.open(folder, products, corrected).selected()) == 6910


@needs_data
def test_selected_goals_are_reachable_capped_and_split_by_product(goals: Goals) -> None:
    chosen = goals.selected(max_per_product=2)
    assert all(goals[position].reachable for position in chosen)
    assert max(Counter(goals[position].asin for position in chosen).values()) == 2
    assert chosen == sorted(chosen)
    parts = {part: goals.selected(part, max_per_product=2) for part in ("train", "dev", "test")}
    assert sorted(chain(*parts.values())) == chosen
    products = [{goals[position].asin for position in part} for part in parts.values()]
    assert not products[0] & products[1]
    assert not products[0] & products[2]
    assert goals.selected("test", "original", unreachable=True) == list(range(500))
    assert goals.ids(chosen[:1]) == [goals[chosen[0]].goal_id]
