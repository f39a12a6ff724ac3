"""Foreign texts laid out for a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.report.explorer.folding import (
    common_last_line,
    common_limit,
    laid,
    without_last_line,
)


def test_a_page_is_split_where_its_environment_joined_it():
    found = laid("Page 1 [SEP] B09ABC [SEP] $12.00")
    assert (found.parts, found.joined, found.head) == (["Page 1", "B09ABC", "$12.00"], True, None)


def test_brackets_alone_split_nothing():
    assert laid("search[red shoes] [SEPARATE]").parts == ["search[red shoes] [SEPARATE]"]


def test_empty_elements_are_left_out():
    assert laid(" [SEP]  [SEP] Buy Now [SEP] ").parts == ["Buy Now"]
    assert laid("[SEP]").parts == [""]


@pytest.mark.parametrize("text", ["word " * 100, "x" * 300, "line\n" * 7])
def test_long_texts_keep_a_head(text):
    found = laid(text)
    assert found.head is not None
    assert len(found.head) <= 110
    assert "\n" not in found.head
    assert found.length == len(text)


def test_a_head_says_what_is_new_among_elements_or_lines():
    known = {"goal: a mug", "page"}
    assert laid("goal: a mug\nholding: nothing\n" + "page\n" * 9, known=known).head == (
        "holding: nothing"
    )
    assert laid("page [SEP] " * 60 + "Next >", known=known).head == "Next >"
    assert laid("page\n" * 9, known=known).head.startswith("page · page")


def test_a_small_map_is_not_folded():
    assert laid("\n".join(["A . . . ."] * 5 + ["legend"])).head is None


def test_a_cut_text_says_so():
    assert laid("abcdef", longest=4).parts == ["abcd … (2 more characters)"]


@given(st.lists(st.integers(0, 100), max_size=20), st.integers(0, 300))
def test_the_limit_is_the_largest_that_fits(lengths, budget):
    def total(limit):
        return sum(min(length, limit) for length in lengths)

    limit = common_limit(lengths, budget, longest=50)
    assert total(limit) <= budget
    assert limit == 50 or total(limit + 1) > budget


def test_a_legend_ends_all_drawings():
    assert common_last_line(["# A\nA agent", "A #\nA agent"]) == "A agent"
    assert common_last_line(["# A\nA agent", "A #\nB other"]) is None
    assert common_last_line(["one line", "one line"]) is None
    assert common_last_line(["# A\nA agent"]) is None
    assert common_last_line([]) is None
    assert without_last_line("# A\n. .\nA agent") == "# A\n. ."
