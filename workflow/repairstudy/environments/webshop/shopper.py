"""A scripted shopper: the first good result, the matching options, buy. No language model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from repairstudy.environments.forms import closed
from repairstudy.environments.view import View
from repairstudy.environments.webshop_text import (
    Page,
    Request,
    Result,
    chosen,
    price_range,
    read_view,
    words_of,
)

GOOD_SHARE = 0.4  # of the wanted product words in the title of a result worth opening


@dataclass(frozen=True, slots=True)
class Shopper:
    """Reads the instruction and the pages as any agent does, and knows nothing else.

    Attributes:
        noise: probability of clicking anything that can be clicked, whatever it is; in [0, 1].
    """

    version: ClassVar[str] = "1"  # raised whenever it could act otherwise on the same pages
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.noise <= 1.0:
            raise ValueError(f"noise: {self.noise!r} (accepted: 0 to 1)")

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action; a function of the view and the generator's state.

        Raises:
            ValueError: nothing is admissible, the episode has ended.
        """
        page, request = read_view(view)
        if page.kind == "done":
            raise ValueError("the episode has ended: there is nothing to click")
        clicks = closed(view.admissible)
        if clicks and rng.random() < self.noise:
            return clicks[int(rng.integers(len(clicks)))]
        if page.kind == "search":
            return f"search[{request.query}]"
        if page.kind == "results":
            return f"click[{_best_result(page.results, request)}]"
        if page.kind == "item":
            choices = chosen(page, view.observations, view.actions)
            return f"click[{_next_option(page, request, choices) or 'buy now'}]"
        return "click[< prev]"


def _best_result(results: tuple[Result, ...], request: Request) -> str:
    """The first result worth opening; where none is, the first affordable one, else the first.

    A page past the last one has no results: the way out is a new search.
    """
    affordable = [result for result in results if _affordable(result, request)]
    needed = GOOD_SHARE * len(request.words)
    good = [
        result for result in affordable if len(words_of(result.title) & request.words) >= needed
    ]
    choice = [*good[:1], *affordable[:1], *results[:1]]
    return choice[0].asin if choice else "back to search"


def _affordable(result: Result, request: Request) -> bool:
    span = price_range(result.price)
    return request.ceiling is None or span is None or span[0] <= request.ceiling


def _next_option(page: Page, request: Request, choices: Mapping[str, str]) -> str | None:
    """The first value still to be chosen; None when every group is as wanted or not wanted."""
    wanted = dict(request.options)
    for group in dict.fromkeys(group for _, group in page.groups):
        values = [value for value, of_group in page.groups if of_group == group]
        best = _best_value(values, wanted.get(group), request)
        if best is not None and choices.get(group) != best:
            return best
    return None


def _best_value(values: list[str], wanted: str | None, request: Request) -> str | None:
    """The value that shares most words with the wanted one; None: the instruction names none.

    Of values that share as many the one with fewer other words is better, and then the first.
    """
    if wanted in values:
        return wanted
    asked = request.words | request.option_words if wanted is None else words_of(wanted)
    ranks = [(len(words_of(v) & asked), -len(words_of(v) - asked)) for v in values]
    best = max(ranks)
    return values[ranks.index(best)] if best[0] > 0 else None
