"""The score of a purchase: the original's, row by row, and each fault with its correction."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webshop_shops import DATA, NO_DATA, invented_folder, make_product, real_folder

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.matching import first_colour, pair_text, same_words, similar
from repairstudy.environments.webshop.reward import Score, purchase_reward, score_purchase
from repairstudy.environments.webshop.rules import Rules, parse_rules
from repairstudy.environments.webshop.selection import Goals
from repairstudy.errors import ConfigError

SHIRT = make_product(
    "B000000001",
    "Linen Shirt",
    description="Stays soft, wash after wash.",
    bullets=("Wrinkle resistant", "light weight"),
    price=30.0,
    query="linen shirts",
    product_category="Clothes › Tops › Shirts",
    options={"color": ("light grey", "dark grey", "black"), "size": ("large", "x-large")},
    attributes=("hand stitched",),
    nouns=("linen", "shirt"),
)
GOAL = Goal(
    goal_id="B000000001-s0",
    index=0,
    asin="B000000001",
    instruction="a shirt",
    query="linen shirts",
    product_category="Clothes › Tops › Shirts",
    nouns=("linen", "shirt"),
    attributes=("hand stitched", "light weight"),
    options=(("color", "black"), ("size", "large")),
    price_upper=40.0,
)
RIGHT = {"color": "black", "size": "large"}


def score(goal: Goal = GOAL, chosen: dict[str, str] = RIGHT, **product: Any) -> Score:
    return score_purchase(goal, replace(SHIRT, **product), chosen)


def corrected(*names: str) -> Rules:
    return Rules(**dict.fromkeys(names, "corrected"))  # type: ignore[arg-type]


def test_the_wanted_product_as_wanted_scores_1() -> None:
    assert score() == Score(1.0, 1.0, True, True, 1.0, attributes=2, options=2, price=True)


def test_what_is_missing_costs_its_share() -> None:
    assert score(chosen={}).reward == 3 / 5
    assert score(chosen={"size": "large"}).reward == 4 / 5
    assert score(price=40.01).reward == 4 / 5
    assert score(attributes=()).reward == 4 / 5
    assert score(attributes=(), bullets=()).reward == 3 / 5


@pytest.mark.parametrize(
    ("nouns", "query", "category", "kind"),
    [
        (("linen", "mug"), "mugs", "Home › Mugs", 1.0),  # half of the nouns
        (("mug",), "linen shirts", "Clothes › Tops › Shirts", 0.0),  # none, whatever else
        (("mug",), "mugs", "Home › Mugs", 0.0),
        ((), "mugs", "Home › Mugs", 0.0),
    ],
)
def test_the_kind_of_product_weighs_everything(
    nouns: tuple[str, ...], query: str, category: str, kind: float
) -> None:
    assert score(nouns=nouns, query=query, product_category=category).reward == kind


def test_few_shared_nouns_lower_the_kind() -> None:
    wordy = replace(GOAL, nouns=("shirt", *map(str, range(19))))
    assert score(wordy).kind == 0.1
    fewer = replace(GOAL, nouns=("shirt", *map(str, range(4))))
    assert score(fewer).kind == 1.0
    assert score(fewer, query="tops", product_category="Clothes › Shirts").kind == 1.0
    assert score(fewer, query="tops", product_category="Clothes").kind == 0.5
    assert score(replace(GOAL, nouns=()), query="tops", product_category="Clothes").title == 0.2


def test_a_noun_that_the_goal_has_twice_counts_twice_among_the_wanted_only() -> None:
    assert score(replace(GOAL, nouns=("shirt", "shirt", "linen", "cuff"))).title == 2 / 4


def test_more_options_than_wanted_add_nothing() -> None:
    assert score(chosen={**RIGHT, "fit": "tall"}).reward == 1.0
    unasked = replace(GOAL, options=())
    assert score(unasked, chosen=RIGHT).reward == 1.0


def test_words_that_nearly_contain_each_other_are_similar() -> None:
    assert similar("large", "x-large")
    assert similar("Wrinkle-Resistant", "wrinkle resistant")
    assert similar("hand stitch", "hand stitched")
    assert not similar("red", "green")
    assert not similar("", "")
    assert first_colour("standard") == "tan"
    assert first_colour("blue green") == "blue"
    assert pair_text("color", "black", True) == "black"
    assert pair_text("color", "black 7", True) == "('color', 'black 7')"
    assert same_words("Free, gluten", "gluten free")


def test_options_that_only_look_alike_are_told_apart_when_corrected() -> None:
    goal = replace(GOAL, options=(("color", "black"), ("size", "x-large")))
    smaller = {"color": "black", "size": "large"}
    assert purchase_reward(goal, SHIRT, smaller) == 1.0
    assert purchase_reward(goal, SHIRT, smaller, corrected("option_match")) == 4 / 5
    swapped = {"color": "x-large", "size": "black"}
    assert purchase_reward(goal, SHIRT, swapped) == 1.0
    assert purchase_reward(goal, SHIRT, swapped, corrected("option_match")) == 3 / 5


def test_a_person_names_no_group_so_any_will_do() -> None:
    goal = replace(GOAL, options=("X-Large",))
    assert purchase_reward(goal, SHIRT, {"fit": "x-large"}, corrected("option_match")) == 1.0
    assert purchase_reward(goal, SHIRT, {"fit": "large"}) == 1.0
    assert purchase_reward(goal, SHIRT, {"fit": "large"}, corrected("option_match")) == 3 / 4


def test_shades_of_one_colour_are_told_apart_when_corrected() -> None:
    goal = replace(GOAL, options=("sea grey",))
    chosen = {"color": "ash-free grey"}  # "ash" comes first in their order
    assert purchase_reward(goal, SHIRT, chosen) == 3 / 4
    chosen = {"color": "slate grey"}
    assert purchase_reward(goal, SHIRT, chosen) == 1.0
    assert purchase_reward(goal, SHIRT, chosen, corrected("option_match")) == 1.0
    assert purchase_reward(goal, SHIRT, chosen, corrected("colours")) == 3 / 4


def test_a_goal_that_its_own_option_does_not_meet_is_met_when_corrected() -> None:
    goal = replace(GOAL, options=(("color", "black2626"),))
    chosen = {"color": "black2626"}
    assert purchase_reward(goal, SHIRT, chosen) == 3 / 4
    assert purchase_reward(goal, SHIRT, chosen, corrected("option_pairs")) == 1.0
    assert purchase_reward(goal, SHIRT, chosen, corrected("colours")) == 1.0
    assert purchase_reward(goal, SHIRT, chosen, corrected("option_match")) == 1.0


def test_attributes_inside_other_words_do_not_count_when_corrected() -> None:
    goal = replace(GOAL, attributes=("oft", "wash"))
    assert score_purchase(goal, SHIRT, RIGHT).attributes == 2
    assert score_purchase(goal, SHIRT, RIGHT, corrected("attribute_match")).attributes == 1
    longer = replace(GOAL, attributes=("hand stitched by monks",))
    assert score_purchase(longer, SHIRT, RIGHT).attributes == 1
    assert score_purchase(longer, SHIRT, RIGHT, corrected("attribute_match")).attributes == 0


def test_no_shared_noun_is_no_verdict_when_corrected() -> None:
    renamed = replace(SHIRT, nouns=("tee",))
    assert purchase_reward(GOAL, renamed, RIGHT) == 0.0
    assert purchase_reward(GOAL, renamed, RIGHT, corrected("type_floor")) == 1.0
    mug = replace(renamed, query="mugs", product_category="Home")
    assert purchase_reward(GOAL, mug, RIGHT, corrected("type_floor")) == 0.0


def test_rules_are_named_in_the_version() -> None:
    assert Rules().version_part() == "original"
    rules = parse_rules({"option_match": "corrected", "colours": "corrected"})
    assert rules.version_part() == "corrected:colours,option_match"
    with pytest.raises(ConfigError, match=r"rules\.option: no such option; accepted: option_pairs"):
        parse_rules({"option": "corrected"})
    with pytest.raises(ConfigError, match="'fixed'; accepted: original, corrected"):
        parse_rules({"colours": "fixed"})


@given(st.data())
def test_rewards_lie_between_0_and_1_under_all_rules(data: st.DataObject) -> None:
    folder = Path(invented_folder())
    products = Catalogue.open(folder)
    goals = Goals.open(folder, products)
    goal = goals[data.draw(st.integers(0, len(goals) - 1))]
    product = products.product(data.draw(st.integers(0, len(products) - 1)))
    chosen = {group: data.draw(st.sampled_from(vs)) for group, vs in product.options.items()}
    names = data.draw(st.sets(st.sampled_from(list(Rules.__slots__))))
    reward = purchase_reward(goal, product, chosen, corrected(*names))
    assert 0.0 <= reward <= 1.0
    assert purchase_reward(goal, product, chosen, corrected(*names)) == reward


@pytest.mark.skipif(not DATA.exists(), reason=NO_DATA)
def test_rewards_of_the_real_set_are_the_originals_with_all_their_parts() -> None:
    folder = Path(real_folder())
    products = Catalogue.open(folder)
    goals = Goals.open(folder, products)
    lines = (DATA / "reward_reference.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3000
    for line in lines:
        index, asin, chosen, reward, parts = json.loads(line)
        goal, product = goals[index], products.product(products.position(asin))
        found = score_purchase(goal, product, chosen)
        assert found.reward == reward
        assert original_parts(goal, found) == parts


def original_parts(goal: Goal, found: Score) -> dict[str, Any]:
    """A score as the original reports it."""
    wanted = len(goal.attributes) + len(goal.options) + 1
    parts = {
        "r_type": found.kind,
        "query_match": found.same_query,
        "category_match": found.same_category,
        "title_score": found.title,
        "r_att": found.attributes / len(goal.attributes),
        "w_att": len(goal.attributes) / wanted,
        "r_price": found.price,
        "w_price": 1 / wanted,
    }
    if goal.options:
        parts["r_option"] = found.options / len(goal.options)
        parts["w_option"] = len(goal.options) / wanted
    return parts
