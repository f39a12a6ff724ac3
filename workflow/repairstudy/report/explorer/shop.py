"""WebShop's pages taken apart, so that the explorer can lay them out as a shop would."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from repairstudy.environments.webshop_text import BUTTONS, RESULTS_MARK, SEPARATOR, clicked
from repairstudy.report.text import one_line, readable

Kind = Literal["search", "results", "item", "text", "done"]
# Names of groups of options; on a page of text nothing else tells them from their values.
GROUPS = re.compile(
    r"colou?r|size|style|flavou?r|scent|shape|material|pattern|edition|"
    r".* (?:name|type|count|quantity|size|color|style)"
)
_BUTTON = re.compile(r"\[(?:clicked )?button\] (.*) \[(?:clicked )?button_\]", re.DOTALL)
_SEARCH = re.compile(r"search\[(.*)\]", re.IGNORECASE | re.DOTALL)
_PRODUCT = re.compile(r"[A-Z0-9]{10}")
INSTRUCTION = "Instruction:"  # begins every page but the last
_CHOSEN = "Chosen options:"  # how the drawing of a state begins the line that tells them
_HEAD = 110  # characters of a folded page that stay visible


class Part(NamedTuple):
    """A text of a page. `did`: the action of this step clicked it."""

    text: str
    did: bool = False


class Product(NamedTuple):
    """A product among the results."""

    code: Part
    title: str
    price: str


@dataclass(frozen=True, slots=True)
class ShopPage:
    """A page of the shop.

    Attributes:
        head: what it is, in one line.
        buttons: what leads elsewhere.
        options: of an item: (text, whether it names a group) in their order.
        texts: what else stands there.
        typed: the query that the action of this step searched for.
    """

    kind: Kind
    head: str
    buttons: tuple[Part, ...] = ()
    products: tuple[Product, ...] = ()
    title: str = ""
    price: str = ""
    options: tuple[tuple[Part, bool], ...] = ()
    texts: tuple[str, ...] = ()
    typed: str | None = None


def shop_page(observation: str, action: str, longest: int) -> ShopPage | None:
    """A page of the shop, and what the action did on it; None if the text is no such page."""
    parts = _parts(readable(observation, longest))
    if parts and parts[0].startswith("Thank you for shopping"):
        return ShopPage("done", one_line(parts[0], _HEAD), texts=tuple(parts))
    parts = parts[1:] if parts and parts[0] == "WebShop" else parts
    if len(parts) < 2 or parts[0] != INSTRUCTION:
        return None
    searched = _SEARCH.fullmatch(action.strip())
    query = readable(searched[1], longest) if searched else None
    return _page(parts[2:], clicked(action.strip()), query)


def chosen(drawing: str, longest: int) -> str:
    """The options chosen so far, which the page itself does not tell; "" if there are none."""
    head = readable(drawing, longest).partition("\n\n")[0].splitlines()
    found = next((line for line in head if line.startswith(_CHOSEN)), "")
    return "" if found == f"{_CHOSEN} none" else found


def _parts(text: str) -> list[str]:
    """The page's texts, whether joined or in lines with their buttons marked."""
    pieces = text.split(SEPARATOR) if SEPARATOR in text else text.split("\n")
    plain = (piece.strip() for piece in pieces)
    found = ((_BUTTON.fullmatch(piece), piece) for piece in plain)
    return [match[1] if match else piece for match, piece in found if piece]


def _page(parts: Sequence[str], target: str | None, query: str | None) -> ShopPage:
    buttons = tuple(_part(text, target) for text in parts if text.lower() in BUTTONS)
    rest = [text for text in parts if text.lower() not in BUTTONS]
    if rest == ["Search"]:
        return ShopPage("search", "search page", typed=query)
    number = next((text for text in rest if RESULTS_MARK in text), None)
    if number is not None:
        products = tuple(_products(rest[rest.index(number) + 1 :], target))
        head = f"{number}: {len(products)} products"
        return ShopPage("results", one_line(head, _HEAD), buttons, products, number, typed=query)
    price = next((n for n, text in enumerate(rest) if text.startswith("Price: ")), None)
    if price:
        title, offered = rest[price - 1], rest[: price - 1]
        options = tuple((_part(text, target), bool(GROUPS.fullmatch(text))) for text in offered)
        head = one_line(f"{rest[price].removeprefix('Price: ')} {title}", _HEAD)
        texts = tuple(rest[price + 1 :])
        return ShopPage("item", head, buttons, (), title, rest[price], options, texts, query)
    head = one_line(" · ".join(rest) or "a page without text", _HEAD)
    return ShopPage("text", head, buttons, texts=tuple(rest), typed=query)


def _products(parts: Iterable[str], target: str | None) -> Iterable[Product]:
    code, texts = "", list[str]()
    for text in parts:
        if _PRODUCT.fullmatch(text):
            if code:
                yield _product(code, texts, target)
            code, texts = text, []
        elif code:
            texts.append(text)
    if code:
        yield _product(code, texts, target)


def _product(code: str, texts: list[str], target: str | None) -> Product:
    priced = bool(texts) and texts[-1].startswith("$")
    title = " ".join(texts[:-1] if priced else texts)
    return Product(_part(code, target), title, texts[-1] if priced else "")


def _part(text: str, target: str | None) -> Part:
    return Part(text, target is not None and text.lower() == target)
