"""What a reasoning model thinks before it answers, taken out of its text."""

from __future__ import annotations

import re

# A prompt may end in the opening tag, so that a text begins within the thoughts; and the limit of
# tokens may end them.
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)|\A(?:(?!<think>).)*?</think>", re.DOTALL)


def split_thoughts(text: str) -> tuple[str, str]:
    """The answer without its thoughts, and the thoughts."""
    if "think>" not in text:  # nearly always
        return text, ""
    thoughts = "".join(_THOUGHTS.findall(text))
    answer = _THOUGHTS.sub("", text)
    return (answer.lstrip("\n") if thoughts else text), thoughts


def share_of_tokens(thoughts: str, answer: str, tokens: int) -> int:
    """Tokens that the thoughts took, by their share of the characters.

    # ASSUME: thoughts and answer take equally many characters a token. Only where a server does
    # not count them itself; nothing but a cost report depends on it.
    """
    characters = len(thoughts) + len(answer)
    return round(tokens * len(thoughts) / characters) if characters else 0
