"""Symptoms of WebShop on runs through a shop of three products, in both forms of its pages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from repairstudy.descriptions import FailedRun, symptoms_of
from repairstudy.environments.webshop.session import (
    Session,
    after_click,
    after_search,
    parse_action,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "environments/webshop"))

from webshop_shops import small_shop

LAMP, CHAIR = "click[b000000001]", "click[b000000002]"
BUY, BACK, SEARCH = "click[buy now]", "click[back to search]", "search[desk]"


def shopping(mode, *actions):
    shop, session = small_shop(mode), Session("any")
    seen, valid, states = [], [], []
    for action in actions:
        view = shop.view(session, None)
        seen.append(view.body)
        states.append(session.signature())
        name, what = parse_action(action)
        after = (
            after_search(session, what)
            if name == "search"
            else after_click(session, what, view.targets)
        )
        valid.append(after is not None)
        session = after or session
    return FailedRun("webshop", tuple(seen), actions, tuple(valid), tuple(states))


SYMPTOMS = {symptom.label: symptom.find for symptom in symptoms_of("webshop")}
FROM_SHOP = ("never_searched", "never_bought", "bought_without_options", "looked_at_one_product")


@pytest.mark.parametrize("mode", ["text", "text_rich"])
@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ((SEARCH, LAMP, BUY), {"bought_without_options", "looked_at_one_product"}),
        ((SEARCH, LAMP, "click[small]", BUY), {"looked_at_one_product"}),
        ((SEARCH, LAMP, "click[huge]", BUY), {"bought_without_options", "looked_at_one_product"}),
        ((SEARCH, LAMP, "click[features]", "click[< prev]", BUY),
         {"bought_without_options", "looked_at_one_product"}),
        ((SEARCH, LAMP, "click[small]", "click[features]", "click[< prev]", BUY),
         {"looked_at_one_product"}),
        ((SEARCH, LAMP, "click[small]", "click[< prev]", CHAIR, BUY), set()),
        ((SEARCH, LAMP, "click[small]", "click[< prev]", LAMP, BUY),
         {"bought_without_options", "looked_at_one_product"}),
        ((SEARCH, CHAIR, BACK, SEARCH, CHAIR, BUY), set()),
        ((SEARCH, CHAIR, BUY), {"looked_at_one_product"}),
        ((SEARCH, LAMP), {"never_bought"}),
        (("click[search]", BUY), {"never_searched", "never_bought"}),
    ],
)  # fmt: skip
def test_what_a_run_through_the_shop_shows(mode, actions, expected):
    run = shopping(mode, *actions)
    assert {name for name in FROM_SHOP if SYMPTOMS[name](run)} == expected
