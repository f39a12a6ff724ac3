"""Text to search terms. Expected values were printed by Lucene's own English analyser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.environments.webshop.analysis import LONGEST, term, terms, tokens
from repairstudy.environments.webshop.stemmer import stem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.5 1,000.50 usb3.0", ["3.5", "1,000.50", "usb3.0"]),
        ("l'oreal a.b.c ab:cd foo_bar _x_", ["l'oreal", "a.b.c", "ab:cd", "foo_bar", "_x_"]),
        ("t-shirt 8:30 a,b x.5", ["t", "shirt", "8", "30", "a", "b", "x", "5"]),
        ("c++ @home 50% ___", ["c", "home", "50"]),
        ("é-clair naïve", ["é", "clair", "naïve"]),
        ("你好 ひら カタカナ 한국어 ภาษา", ["你", "好", "ひ", "ら", "カタカナ", "한국어", "ภาษา"]),
        ("★★ ©2020 x© 👨‍👩‍👧 🇩🇪 #️⃣", ["★", "★", "©", "2020", "x", "©", "👨‍👩‍👧", "🇩🇪", "#️⃣"]),
        ("שלום it’s ½ ¸", ["שלום", "it’s"]),
        ("", []),
        (" \n\t.,;:!", []),
    ],
)
def test_tokens_are_the_words_of_unicode_text_segmentation(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Men's WOMEN'S ipad’s", ["men", "women", "ipad"]),
        ("It's the end of an IF", ["end"]),  # possessives go before stop words
        ("İstanbul ΣΑΣ NAÏVE", ["istanbul", "σασ", "naïv"]),
        ("rock'n'roll", ["rock'n'rol"]),
        ("red, red RED", ["red", "red", "red"]),
    ],
)
def test_terms_are_lower_case_stems_without_stop_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_word_alone_gives_its_term_or_none() -> None:
    assert term("Shoes") == "shoe"
    assert term("with") is None


def test_a_very_long_word_is_cut_into_pieces() -> None:
    assert [len(piece) for piece in tokens("x" * (2 * LONGEST + 3))] == [LONGEST, LONGEST, 3]


STEMS = """
caresses caress, ponies poni, cats cat, is is, as as, by by, gas ga, this thi, feed feed,
agreed agre, plastered plaster, bled bled, motoring motor, sing sing, conflated conflat,
troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss, failing fail,
filing file, hoping hope, happy happi, sky sky, relational relat, conditional condit,
rational ration, valenci valenc, digitizer digit, conformabli conform, possibly possibl,
radicalli radic, differentli differ, vileli vile, analogousli analog, vietnamization vietnam,
predication predic, operator oper, feudalism feudal, decisiveness decis, hopefulness hope,
formaliti formal, sensitiviti sensit, sensibiliti sensibl, biology biologi, apologize apolog,
triplicate triplic, formative form, formalize formal, electrical electr, goodness good,
revival reviv, allowance allow, inference infer, airliner airlin, adjustable adjust,
replacement replac, adjustment adjust, dependent depend, adoption adopt, homologou homolog,
communism commun, activate activ, effective effect, bowdlerize bowdler, probate probat,
rate rate, cease ceas, controlling control, roll roll, generalizations gener, snowing snow
"""


@pytest.mark.parametrize("pair", STEMS.replace("\n", " ").split(","))
def test_stems(pair: str) -> None:
    word, expected = pair.split()
    assert stem(word) == expected


@given(st.text("abeilnorst'y5_é", max_size=12))
def test_a_stem_keeps_the_beginning_and_does_not_grow(word: str) -> None:
    """It loses letters at its end; an ending may become y > i or get back one e."""
    found = stem(word)
    assert len(found) <= len(word)
    kept = len(found) - 1
    assert found[:kept] == word[:kept]


@given(st.text("aBs19_.,:;'\" -/\n", max_size=30))
def test_the_short_way_for_ascii_text_agrees_with_the_long_way(text: str) -> None:
    """One foreign word at the end sends the whole text the long way."""
    assert tokens(text + " é") == [*tokens(text), "é"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_space_divides_any_text(one: str, other: str) -> None:
    assert terms(f"{one} . {other}") == terms(one) + terms(other)
