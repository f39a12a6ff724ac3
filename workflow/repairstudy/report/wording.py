"""Sentences made from counts: right for none, for one, and for many."""

from __future__ import annotations

from collections.abc import Iterable

from repairstudy.report.numbers import count


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence."""
    *first, last = list(words) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def join(sentences: Iterable[str]) -> str:
    """Sentences one after the other; empty ones are left out."""
    return " ".join(sentence for sentence in sentences if sentence)


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: no pool, 1 pool, 2 pools."""
    shown = count(number) if number else "no"
    return f"{shown} {noun if number <= 1 else plural or noun + 's'}"


def some_of(some: int, total: int, noun: str, does: str, do: str, plural: str = "") -> str:
    """How many of all do something: "2 of 9 pools lose", "none of 9 pools loses", "both lose".

    Args:
        does, do: what one does and several do, as "loses" and "lose"; `do` is the infinitive too,
            save for "are", "are shown to lose" and the like.
    """
    nouns = plural or noun + "s"
    if total == 0:
        return f"there is no {noun}"
    if total == 1:
        infinitive = f"is not{do[3:]}" if do.split()[0] == "are" else f"does not {do}"
        return f"the one {noun} {does if some else infinitive}"
    if some == 0:
        return f"none of {total} {nouns} {does}"
    if some == total:
        return f"both {nouns} {do}" if total == 2 else f"all {total} {nouns} {do}"
    return f"{some} of {total} {nouns} {does if some == 1 else do}"


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop; nothing stays nothing."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""
