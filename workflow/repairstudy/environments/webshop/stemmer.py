"""Porter's stemmer as its author ships it, which differs from his 1980 paper in two suffixes.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980. The author's own programs,
and so Lucene, turn -bli into -ble (paper: -abli into -able) and -logi into -log (paper: no such
rule), and leave words of one or two letters as they are.
"""

from __future__ import annotations

from functools import lru_cache

# Suffix -> what replaces it when the stem before it holds a vowel followed by a consonant.
# Longer suffixes stand first: the first that fits decides, whether or not its condition holds.
DERIVED = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("bli", "ble"),
    ("eli", "e"),
)
ENDINGS = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
REMOVED = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti"),
    *("ous", "ive", "ize", "ion", "al", "er", "ic", "ou"),
)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The stem of a lower-case word. Whatever is not a, e, i, o, u or y counts as a consonant."""
    if len(word) < 3:
        return word
    for step in (_plural, _past, _final_y, _derived, _ending, _removed, _final_e, _final_l):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """The word as v for vowels and c for consonants; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant at the end, the last not w, x or y ("hop", not "snow")."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and _has_vowel(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """A stem that lost -ed or -ing, with the e it may have had ("hoped") and one final letter."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_doubled(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word.removesuffix(suffix)
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _derived(word: str) -> str:
    return _replaced(word, DERIVED)


def _ending(word: str) -> str:
    return _replaced(word, ENDINGS)


def _removed(word: str) -> str:
    for suffix in REMOVED:
        if not word.endswith(suffix):
            continue
        stem = word.removesuffix(suffix)
        if suffix == "ion" and not stem.endswith(("s", "t")):
            continue
        return stem if _measure(stem) > 1 else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    measure = _measure(word)
    short = measure == 1 and not _ends_short(word[:-1])
    return word[:-1] if measure > 1 or short else word


def _final_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
