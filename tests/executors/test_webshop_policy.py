"""What a policy LM is shown of WebShop, encoded, and what its descriptors click."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webshop_views import (
    AT_END,
    AT_ITEM,
    AT_RESULTS,
    AT_SEARCH,
    AT_SUB,
    INSTRUCTION,
    ITEM,
    ITEM_CLICKS,
    ON_ITEM,
    QUERY,
    RESULT_CLICKS,
    RESULTS,
    SUB,
    VIEWS,
    clicks,
    view,
)

from repairstudy.environments.webshop_text import read_page, read_request, words_of
from repairstudy.errors import ConfigError
from repairstudy.executors import AgentView
from repairstudy.executors.webshop_policy import WebshopDescriptors, described, vocabulary

PROTOCOL = WebshopDescriptors()
ROOT = Path(__file__).parents[2]
TEMPLATE = (ROOT / "resources/prompts/webshop/policy.txt").read_text(encoding="utf-8")
CHECKPOINTS = [ROOT / f"resources/models/webshop-{kind}" for kind in ("weak", "strong", "expert")]


def shown(seen: AgentView) -> str:
    return PROTOCOL.prompt(TEMPLATE, seen)


def test_an_instruction_is_taken_apart() -> None:
    request = read_request(INSTRUCTION)
    assert f"search[{request.query}]" == QUERY
    assert request.ceiling == 30.0
    assert request.words == {"machine", "wash", "men", "shirt", "long", "sleeve"}
    assert request.options == (("color", "dark blue"), ("size", "x-large"))
    assert request.option_words == {"dark", "blue", "x", "large"}


def test_instructions_that_people_wrote_have_no_option_clauses() -> None:
    request = read_request("i need an orange [wool] hat, and price lower than 40.50 dollars")
    assert request.query == "i need an orange wool hat"  # a bracket would end the search action
    assert request.ceiling == 40.5
    assert request.words == {"orange", "wool", "hat"}
    assert request.options == ()
    assert read_request("a hat").ceiling is None


def test_words_are_compared_without_plural_and_numbers_apart() -> None:
    assert words_of("Men's 3x-Large shirts, 1.5 oz") == {
        "men",
        "3",
        "x",
        "large",
        "shirt",
        *("1.5", "oz"),
    }


def test_pages_are_recognised() -> None:
    pages = [read_page(seen.observations[-1], seen.admissible) for seen in VIEWS]
    assert [page.kind for page in pages] == ["search", "results", "item", "sub", "done"]
    assert [result.asin for result in pages[1].results] == list(RESULT_CLICKS[2:])
    assert pages[1].results[1].price == "$25.0 to $45.0"
    assert pages[2].title == "Mens Long Sleeve Shirt, Machine Wash"
    assert dict(pages[2].groups) == {
        **dict.fromkeys(("dark blue", "light blue", "red"), "color"),
        **dict.fromkeys(("large", "x-large"), "size"),
        "slim": "fit",
    }
    assert pages[3].text == "A shirt with long sleeves. Dark."


def test_a_result_without_a_name_is_still_a_result() -> None:
    text = (
        "Instruction: [SEP] a hat [SEP] Back to Search [SEP] Page 2 (Total results: 11) "
        "[SEP] < Prev [SEP] Next > [SEP] A000000001 [SEP] $3.0"
    )
    page = read_page(text, clicks("< prev", "a000000001"))
    assert page.number == 2
    assert [(result.title, result.price) for result in page.results] == [("", "$3.0")]


def test_results_are_words_matched_and_prices_compared() -> None:
    assert shown(AT_RESULTS) == (
        "results page1 opened0 r-ok-a6-o0-new r-part-a1-o1-new r-ok-a5-o0-new r-high-a0-o0-new\n"
        "act:"
    )


def test_options_are_compared_with_the_wanted_ones() -> None:
    """Two values of one descriptor stand once: what cannot be told apart is not shown twice."""
    assert shown(AT_ITEM) == (
        "item opened1 price-ok words6 options0 o-w-is-new o-w-m1u1-new o-w-m0u1-new o-w-m1u0-new "
        "o-f-m0u1-new\nact:"
    )


def test_choices_are_remembered_although_the_page_does_not_show_them() -> None:
    chosen = view(*ON_ITEM, "click[red]", ITEM, admissible=AT_ITEM.admissible)
    assert dict(described(chosen))["red"] == "o-w-m0u1-chosen"
    assert dict(described(chosen))["dark blue"] == "o-w-is-other"
    assert dict(described(chosen))["x-large"] == "o-w-is-new"
    again = (*ON_ITEM, "click[red]", ITEM, "click[features]", SUB, "click[< prev]", ITEM)
    assert described(view(*again, admissible=AT_ITEM.admissible)) == described(chosen)
    changed = view(*again, "click[dark blue]", ITEM, admissible=AT_ITEM.admissible)
    assert dict(described(changed))["red"] == "o-w-m0u1-other"


def test_leaving_a_product_forgets_its_choices_and_marks_it_as_seen() -> None:
    left = (*ON_ITEM, "click[red]", ITEM, "click[< prev]", RESULTS)
    results = view(*left, admissible=AT_RESULTS.admissible)
    assert dict(described(results))["a000000001"] == "r-ok-a6-o0-seen"
    assert dict(described(results))["a000000003"] == "r-ok-a5-o0-new"
    back = view(*left, "click[a000000001]", ITEM, admissible=AT_ITEM.admissible)
    assert dict(described(back))["red"] == "o-w-m0u1-new"


def test_clicks_that_did_nothing_are_not_choices() -> None:
    void = view(*ON_ITEM, "click[green]", ITEM, "think[red]", ITEM, admissible=AT_ITEM.admissible)
    assert described(void) == described(AT_ITEM)


def test_other_pages() -> None:
    assert shown(AT_SEARCH) == "search\nact:"
    assert shown(AT_SUB) == "sub words3 options1\nact:"
    assert shown(AT_END) == "done\nact:"


def test_the_search_is_the_instruction_without_its_price() -> None:
    assert PROTOCOL.options(AT_SEARCH) == {" find": QUERY}


def test_every_clickable_has_a_descriptor_and_the_first_of_each_is_clicked() -> None:
    for seen in (AT_RESULTS, AT_ITEM, AT_SUB):
        descriptors = dict(described(seen))
        assert {f"click[{item}]" for item in descriptors} == set(seen.admissible)
        options = PROTOCOL.options(seen)
        assert {text.strip() for text in options} == set(descriptors.values())
        assert set(options.values()) <= set(seen.admissible)
    assert PROTOCOL.options(AT_ITEM)[" o-w-is-new"] == "click[dark blue]"  # before x-large
    assert PROTOCOL.options(AT_ITEM)[" buy"] == "click[buy now]"
    assert PROTOCOL.options(AT_END) == {}


def test_forms_beside_clicks_are_no_options() -> None:
    """Where a search is possible on every page, the policy still has its clicks alone."""
    also = view(*ON_ITEM, admissible=("search[<query>]", *AT_ITEM.admissible))
    assert PROTOCOL.options(also) == PROTOCOL.options(AT_ITEM)


def test_buttons_can_be_read_without_the_page() -> None:
    assert PROTOCOL.parse(" buy", AT_ITEM.admissible) == "click[buy now]"
    assert PROTOCOL.parse("next", AT_ITEM.admissible) is None
    assert PROTOCOL.parse("o-w-is-new", AT_ITEM.admissible) is None
    assert PROTOCOL.parse("", AT_ITEM.admissible) is None


def test_the_template_must_have_the_slot() -> None:
    with pytest.raises(ConfigError, match=r"slot {descriptors} is missing"):
        PROTOCOL.prompt("{observation}", AT_ITEM)


@given(st.lists(st.sampled_from([item for item in ITEM_CLICKS if item != "buy now"]), max_size=6))
def test_whatever_was_clicked_all_tokens_are_of_the_vocabulary(items: list[str]) -> None:
    steps = [step for item in items for step in (f"click[{item}]", ITEM)]
    seen = view(*ON_ITEM, *steps, admissible=AT_ITEM.admissible)
    tokens = [*shown(seen).split()[:-1], *(text.strip() for text in PROTOCOL.options(seen))]
    assert set(tokens) <= set(vocabulary())


@pytest.mark.parametrize("folder", CHECKPOINTS, ids=lambda folder: folder.name)
def test_each_token_of_the_protocol_is_one_of_the_checkpoints(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert tokenizer["model"]["type"] == "WordLevel"
    assert tokenizer["pre_tokenizer"]["type"] == "WhitespaceSplit"
    assert {*vocabulary(), "act:"} <= set(tokenizer["model"]["vocab"])


@pytest.mark.parametrize("folder", CHECKPOINTS, ids=lambda folder: folder.name)
def test_checkpoints_are_small_made_for_this_protocol_and_servable(folder: Path) -> None:
    training = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    assert training["protocol"] == PROTOCOL.name
    assert training["prompt"] == TEMPLATE.removesuffix("\n")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["head_dim"] == 32  # 16 is refused by vLLM on a CPU
    assert config["vocab_size"] == len(vocabulary()) + 5  # four special tokens and "act:"
