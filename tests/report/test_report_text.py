"""Foreign text: nothing invisible, nothing that reorders, nothing endless."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.report.text import LONGEST, one_line, readable, short_name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("dos\r\nlines", "dos\nlines"),
        ("bell\x07", "bell␇"),
        ("nul\x00byte", "nul␀byte"),
        ("escape \x1b[31mred", "escape ␛[31mred"),
        ("del\x7f", "del␡"),
        ("right\u202eto left", "right‹U+202E›to left"),
        ("zero\u200bwidth", "zero‹U+200B›width"),
        ("c1\x85", "c1‹U+0085›"),
        ("line\u2028separator", "line‹U+2028›separator"),
        ("no-break\u00a0space", "no-break space"),
        ("naïve café 道 שלום", "naïve café 道 שלום"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text, shown):
    assert readable(text) == shown


@given(st.text(max_size=200))
def test_no_character_is_left_that_acts_instead_of_being_seen(text):
    for character in readable(text):
        assert character in "\n\t" or unicodedata.category(character)[0] != "C"


def test_endless_text_is_cut_and_says_by_how_much():
    shown = readable("x" * (LONGEST + 7))
    assert shown == "x" * LONGEST + " … (7 more characters)"
    assert readable("x" * LONGEST) == "x" * LONGEST


def test_one_line_has_one_line_of_limited_length():
    assert one_line("a\n b\tc") == "a b c"
    assert one_line("abcdef", 4) == "abc…"


def test_a_long_name_keeps_both_ends():
    assert short_name("smollm2-screened", 20) == "smollm2-screened"
    long = "llama-3.1-8b-instruct-with-a-long-name"
    assert short_name(long, 21) == "llama-3.1-…-long-name"
    assert short_name(f"{long}-screened", 21) == "llama-3.1-…e-screened"
    assert short_name("a\n\u202eb", 20) == "a ‹U+202E›b"
