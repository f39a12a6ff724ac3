"""Queries that find a known product."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from repairstudy.environments.webshop.pages import PER_PAGE
from repairstudy.environments.webshop.product import Product

FEW, SOME, MANY = 8, 20, 60  # words of a query
_NOT_WORDS = re.compile(r"[^\w.'&%]+")  # brackets would end an action


def query_for(product: Product, position: int, hits: Callable[[str], Sequence[int]]) -> str | None:
    """A query that has the product among its hits, on the first page if one of those tried does.

    Args:
        position: what stands for the product among the hits.
        hits: a search.
    """
    best: tuple[int, str] | None = None
    for query in _queries(product):
        found = hits(query)
        if position in found:
            page = found.index(position) // PER_PAGE
            if page == 0:
                return query
            best = min(best or (page, query), (page, query))
    return best[1] if best else None


def _queries(product: Product) -> Iterator[str]:
    """Ever more of a product's own words."""
    name, text = _words(product.name), _words(product.search_text())
    for words, most in ((name, FEW), (name, SOME), (text, SOME), (text, MANY)):
        if words:
            yield " ".join(words[:most])


def _words(text: str) -> list[str]:
    return _NOT_WORDS.sub(" ", text.lower()).split()
