"""Sentences made from counts: right for none, for one, and for many."""

import re

from hypothesis import given
from hypothesis import strategies as st

from repairstudy.report.wording import counted, join, listed, sentence, some_of

NUMBERS = st.integers(0, 3000)


def test_a_count_with_its_noun():
    assert counted(0, "pool") == "no pool"
    assert counted(1, "pool") == "1 pool"
    assert counted(2, "pool") == "2 pools"
    assert counted(1234, "loss", "losses") == "1\u202f234 losses"


def test_how_many_of_all():
    def lose(some, total):
        return some_of(some, total, "evaluator", "loses", "lose")

    assert lose(0, 0) == "there is no evaluator"
    assert lose(0, 1) == "the one evaluator does not lose"
    assert lose(1, 1) == "the one evaluator loses"
    assert lose(0, 2) == "none of 2 evaluators loses"
    assert lose(1, 2) == "1 of 2 evaluators loses"
    assert lose(2, 2) == "both evaluators lose"
    assert lose(2, 9) == "2 of 9 evaluators lose"
    assert lose(9, 9) == "all 9 evaluators lose"


def test_verbs_with_an_auxiliary():
    shown = ("loss", "is shown", "are shown", "losses")
    assert some_of(0, 1, *shown) == "the one loss is not shown"
    assert some_of(1, 3, *shown) == "1 of 3 losses is shown"
    assert some_of(3, 3, *shown) == "all 3 losses are shown"


@given(NUMBERS, NUMBERS)
def test_verb_and_noun_agree_whatever_the_numbers(some, total):
    some = min(some, total)
    text = some_of(some, total, "rule", "holds", "hold")
    singular = re.search(r"\b(holds|does not hold|there is no)\b", text)
    assert bool(singular) == (some <= 1 and not (some == total > 1))
    assert ("rules" in text) == (total > 1)
    assert set(re.findall(r"\d+", text)) <= {str(some), str(total)}
    assert sentence(text)[0] == text[0].upper()


def test_words_as_a_list():
    assert listed([]) == "none"
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(iter("abc")) == "a, b and c"


def test_empty_sentences_are_left_out():
    assert join(["A.", "", "B."]) == "A. B."
    assert sentence("") == ""
