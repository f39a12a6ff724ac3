"""WebShop as an agent reads it: text pages and instructions, taken apart again.

Everything here is a function of texts alone, so that protocols and scripted agents can use it
without loading a catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from repairstudy.environments.view import View

SEPARATOR = " [SEP] "
RESULTS_MARK = " (Total results: "  # stands on pages of results alone
BUTTONS = ("back to search", "next >", "< prev", "description", "features", "reviews", "buy now")

_WORD = re.compile(r"\d+(?:\.\d+)?|[a-z]+")
# Words that say nothing about a product, in the instructions' own phrases.
_EMPTY_WORDS = frozenset(
    _WORD.findall(
        "a also am an and any are as at be but buy by can color dollars find for from get give had "
        "has have hello help i if im in interested is it its like looking lower me my need of on "
        "one or out please prefer price purchase search show size some something than that the "
        "their them there they this to want was what which will with would you"
    )
)
_MONEY = re.compile(r"\$\s*([\d,]+(?:\.\d+)?)")
_CEILING = re.compile(r",?\s*(?:and )?price lower than (\d+(?:\.\d+)?) dollars?\.?", re.IGNORECASE)
_FIRST_CLAUSE = re.compile(r" with ((?:(?! with )[^:,])+): ")
_NEXT_CLAUSE = re.compile(r", and ([^:,]+): ")
_PAGE = re.compile(r"page (\d+) \(total results: \d+\)", re.IGNORECASE)
_CLICK = re.compile(r"click\[(.+)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """What an instruction asks for.

    Attributes:
        query: the instruction without its price clause, fit to be searched for.
        ceiling: the price must be below it (dollars); None: no price clause.
        words: words of the product and its attributes.
        options: (group, value) of each `group: value` clause; human instructions have none.
    """

    query: str
    ceiling: float | None
    words: frozenset[str]
    options: tuple[tuple[str, str], ...]

    @property
    def option_words(self) -> frozenset[str]:
        return frozenset().union(*(words_of(value) for _, value in self.options))


@dataclass(frozen=True, slots=True)
class Result:
    """A product in a list of results; `price` is its text, `$5` or `$5 to $9`."""

    asin: str
    title: str
    price: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the shop.

    Attributes:
        kind: `done` is the page after buying, with nothing to click.
        clickables: what can be clicked, as the admissible actions spell it, in their order.
        number: of a page of results, from 1; otherwise 0.
        results: the products of a page of results.
        title, price: of the product of an item page; else "".
        groups: option value -> its group, on an item page. Of two groups with a value of the
            same spelling the later has it, as in the shop itself.
        text: all words of the page's own text, without header and buttons.
    """

    kind: Literal["search", "results", "item", "sub", "done"]
    clickables: tuple[str, ...]
    number: int = 0
    results: tuple[Result, ...] = ()
    title: str = ""
    price: str = ""
    groups: tuple[tuple[str, str], ...] = ()
    text: str = ""


@lru_cache(maxsize=8192)
def words_of(text: str) -> frozenset[str]:
    """Its words that say something: lower case, without plural s, numbers apart from letters."""
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") else word
        for word in _WORD.findall(text.lower().replace("'", ""))
        if word not in _EMPTY_WORDS
    )


def read_view(view: View) -> tuple[Page, Request]:
    """What an episode shows last, and what it asks for."""
    return read_page(view.observations[-1], view.admissible), read_request(view.instruction)


@lru_cache(maxsize=4096)
def read_request(instruction: str) -> Request:
    """Take an instruction apart: product words, `group: value` clauses, price clause."""
    found = _CEILING.search(instruction)
    ceiling = float(found.group(1)) if found else None
    text = _CEILING.sub("", instruction)
    # Brackets would end the search action early, and a line break would make it void.
    query = " ".join(re.sub(r"[\[\]]", " ", text).lower().split())
    first = _FIRST_CLAUSE.search(text)
    if first is None:
        return Request(query, ceiling, words_of(text), ())
    # [group, value, group, value, ...]
    pieces = [first.group(1), *_NEXT_CLAUSE.split(text[first.end() :])]
    values = [value.strip().lower() for value in pieces[1::2]]
    groups = [group.strip().lower() for group in pieces[0::2]]
    return Request(
        query, ceiling, words_of(text[: first.start()]), tuple(zip(groups, values, strict=True))
    )


@lru_cache(maxsize=4096)
def read_page(observation: str, admissible: tuple[str, ...]) -> Page:
    """Take a page in `text` mode apart; the admissible actions tell groups from values."""
    clickables = tuple(filter(None, map(clicked, admissible)))
    segments = observation.split(SEPARATOR)
    if not admissible:
        return Page("done", ())
    if segments[0] == "WebShop":
        return Page("search", clickables)
    numbers = [int(found.group(1)) for found in map(_PAGE.fullmatch, segments) if found]
    if numbers:
        return Page(
            "results", clickables, number=numbers[0], results=_results(segments, clickables)
        )
    if "buy now" in clickables:
        return _item(segments, clickables)
    own = [part for part in segments[3:] if part.lower() not in BUTTONS]
    return Page("sub", clickables, text=" ".join(own))


def clicked(action: str) -> str | None:
    """What a click action clicks, in lower case; None for any other action."""
    found = _CLICK.fullmatch(action)
    return found.group(1).lower() if found else None


def price_range(text: str) -> tuple[float, float] | None:
    """Lowest and highest price that a price text names, in dollars; None if it names none."""
    amounts = [float(amount.replace(",", "")) for amount in _MONEY.findall(text)]
    return (min(amounts), max(amounts)) if amounts else None


def opened(observations: Sequence[str], actions: Sequence[str]) -> list[str]:
    """The products opened so far, the last one last, from clicks on pages of results.

    `observations` has one item more than `actions`, here and below.
    """
    clicks = zip(observations[:-1], map(clicked, actions), strict=True)
    return [
        item
        for shown, item in clicks
        if item and RESULTS_MARK in shown and f"{SEPARATOR}{item.upper()}{SEPARATOR}" in shown
    ]


def chosen(page: Page, observations: Sequence[str], actions: Sequence[str]) -> dict[str, str]:
    """group -> value chosen since the product of an item page was opened.

    A page in `text` mode looks the same before and after a choice: the actions have to tell.
    """
    groups, found = dict(page.groups), dict[str, str]()
    for shown, action in zip(observations[-2::-1], actions[::-1], strict=True):
        if RESULTS_MARK in shown:  # the click that opened the product
            break
        value = clicked(action)
        if value is not None and value in groups and "[SEP] Buy Now" in shown:
            found.setdefault(groups[value], value)  # backwards: the last choice comes first
    return found


def _results(segments: list[str], clickables: tuple[str, ...]) -> tuple[Result, ...]:
    asins = set(clickables) - set(BUTTONS)
    starts = [place for place, part in enumerate(segments) if part.lower() in asins]
    results = []
    for start, end in pairwise([*starts, len(segments)]):
        *title, price = segments[start + 1 : end] or [""]
        results.append(Result(segments[start].lower(), " ".join(title), price))
    return tuple(results)


def _item(segments: list[str], clickables: tuple[str, ...]) -> Page:
    """Between `< Prev` and the price: groups, each before its values, and last the title."""
    values = set(clickables) - set(BUTTONS)
    price = next((n for n, part in enumerate(segments) if part.startswith("Price: ")), 0)
    start = next((n + 1 for n, part in enumerate(segments) if part == "< Prev"), 0)
    title = segments[price - 1] if price > start else ""
    group, groups = "", dict[str, str]()
    for part in segments[start : max(price - 1, start)]:
        if part.lower() in values:
            groups[part.lower()] = group
        else:
            group = part.lower()
    return Page(
        "item", clickables, title=title, price=segments[price], groups=tuple(groups.items())
    )  # fmt: skip
