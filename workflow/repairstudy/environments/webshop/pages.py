"""What the pages of the shop show and offer.

A page is a function of what is looked at and does not depend on the goal, which stands before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.session import Click, parse_action

SEPARATOR = " [SEP] "
SEARCH_FORM = "search[<query>]"
PER_PAGE = 10
TABS = ("description", "features", "reviews")
Kind = Literal["text", "button", "product", "option"]
THANKS = "Thank you for shopping with us!"
SCORE = "Your score (min 0.0, max 1.0)"


class Part(NamedTuple):
    """One piece of text on a page, with what it is."""

    text: str
    kind: Kind = "text"
    clicked: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page without the instruction that stands above it.

    Attributes:
        parts: its texts in order.
        targets: what can be clicked, lower-case, in the original's order, and what it does.
        has_search_bar: whether it asks for a query. A search is obeyed on every page.
        admissible: the actions that the page offers, as forms and closed actions.
    """

    parts: tuple[Part, ...]
    targets: dict[str, Click]
    has_search_bar: bool = False
    admissible: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        # An option that holds brackets or a line break cannot be written as an action.
        written = (f"click[{name}]" for name in self.targets)
        clicks = (click for click in written if parse_action(click) == ("click", click[6:-1]))
        forms = (SEARCH_FORM,) if self.has_search_bar else ()
        object.__setattr__(self, "admissible", (*forms, *clicks))


def search_page() -> Page:
    return Page((Part("Search", "button"),), {}, has_search_bar=True)


def results_page(
    products: Sequence[tuple[int, Product]], number: int, total: int, visited: Iterable[int] = ()
) -> Page:
    """One page of results: (position, product) pairs. There is always a next page."""
    turns = {"< Prev": Click("turn", -1)} if number > 1 else {}
    turns["Next >"] = Click("turn", 1)
    parts = [Part("Back to Search", "button")]
    parts.append(Part(f"Page {number} (Total results: {total})"))
    parts += [Part(name, "button") for name in turns]
    targets = {"back to search": Click("search")}
    targets |= {name.lower(): click for name, click in turns.items()}
    for position, product in products:
        parts.append(Part(product.asin, "product", position in visited))
        parts += _shown(product.name) + _shown(product.price_tag)
        targets[product.asin.lower()] = Click("product", position)
    return Page(tuple(parts), targets)


def item_page(product: Product, chosen: Iterable[str] = ()) -> Page:
    """A product with its options; `chosen` values are marked where marks are shown.

    Where two groups share a value, it stands once among the targets and belongs to the last.
    """
    buttons = {"back to search": Click("search"), "< prev": Click("results")}
    buttons |= {tab: Click("tab", tab) for tab in TABS} | {"buy now": Click("buy")}
    targets = dict(buttons)
    parts = [Part("Back to Search", "button"), Part("< Prev", "button")]
    for group, values in product.options.items():
        parts += _shown(group)
        for value in values:
            parts += [Part(shown.text, "option", value in chosen) for shown in _shown(value)]
            targets[value] = Click("option", group)
    parts += _shown(product.name)
    parts += [Part(f"Price: {product.price_tag}"), Part("Rating: N.A.")]
    parts += [Part(tab.capitalize(), "button") for tab in TABS]
    parts.append(Part("Buy Now", "button"))
    # An option named like a button acts as the button.
    return Page(tuple(parts), targets | buttons)


def tab_page(product: Product, tab: str) -> Page:
    """A part of a product's texts. No reviews were ever published, so their tab is empty."""
    parts = [Part("Back to Search", "button"), Part("< Prev", "button")]
    if tab == "description":
        parts += _shown(product.description)
    elif tab == "features":
        for bullet in product.bullets:
            parts += _shown(" " + bullet)
    return Page(tuple(parts), {"back to search": Click("search"), "< prev": Click("item")})


def bought_page(score: float | None) -> Page:
    """The end. The original tells the score, which an agent under study must not learn."""
    shown = () if score is None else (Part(SCORE), Part(str(score)))
    return Page((Part(THANKS), *shown), {})


def _shown(text: str) -> list[Part]:
    """Text as a browser's page keeps it: blank text stays unless it is empty or breaks a line."""
    if not text or ("\n" in text and not text.strip()):
        return []
    return [Part(text.strip())]


def as_text(parts: Iterable[Part]) -> str:
    """The original's `text` observation."""
    return SEPARATOR.join(part.text for part in parts)


def as_rich_text(parts: Iterable[Part]) -> str:
    """The original's `text_rich` observation: a line a part, with buttons and clicks marked."""
    lines: list[str] = []
    for part in parts:
        mark = "clicked button" if part.clicked else "button"
        if part.kind == "text":
            lines.append(part.text)
        elif part.kind == "button":
            lines.append(f"[button] {part.text} [button_]")
        elif part.kind == "product":
            lines.append(f"\n[{mark}] {part.text} [{mark}_]")
        else:
            lines.append(f"  [{mark}] {part.text} [{mark}_]")
            if part.clicked:
                lines.insert(0, f"You have clicked {part.text}.")
    return "\n".join(lines)
