"""Drawing a continuation word by word, so that each draw is among single tokens.

The continuations form a trie of words. From its root on, the engine is asked for the next word
among those that lead to some continuation; a word that is the only one costs no question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# Where one continuation ends and another goes on, this token stands for the end.
END = "\n"

_WORD = re.compile(r"\s*\S+")


@lru_cache(maxsize=4096)  # agents meet the same lists of actions again and again
def next_words(texts: tuple[str, ...], spoken: str) -> Mapping[str, tuple[str, ...]]:
    """The words that may follow, each with the continuations that it leads to.

    Args:
        texts: continuations that all begin with `spoken`, whole words.
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        word = _WORD.match(text, len(spoken))
        found.setdefault(word.group() if word else END, []).append(text)
    return {word: tuple(leading) for word, leading in found.items()}
