"""WebShop's pages taken apart and laid out."""

import polars as pl

from repairstudy.report.explorer import render_explorer
from repairstudy.report.explorer.shop import chosen, shop_page

SEARCH = "WebShop [SEP] Instruction: [SEP] find shoes [SEP] Search"
ABOVE = "Instruction: [SEP] find shoes [SEP] "
RESULTS = (
    ABOVE + "Back to Search [SEP] Page 1 (Total results: 50) [SEP] Next > [SEP] B000000001 [SEP] "
    "Red Shoes, Size 9 [SEP] $10.0 [SEP] B000000002 [SEP] $5.0 to $9.0"
)
ITEM = (
    ABOVE
    + "Back to Search [SEP] < Prev [SEP] color [SEP] red [SEP] sea blue [SEP] Red Shoes [SEP] "
    "Price: $10.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now"
)


def test_a_search_page_shows_what_was_typed():
    page = shop_page(SEARCH, "search[red shoes]", 1000)
    assert (page.kind, page.typed) == ("search", "red shoes")
    assert shop_page(SEARCH, "click[search]", 1000).typed is None


def test_results_are_products_with_prices_and_the_clicked_one_is_marked():
    page = shop_page(RESULTS, "click[b000000001]", 1000)
    assert page.kind == "results"
    assert page.head == "Page 1 (Total results: 50): 2 products"
    assert [part.text for part in page.buttons] == ["Back to Search", "Next >"]
    assert [(one.code, one.title, one.price) for one in page.products] == [
        (("B000000001", True), "Red Shoes, Size 9", "$10.0"),
        (("B000000002", False), "", "$5.0 to $9.0"),
    ]


def test_an_item_has_title_price_and_options_by_group():
    page = shop_page(ITEM, "click[Sea Blue]", 1000)
    assert (page.kind, page.title, page.price) == ("item", "Red Shoes", "Price: $10.0")
    assert [(part.text, part.did, group) for part, group in page.options] == [
        ("color", False, True), ("red", False, False), ("sea blue", True, False),
    ]  # fmt: skip
    assert page.texts == ("Rating: N.A.",)
    assert page.buttons[-1].text == "Buy Now"


def test_a_button_that_was_clicked_is_marked():
    page = shop_page(ITEM, "click[buy now]", 1000)
    assert [part.text for part in page.buttons if part.did] == ["Buy Now"]


def test_pages_with_marked_buttons_are_read_alike():
    buttons = "[button] Back to Search [button_]\n[button] < Prev [button_]"
    page = shop_page(f"Instruction:\nfind shoes\n{buttons}\nblue", "", 1000)
    assert (page.kind, page.texts) == ("text", ("blue",))
    assert [part.text for part in page.buttons] == ["Back to Search", "< Prev"]


def test_the_last_page_and_other_texts():
    assert shop_page("Thank you for shopping with us!", "", 1000).kind == "done"
    assert shop_page("You are in the middle of a room.", "", 1000) is None
    assert shop_page("", "", 1000) is None


def test_the_options_chosen_come_from_the_state():
    state = "Goal: shoes\nChosen options: {}\nLast search: shoes\n\nBack to Search"
    assert chosen(state.format("color: red"), 1000) == "Chosen options: color: red"
    assert chosen(state.format("none"), 1000) == ""


def test_a_shop_is_laid_out_with_the_page_of_a_position_open(frames):
    runs = frames["trajectories"].with_columns(environment=pl.lit("webshop"))
    steps = frames["steps"].with_columns(
        observation=pl.lit(RESULTS), action=pl.lit("click[b000000002]")
    )
    html = render_explorer({**frames, "trajectories": runs, "steps": steps}, most=1)
    assert '<ul class="products">' in html
    assert '<li class="did"><bdi class="title"></bdi> <b class="price"><bdi>$5.0 to $9.0' in html
    assert '<bdi class="head">Page 1 (Total results: 50): 2 products</bdi>' in html
    assert "[SEP]" not in html
