"""A teacher for policy language models: it knows how purchases are scored, as no agent does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from repairstudy.environments.webshop.catalogue import Catalogue
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.reward import purchase_reward
from repairstudy.environments.webshop.rules import Rules
from repairstudy.environments.webshop_text import Page

POOR = 0.3  # of the best reward on the first page: less is not worth buying


@dataclass(frozen=True, slots=True)
class Purchase:
    """The best way to buy a product: its reward and (group, value) of the options to choose."""

    reward: float
    choices: tuple[tuple[str, str], ...]


class Teacher:
    """What to click, for a goal, on any page but the search page.

    It opens the best product of the page, chooses its options and buys; it leaves a product that
    is poor beside the best of the first page, and a text, and a page of results with nothing good.
    It never turns pages or searches again: a pupil that sees no scores could not learn when.
    """

    def __init__(self, catalogue: Catalogue, rules: Rules) -> None:
        self._catalogue, self._rules = catalogue, rules
        self._best = lru_cache(maxsize=1 << 16)(self._find_best)

    def best(self, goal: Goal, asin: str) -> Purchase:
        """How to buy a product for a goal; `asin` in any case."""
        return self._best(goal, asin.upper())

    def click(
        self, goal: Goal, page: Page, choices: dict[str, str], asin: str, first_page: Sequence[str]
    ) -> str:
        """The item to click on a page of results, of a product, or of a product's text.

        Args:
            page: as read; `choices` and `asin` are of the product it shows, if it shows one.
            first_page: the products of the first page of results.
        """
        enough = POOR * max((self.best(goal, item).reward for item in first_page), default=0.0)
        if page.kind == "results":
            offers = [(self.best(goal, result.asin).reward, result.asin) for result in page.results]
            reward, item = max(offers, key=lambda offer: offer[0], default=(-1.0, ""))
            return item if reward >= enough else "< prev"
        if page.kind == "item":
            purchase = self.best(goal, asin)
            if purchase.reward < enough:
                return "< prev"
            missing = (value for group, value in purchase.choices if choices.get(group) != value)
            return next(missing, "buy now")
        return "< prev"

    def _find_best(self, goal: Goal, asin: str) -> Purchase:
        """Group by group the first value that raises the reward most, or none.

        A value that a later group has too cannot be chosen in an earlier one.
        """
        product = self._catalogue.product(self._catalogue.position(asin))
        choices: dict[str, str] = {}
        reward = purchase_reward(goal, product, choices, self._rules)
        owner = {value: group for group, values in product.options.items() for value in values}
        for group, values in product.options.items():
            tried = [
                (purchase_reward(goal, product, choices | {group: value}, self._rules), value)
                for value in values
                if owner[value] == group
            ]
            better, value = max(tried, key=lambda trial: trial[0], default=(reward, ""))
            if better > reward:
                reward, choices[group] = better, value
        return Purchase(reward, tuple(choices.items()))
