"""What pages show and offer."""

from __future__ import annotations

import pytest
from webshop_shops import CHAIR, LAMP, NAMELESS, make_product

from repairstudy.environments.webshop import pages
from repairstudy.environments.webshop.session import Click


def texts(page: pages.Page) -> list[str]:
    return [part.text for part in page.parts]


def test_the_search_page_offers_a_search_alone() -> None:
    page = pages.search_page()
    assert texts(page) == ["Search"]
    assert page.admissible == ("search[<query>]",)


def test_results_show_asin_name_and_price_of_each_product() -> None:
    page = pages.results_page([(7, LAMP), (3, CHAIR)], 1, 12)
    assert texts(page) == [
        *("Back to Search", "Page 1 (Total results: 12)", "Next >"),
        *("B000000001", "Red Desk Lamp", "$10.0"),
        *("B000000002", "Desk Chair", "$20.0 to $30.0"),
    ]
    assert page.targets["b000000002"] == Click("product", 3)
    assert page.admissible == tuple(
        f"click[{name}]" for name in ("back to search", "next >", "b000000001", "b000000002")
    )


def test_there_is_a_next_page_even_after_the_last_one() -> None:
    page = pages.results_page([], 6, 50)
    assert texts(page) == ["Back to Search", "Page 6 (Total results: 50)", "< Prev", "Next >"]


def test_a_product_without_a_name_shows_none() -> None:
    assert texts(pages.results_page([(0, NAMELESS)], 1, 1))[-2:] == ["B000000003", "$10.0"]


def test_an_item_shows_its_options_before_its_name() -> None:
    page = pages.item_page(LAMP)
    assert texts(page) == [
        *("Back to Search", "< Prev", "color", "red", "blue [matt]", "size", "small", "red"),
        *("Red Desk Lamp", "Price: $10.0", "Rating: N.A."),
        *("Description", "Features", "Reviews", "Buy Now"),
    ]


def test_an_option_that_two_groups_share_is_one_target_of_the_last() -> None:
    targets = pages.item_page(LAMP).targets
    assert list(targets)[-3:] == ["red", "blue [matt]", "small"]
    assert targets["red"] == Click("option", "size")


def test_an_option_that_cannot_be_written_as_an_action_is_not_admissible() -> None:
    page = pages.item_page(LAMP)
    assert "blue [matt]" in page.targets
    assert not any("matt" in action for action in page.admissible)


def test_an_option_named_like_a_button_acts_as_the_button() -> None:
    page = pages.item_page(make_product("B1", "Odd", options={"view": ("reviews", "buy now")}))
    assert page.targets["reviews"] == Click("tab", "reviews")
    assert page.targets["buy now"] == Click("buy")


@pytest.mark.parametrize(
    ("tab", "shown"),
    [
        ("description", ["Stands on a desk."]),
        ("features", ["Bright", "", "Cool to touch"]),  # an empty bullet keeps its place
        ("reviews", []),
    ],
)
def test_tabs(tab: str, shown: list[str]) -> None:
    page = pages.tab_page(LAMP, tab)
    assert texts(page) == ["Back to Search", "< Prev", *shown]
    assert list(page.targets) == ["back to search", "< prev"]


def test_text_that_breaks_a_line_and_is_otherwise_blank_is_not_shown() -> None:
    product = make_product("B1", "Odd", bullets=("\n ", " two\nlines "))
    assert texts(pages.tab_page(product, "features"))[2:] == ["two\nlines"]


def test_the_last_page_offers_nothing_and_tells_the_score_only_if_given() -> None:
    assert pages.bought_page(None).admissible == ()
    assert texts(pages.bought_page(None)) == ["Thank you for shopping with us!"]
    assert texts(pages.bought_page(0.5))[1:] == ["Your score (min 0.0, max 1.0)", "0.5"]


def test_rich_text_marks_what_can_be_clicked_and_what_was() -> None:
    item = pages.as_rich_text(pages.item_page(LAMP, chosen=["small"]).parts).splitlines()
    assert item[0] == "You have clicked small."
    assert "[button] Buy Now [button_]" in item
    assert "  [clicked button] small [clicked button_]" in item
    assert "  [button] blue [matt] [button_]" in item
    results = pages.as_rich_text(pages.results_page([(0, LAMP), (1, CHAIR)], 1, 2, [1]).parts)
    assert "\n\n[button] B000000001 [button_]\nRed Desk Lamp\n$10.0" in results
    assert "\n\n[clicked button] B000000002 [clicked button_]" in results
