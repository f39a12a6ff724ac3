"""Foreign texts laid out for a page: split where an environment joined them, folded when long."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from repairstudy.report.text import LONGEST, one_line, readable

SEPARATOR = " [SEP] "  # how WebShop joins the elements of a page
FOLDED_ABOVE = 280  # characters, or
MOST_LINES = 6  # lines, which a reader takes in at a glance; a map has more and is short
HEAD = 110  # characters of a folded text that stay visible


@dataclass(frozen=True, slots=True)
class Laid:
    """A text as a page shows it.

    Attributes:
        parts: elements of a joined page, or else the text as its only part.
        joined: whether the environment had joined several elements.
        head: what is visible while the text is folded; None if it is not folded.
        length: characters of the whole text.
    """

    parts: Sequence[str]
    joined: bool
    head: str | None
    length: int

    @property
    def pieces(self) -> Sequence[str]:
        """Its elements, or else its lines."""
        return self.parts if self.joined else _lines(self.parts[0])


def laid(text: str, longest: int = LONGEST, known: Collection[str] = ()) -> Laid:
    """The text split, cut at `longest` characters, and folded if it is long.

    `known`: elements or lines that a reader has just seen, which the head of a folded text leaves
    out.
    """
    shown = readable(text, longest)
    joined = SEPARATOR.strip() in text
    parts = [part.strip() for part in shown.split(SEPARATOR.strip())] if joined else [shown]
    parts = [part for part in parts if part] or [""]
    long = len(text) > FOLDED_ABOVE or text.count("\n") >= MOST_LINES
    pieces = parts if joined else _lines(shown)
    new = [piece for piece in pieces if piece not in known] or pieces
    head = one_line(" · ".join(new), HEAD) if long else None
    return Laid(parts, joined, head, len(text))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def common_limit(lengths: Iterable[int], budget: int, longest: int = LONGEST) -> int:
    """The largest length to which texts can be cut so that all together fit the budget."""
    ordered = sorted(min(length, longest) for length in lengths)
    left = budget
    for place, length in enumerate(ordered):
        share = left // (len(ordered) - place)
        if length > share:
            return share
        left -= length
    return longest


def common_last_line(texts: Sequence[str]) -> str | None:
    """The line that ends all of several texts of more lines: a legend, which a page says once."""
    ends = {text.rpartition("\n")[2] if "\n" in text else None for text in texts}
    return ends.pop() if len(texts) > 1 and len(ends) == 1 else None


def without_last_line(text: str) -> str:
    return text.rpartition("\n")[0]
