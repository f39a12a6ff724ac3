"""One prepared shop, shared by all episodes of a process: products, search, pages, and scores.

Searches, pages and scores are functions of what is asked, so the last ones are remembered.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from repairstudy.environments.webshop import pages
from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.index import SearchIndex, index_folder, load_index
from repairstudy.environments.webshop.queries import query_for
from repairstudy.environments.webshop.reward import purchase_reward
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop.selection import Goals
from repairstudy.environments.webshop.session import Click, Session
from repairstudy.environments.webshop.store import read_marker

Mode = Literal["text", "text_rich"]
HITS = 50  # that a search returns
SEARCHES = 1 << 16  # remembered: some 400 bytes each
PAGES = 1 << 13  # remembered: some 5 kilobytes each
PURCHASES = 1 << 16  # remembered: some 200 bytes each


class View(NamedTuple):
    """A page as an agent meets it; `body` is what follows the instruction."""

    body: str
    targets: dict[str, Click]
    admissible: tuple[str, ...]


class Shop:
    """A catalogue that can be searched, looked at and bought from.

    Args:
        mode: the original's observation mode. Only "text_rich" shows clicks.
        memory: remember searches, pages and scores; off only to measure what that saves.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        index: SearchIndex,
        rules: Rules,
        mode: Mode = "text",
        memory: bool = True,
    ) -> None:
        self.catalogue, self.rules, self.mode = catalogue, rules, mode
        self._index = index
        self.hits = lru_cache(SEARCHES if memory else 0)(self._search)
        self.query_for = lru_cache(PURCHASES if memory else 0)(self._query_for)
        self.reward = lru_cache(PURCHASES if memory else 0)(self._score)
        self._results = lru_cache(PAGES if memory else 0)(self._show_results)
        self._product = lru_cache(PAGES if memory else 0)(self._show_product)

    def view(self, session: Session, score: float | None = None) -> View:
        """The session's page. `score`: of the purchase, if the last page shall tell it."""
        page, marked = session.page, self.mode == "text_rich"
        visited = session.visited if marked else ()
        if page == "results":
            assert session.query is not None
            return self._results(session.query, session.number, visited)
        if page == "item" and marked:
            return self._product(session.product, None, tuple(dict(session.options).values()))
        if page in ("item", "tab"):
            return self._product(session.product, session.tab, ())
        return self._view(pages.search_page() if page == "search" else pages.bought_page(score))

    def _search(self, query: str) -> array[int]:
        """Positions of the products found, best first."""
        return array("i", [position for position, _ in self._index.search(query, HITS)])

    def _score(self, goal: Goal, product: int, options: tuple[tuple[str, str], ...]) -> float:
        """The reward of a purchase, in [0, 1]."""
        return purchase_reward(goal, self.catalogue.product(product), dict(options), self.rules)

    def _query_for(self, position: int) -> str | None:
        """A query that finds a product; None: none of those tried does."""
        return query_for(self.catalogue.product(position), position, self.hits)

    def _show_results(self, query: str, number: int, visited: tuple[int, ...]) -> View:
        hits = self.hits(query)
        start = (number - 1) * pages.PER_PAGE
        shown = hits[start : start + pages.PER_PAGE]
        products = [(position, self.catalogue.product(position)) for position in shown]
        return self._view(pages.results_page(products, number, len(hits), visited))

    def _show_product(self, position: int, tab: str | None, chosen: tuple[str, ...]) -> View:
        product = self.catalogue.product(position)
        page = pages.tab_page(product, tab) if tab else pages.item_page(product, chosen)
        return self._view(page)

    def _view(self, page: pages.Page) -> View:
        write = pages.as_rich_text if self.mode == "text_rich" else pages.as_text
        return View(write(page.parts), page.targets, page.admissible)


class Opened(NamedTuple):
    """A shop and its goals, and what is known about them."""

    shop: Shop
    goals: Goals
    name: str


def open_shop(folder: Path, rules: Rules, mode: Mode) -> Opened:
    """The shop in a prepared folder, the same one for equal arguments.

    Raises:
        DataError: the folder is not prepared or not whole.
    """
    marker = read_marker(folder)
    return _opened(folder.resolve(), marker["name"], marker["fingerprint"], rules, mode)


@lru_cache(maxsize=4)
def _opened(folder: Path, name: str, fingerprint: str, rules: Rules, mode: Mode) -> Opened:
    catalogue = Catalogue.open(folder)
    index = load_index(index_folder(folder))
    goals = Goals.open(folder, catalogue, rules)
    return Opened(Shop(catalogue, index, rules, mode), goals, name)
