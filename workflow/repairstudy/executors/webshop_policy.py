"""WebShop for policy language models: the observation is ENCODED, and so are the actions.

A policy LM of this protocol never reads a page. Rules read it for the model: they match words of
the instruction against titles and options, compare prices with the limit, and write what they
found as short tokens, the descriptors. `r-ok-a5-o1-new` is a result within the price limit whose
title has five words of the product and one word of the wanted options, not opened yet;
`o-w-is-new` is an option of a wanted group that is exactly the wanted one, the group not being
set. The model's action is one descriptor; what is clicked is the first item that has it. On the
search page there is one option, the instruction without its price clause as the query. Results
obtained this way are results about policies over descriptors, not about reading web pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from repairstudy.environments.webshop_text import (
    Page,
    Request,
    chosen,
    clicked,
    opened,
    price_range,
    read_view,
    words_of,
)
from repairstudy.executors.protocols.base import AgentView, fill_view, require_slot

SLOT = "descriptors"
SEARCH = "find"
BUTTON_TOKENS = {
    "back to search": "back",
    "next >": "next",
    "< prev": "prev",
    "description": "description",
    "features": "features",
    "reviews": "reviews",
    "buy now": "buy",
}
PRICES = ("ok", "part", "high")  # all, a part, none of the price range is below the limit
MOST_WORDS, MOST_OPTION_WORDS, MOST_PAGES, MOST_OPENED = 7, 2, 5, 3
MATCHES = ("is", *(f"m{m}u{u}" for m in range(4) for u in range(3)))  # matching, unwanted words
CHOICES = ("new", "other", "chosen")  # nothing, another value, this value chosen in the group


class WebshopDescriptors:
    """Descriptor tokens in the prompt, one descriptor token as the action.

    The template has the slot `{descriptors}`. Chosen options and opened products are no part of
    a WebShop page in `text` mode; they are remembered from the view's own actions.
    """

    name = "webshop-descriptor/1"
    memoryless = False

    def prompt(self, template: str, view: AgentView) -> str:
        require_slot(template, SLOT, self.name)
        return fill_view(template.removesuffix("\n"), view, **{SLOT: " ".join(encoded(view))})

    def options(self, view: AgentView) -> dict[str, str]:
        """Continuation -> action, in the order of the page; empty when the episode has ended.

        Of several items with one descriptor the first is clicked, the others cannot be.
        """
        page, request = read_view(view)
        if page.kind == "search":
            return {f" {SEARCH}": f"search[{request.query}]"}
        options: dict[str, str] = {}
        for item, descriptor in described(view):
            options.setdefault(f" {descriptor}", f"click[{item}]")
        return options

    def parse(self, text: str, admissible: Sequence[str]) -> str | None:
        """The click whose button token the text begins with.

        What else a token stands for depends on the page, and only `options` knows the page.
        """
        named = text.split()[:1]
        clicks = {action: clicked(action) for action in admissible}
        return next(
            (action for action, item in clicks.items() if [BUTTON_TOKENS.get(item or "")] == named),
            None,
        )


def vocabulary() -> tuple[str, ...]:
    """Every token that can stand for what a page shows or for an action, in a fixed order."""
    words, wanted = range(MOST_WORDS + 1), range(MOST_OPTION_WORDS + 1)
    results = product(PRICES, words, wanted, ("new", "seen"))
    options = product("wf", MATCHES, CHOICES)
    return (
        *("search", "results", "item", "sub", "done", SEARCH, *BUTTON_TOKENS.values()),
        *(f"page{n}" for n in range(1, MOST_PAGES + 1)),
        *(f"opened{n}" for n in range(MOST_OPENED + 1)),
        *(f"price-{price}" for price in PRICES),
        *(f"words{n}" for n in words),
        *(f"options{n}" for n in wanted),
        *(f"r-{p}-a{a}-o{o}-{s}" for p, a, o, s in results),
        *(f"o-{w}-{m}-{c}" for w, m, c in options),
    )


def encoded(view: AgentView) -> tuple[str, ...]:
    """The page as tokens: what it is, then the descriptors of its results or options.

    An option descriptor stands once however many values have it; results stand one by one, in
    the order of the search engine. Buttons do not stand: they are the same on all pages of a kind.
    """
    page, request = read_view(view)
    number = min(len(set(opened(view.observations, view.actions))), MOST_OPENED)
    items = [token for item, token in described(view) if item not in BUTTON_TOKENS]
    if page.kind == "results":
        return ("results", f"page{min(page.number, MOST_PAGES)}", f"opened{number}", *items)
    if page.kind == "item":
        price = f"price-{_price(page.price, request)}"
        return (
            "item",
            f"opened{number}",
            price,
            *_matches(page.title, request),
            *dict.fromkeys(items),
        )
    if page.kind == "sub":
        return ("sub", *_matches(page.text, request))
    return (page.kind,)


@lru_cache(maxsize=1024)  # the prompt and the options of a step both need it
def described(view: AgentView) -> tuple[tuple[str, str], ...]:
    """(clickable, descriptor) for each clickable, results and options before buttons."""
    page, request = read_view(view)
    seen = frozenset(opened(view.observations, view.actions))
    choices = chosen(page, view.observations, view.actions)
    tokens = {**_result_tokens(page, request, seen), **_option_tokens(page, request, choices)}
    tokens = {item: tokens[item] for item in tokens if item in page.clickables}
    buttons = [item for item in page.clickables if item in BUTTON_TOKENS and item not in tokens]
    return (*tokens.items(), *((button, BUTTON_TOKENS[button]) for button in buttons))


def _result_tokens(page: Page, request: Request, seen: frozenset[str]) -> dict[str, str]:
    return {
        result.asin: "-".join(
            (
                "r",
                _price(result.price, request),
                f"a{min(len(words_of(result.title) & request.words), MOST_WORDS)}",
                f"o{min(len(words_of(result.title) & request.option_words), MOST_OPTION_WORDS)}",
                "seen" if result.asin in seen else "new",
            )
        )
        for result in page.results
    }


def _option_tokens(page: Page, request: Request, choices: dict[str, str]) -> dict[str, str]:
    wanted = dict(request.options)
    tokens = {}
    for value, group in page.groups:
        now = choices.get(group)
        choice = "new" if now is None else "chosen" if now == value else "other"
        match = _match(value, wanted.get(group), request)
        tokens[value] = f"o-{'w' if group in wanted else 'f'}-{match}-{choice}"
    return tokens


def _match(value: str, wanted: str | None, request: Request) -> str:
    """How a value compares with the wanted one of its group, or with all that is wanted."""
    if value == wanted or (wanted is None and value in (v for _, v in request.options)):
        return "is"
    words = words_of(value)
    asked = request.words | request.option_words if wanted is None else words_of(wanted)
    return f"m{min(len(words & asked), 3)}u{min(len(words - asked), 2)}"


def _matches(text: str, request: Request) -> tuple[str, str]:
    words = words_of(text)
    return (
        f"words{min(len(words & request.words), MOST_WORDS)}",
        f"options{min(len(words & request.option_words), MOST_OPTION_WORDS)}",
    )


def _price(text: str, request: Request) -> str:
    """How a price compares with the limit; without either there is nothing against it."""
    span = price_range(text)
    if request.ceiling is None or span is None or span[1] <= request.ceiling:
        return "ok"
    return "part" if span[0] <= request.ceiling else "high"
