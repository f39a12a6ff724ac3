"""Text that models and environments wrote, made safe to look at.

HTML escaping is the template engine's work. This module deals with what escaping leaves in
place: characters that are invisible, reorder their neighbours, or never end.
"""

from __future__ import annotations

import unicodedata

LONGEST = 20_000  # characters of one text that a page shows
_KEPT = "\n\t"
_PICTURES = 0x2400  # the block of visible pictures of the control characters
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"


def readable(text: str, longest: int = LONGEST) -> str:
    """The text with every invisible or reordering character made visible, and cut if too long.

    Control characters become their Unicode pictures (NUL becomes ␀), format characters, among
    them the marks that turn the direction of writing, become their code (‹U+202E›).
    """
    text = text.replace("\r\n", "\n")
    cut = text[:longest]
    shown = "".join(map(_visible, cut))
    return shown if len(text) <= longest else f"{shown} … ({len(text) - longest} more characters)"


def one_line(text: str, longest: int = 60) -> str:
    """The readable text on one line, of at most `longest` characters."""
    line = " ".join(readable(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def short_name(name: str, longest: int) -> str:
    """A name on one line; of one that is too long the middle is left out: ends tell names apart."""
    line = one_line(name, 10 * longest)
    if len(line) <= longest:
        return line
    tail = (longest - 1) // 2
    return f"{line[: longest - 1 - tail]}…{line[-tail:]}"


def _visible(character: str) -> str:
    if character in _KEPT or character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    if unicodedata.category(character) == "Zs":
        return " "
    return f"‹U+{code:04X}›"
