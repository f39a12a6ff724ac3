"""What actions do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webshop_shops import small_shop

from repairstudy.environments.webshop.session import (
    Session,
    after_click,
    after_search,
    parse_action,
)

SHOP = small_shop()
LAMP, CHAIR = 0, 1
START = Session("task")
RESULTS = Session("task", "results", "desk")
ITEM = replace(RESULTS, page="item", product=LAMP)


def click(session: Session, name: str) -> Session | None:
    return after_click(session, name, SHOP.view(session).targets)


@pytest.mark.parametrize(
    ("action", "parsed"),
    [
        ("search[Red Lamp]", ("search", "red lamp")),
        ("click[Buy Now]", ("click", "buy now")),
        ("click[a]b]", ("click", "a]b")),
        ("click[x] and more", ("click", "x")),
        ("Click[x]", ("Click", "x")),  # the name keeps its case, so this does nothing
        ("search[a] click[b]", ("search[a] click", "b")),
        ("search[]", None),
        ("[x]", None),
        ("buy now", None),
        ("Thought: buy\nclick[buy now]", None),
        ("search[a\nb]", None),
    ],
)
def test_actions_are_read_as_the_original_reads_them(
    action: str, parsed: tuple[str, str] | None
) -> None:
    assert parse_action(action) == parsed


@pytest.mark.parametrize("session", [START, RESULTS, replace(RESULTS, number=3), ITEM])
def test_a_search_is_obeyed_on_every_page_and_forgets_all_else(session: Session) -> None:
    assert after_search(session, "lamp") == Session("task", "results", "lamp")


@pytest.mark.parametrize("query", ["<r>", "<r> lamp", "<q> lamp", "<c> garden", "<a> x"])
def test_queries_that_the_original_answers_from_hidden_data_are_refused(query: str) -> None:
    assert after_search(START, query) is None


def test_such_a_word_further_on_is_a_word() -> None:
    assert after_search(START, "lamp <r>") is not None


def test_pages_of_results_are_turned_without_end_but_not_below_the_first() -> None:
    assert click(RESULTS, "next >") == replace(RESULTS, number=2)
    assert click(replace(RESULTS, number=99), "next >") == replace(RESULTS, number=100)
    assert click(replace(RESULTS, number=2), "< prev") == RESULTS
    assert click(RESULTS, "< prev") is None


def test_a_product_is_opened_and_left_to_the_same_page_of_results() -> None:
    item = click(RESULTS, "b000000001")
    assert item == ITEM
    assert click(replace(ITEM, number=2), "< prev") == replace(RESULTS, number=2)


def test_the_last_choice_in_a_group_counts() -> None:
    small = click(ITEM, "small")
    assert small is not None
    assert small.options == (("size", "small"),)
    again = click(small, "red")  # both groups have it; the last group gets it
    assert again is not None
    assert again.options == (("size", "red"),)


def test_tabs_keep_the_options_and_leaving_the_product_forgets_them() -> None:
    chosen = replace(ITEM, options=(("size", "small"),))
    tab = click(chosen, "features")
    assert tab == replace(chosen, page="tab", tab="features")
    assert click(tab, "< prev") == chosen
    assert click(tab, "buy now") is None
    assert click(chosen, "< prev") == RESULTS
    assert click(chosen, "back to search") == click(tab, "back to search") == START


def test_nothing_can_be_clicked_after_a_purchase() -> None:
    bought = click(ITEM, "buy now")
    assert bought == replace(ITEM, page="bought")
    assert SHOP.view(bought).targets == {}


def test_visits_are_kept_until_the_search_page_where_pages_show_them() -> None:
    seen = after_click(RESULTS, "b000000001", SHOP.view(RESULTS).targets, keep_visits=True)
    assert seen == replace(ITEM, visited=(LAMP,))
    again = after_search(seen, "chair")
    assert again is not None
    assert again.visited == (LAMP,)
    assert click(again, "back to search") == START


def test_the_signature_tells_states_apart_that_look_the_same() -> None:
    """Pages do not show chosen options; the order of choosing makes no difference."""
    chosen = replace(ITEM, options=(("color", "red"), ("size", "small")))
    swapped = replace(chosen, options=chosen.options[::-1])
    assert SHOP.view(chosen) == SHOP.view(ITEM)
    assert chosen.signature() == swapped.signature() != ITEM.signature()
    others = [START, RESULTS, replace(RESULTS, number=2), replace(RESULTS, query="x"), ITEM, chosen]
    others += [replace(ITEM, product=CHAIR), Session("other"), replace(ITEM, page="bought")]
    assert len({session.signature() for session in others}) == len(others)


@given(st.lists(st.integers(0, 20), max_size=12))
def test_any_walk_stays_where_something_can_be_done(choices: list[int]) -> None:
    """Whatever a page offers can be done, and leads to a page that can be shown."""
    session: Session | None = after_search(START, "desk")
    for choice in choices:
        assert session is not None
        targets = SHOP.view(session).targets
        if session.page == "search":
            session = after_search(session, "lamp")
        elif targets:
            session = click(session, list(targets)[choice % len(targets)])
    assert session is not None
