"""From text to search terms, as Lucene's English analyser makes them.

Tokens are the words of Unicode's text segmentation (UAX #29), so "3.5", "l'oreal", "foo_bar" and
"a.b.c" stay whole while hyphens divide, and emoji and pictographs are words too. Then: a final 's
is dropped, letters become lower-case, 33 common words are left out, and the rest is stemmed.
"""

from __future__ import annotations

import re

import regex

from repairstudy.environments.webshop.stemmer import stem

_STOPS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with"
)
STOP_WORDS = frozenset(_STOPS.split())
LONGEST = 255  # characters; what is longer is cut into pieces of this length
APOSTROPHES = ("'", "\u2019", "\uff07")

# Text in ASCII needs no Unicode properties, and most catalogue text is ASCII.
_ASCII = re.compile(
    r"_*+[a-zA-Z0-9]\w*"
    r"(?:(?:(?<=[a-zA-Z])[:.'](?=[a-zA-Z])|(?<=[0-9])[,;.'](?=[0-9]))\w+)*",
    re.ASCII,
)


# Pictographs and emoji of Unicode 12, the version that the original's Lucene knows: later versions
# took some of them back ("★") and added others.
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf"
    "\u23e9-\u23f3\u23f8-\u23fa\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612"
    "\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744"
    "\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0\u27bf\u2934"
    "\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff"
    "\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f16f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f"
    "\U0001f85a-\U0001f85f\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a"
    "\U0001f93c-\U0001f945\U0001f947-\U0001fbef\U0001fbfa-\U0001fffd"
)
# Assigned characters that only later versions count as letters.
_NO_LETTERS = "\u00b8\u02e5-\u02eb\u055a-\u055c\u055e\u058a\ua708-\ua716"
_QUOTES = ".'\u2018\u2019\u2024\ufe52\uff07\uff0e"  # these join letters as well as digits


def _unicode_pattern() -> regex.Pattern[str]:
    """The rules WB5 to WB13b of UAX #29; marks and format characters go with what they follow."""
    marks = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*"
    other = rf"[\p{{WB=ALetter}}--[{_NO_LETTERS}]]{marks}"
    hebrew = rf"\p{{WB=Hebrew_Letter}}{marks}"
    quoted = rf"{hebrew}(?:'{marks}|\"{marks}{hebrew})"  # a Hebrew letter takes a quote along
    letter = rf"(?:{hebrew}|{other})"
    digit = rf"\p{{WB=Numeric}}{marks}"
    kana = rf"\p{{WB=Katakana}}{marks}"
    joiners = rf"(?:\p{{WB=ExtendNumLet}}{marks})"
    in_word = rf"[{_QUOTES}:\u00b7\u0387\u05f4\u2027\ufe13\ufe55\uff1a]{marks}"
    in_number = rf"[{_QUOTES}\p{{WB=MidNum}}]{marks}"
    letters = rf"(?!{quoted}){letter}(?:(?!{quoted}){letter}|{in_word}{letter})*"
    run = rf"(?:{quoted}|{letters}|{digit}(?:(?:{in_number})?{digit})*)"
    block = rf"(?:{kana}(?:{joiners}*{kana})*|{run}(?:{joiners}*{run})*)"
    word = rf"{joiners}*{block}(?:{joiners}+{block})*{joiners}*"
    flag = rf"(?:\p{{WB=Regional_Indicator}}{marks}){{2}}"
    keycap = rf"[#*]{marks}(?<=\u20e3){marks}"
    picture = rf"\u200d*[{_PICTURES}](?:(?!\ufe0e){marks}(?:(?<=\u200d)[{_PICTURES}]{marks})*)?"
    single = rf"[\p{{Script=Han}}\p{{Script=Hiragana}}]{marks}"
    unspaced = rf"(?:\p{{LB=SA}}{marks})+"  # Thai and other scripts without spaces
    parts = "|".join([word, flag, keycap, picture, single, unspaced])
    return regex.compile(parts, regex.VERSION1)


_UNICODE = _unicode_pattern()


def tokens(text: str) -> list[str]:
    """The words of a text, as written."""
    found = (_ASCII if text.isascii() else _UNICODE).findall(text)
    if len(text) <= LONGEST:
        return found
    return [word[at : at + LONGEST] for word in found for at in range(0, len(word), LONGEST)]


def term(word: str) -> str | None:
    """What a word is searched for as; None: it is left out."""
    lower = _lower(_without_possessive(word))
    return None if lower in STOP_WORDS else stem(lower)


def terms(text: str) -> list[str]:
    """What is searched for when a text is a query, and found by when it is a document."""
    return [name for word in tokens(text) if (name := term(word)) is not None]


def _without_possessive(word: str) -> str:
    return word[:-2] if word[-1:] in "sS" and word[-2:-1] in APOSTROPHES else word


def _lower(word: str) -> str:
    """Letter by letter, so that no letter becomes two and none depends on its neighbours."""
    if word.isascii():
        return word.lower()
    return "".join(letter.lower()[0] for letter in word)
