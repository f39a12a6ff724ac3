"""When two descriptions count as the same: word sets, colours, phrases."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.fuzz import token_set_ratio
from rapidfuzz.utils import default_process

from repairstudy.environments.webshop.colours import COLOURS

# The original rounds the ratio to a whole number (halves to even) and asks for more than 85.
LOWEST_RATIO = 85.5
# It also drops what it takes for the characters that are not ASCII.
DROPPED = dict.fromkeys(range(128, 256))
REMEMBERED = 1 << 16  # pairs of short texts: tens of megabytes at most


@lru_cache(REMEMBERED)
def similar(one: str, other: str) -> bool:
    """Whether the words of the texts nearly agree, or one's words nearly contain the other's."""
    ratio = token_set_ratio(plain(one), plain(other), score_cutoff=LOWEST_RATIO)
    return bool(ratio >= LOWEST_RATIO)


@lru_cache(REMEMBERED)
def plain(text: str) -> str:
    """Lower case, with a space for every character that is neither letter, digit nor "_"."""
    return str(default_process(text.translate(DROPPED)))


@lru_cache(REMEMBERED)
def first_colour(text: str) -> str:
    """The first colour word (in their order) that stands anywhere in the text, or the text."""
    return next((colour for colour in COLOURS if colour in text), text)


@lru_cache(REMEMBERED)
def pair_text(group: str, value: str, reduce_colours: bool) -> str:
    """What the original compares of a goal's option: a pair as Python prints it.

    It is a colour word instead where the whole value (or the group) is one.
    """
    pair = (group, value)
    if reduce_colours:
        return next((colour for colour in COLOURS if colour in pair), str(pair))
    return str(pair)


def same_words(one: str, other: str) -> bool:
    """Whether the texts hold the same words, in whatever order."""
    return sorted(plain(one).split()) == sorted(plain(other).split())


def has_phrase(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, not as a part of longer words."""
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None
