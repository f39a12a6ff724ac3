"""Symptoms of WebShop, from pages in either form (`text` and `text_rich`) and from actions."""

from __future__ import annotations

import re

from repairstudy.descriptions.run import FailedRun
from repairstudy.descriptions.symptom import AGENT, Finding, Symptom, missing
from repairstudy.environments.webshop.pages import SEPARATOR, TABS

BUY = "click[buy now]"
BUTTONS = {f"click[{name}]" for name in ("back to search", "< prev", *TABS)} | {BUY}
_MARKS = re.compile(r"\[(?:clicked )?button_?\]")


def never_searched(run: FailedRun) -> Finding | None:
    """No query was ever sent."""
    if _searches(run):
        return None
    return missing(run, "no search")


def never_bought(run: FailedRun) -> Finding | None:
    """The run ended without a purchase."""
    if _bought(run):
        return None
    return missing(run, "nothing was bought")


def bought_without_options(run: FailedRun) -> Finding | None:
    """A product that offers options was bought with none of them chosen."""
    if not _bought(run):
        return None
    last, chosen = len(run.actions) - 1, 0
    pages = map(_parts, run.observations)
    for action, valid, seen in zip(run.actions, run.valid, pages, strict=True):
        if "Next >" in seen or "Search" in seen:
            chosen = 0  # choices are forgotten on leaving the product
        elif valid and "Buy Now" in seen and action.lower() not in BUTTONS:
            chosen += action.lower().startswith("click[")
    if chosen or not _offers_options(_parts(run.observations[last])):
        return None
    return Finding(last, last, "bought with none of its options chosen")


def looked_at_one_product(run: FailedRun) -> Finding | None:
    """The product that was bought was the only one that was looked at, after one search."""
    if not _bought(run) or len(_searches(run)) > 1:
        return None
    opened = {
        action.lower()
        for action, seen, valid in zip(run.actions, run.observations, run.valid, strict=True)
        if valid and "Next >" in _parts(seen) and action.lower() not in
        {*BUTTONS, "click[next >]"}
    }  # fmt: skip
    if len(opened) != 1:
        return None
    return missing(run, "one search, one product looked at")


def _bought(run: FailedRun) -> bool:
    return run.valid[-1] and run.actions[-1].lower() == BUY


def _searches(run: FailedRun) -> list[int]:
    return [
        t
        for t, (action, valid) in enumerate(zip(run.actions, run.valid, strict=True))
        if valid and action.startswith("search[")
    ]


def _parts(observation: str) -> list[str]:
    """The texts of a page in order, without the marks of buttons."""
    if SEPARATOR in observation:
        return [part.strip() for part in observation.split(SEPARATOR)]
    return [_MARKS.sub("", line).strip() for line in observation.splitlines() if line.strip()]


def _offers_options(page: list[str]) -> bool:
    """Whether more than the product's name stands between the last button and the price."""
    priced = [place for place, part in enumerate(page) if part.startswith("Price: ")]
    if not priced or "< Prev" not in page:
        return False
    return priced[-1] - page.index("< Prev") - 1 >= 3  # a group, a value and the name


WEBSHOP = (
    Symptom("never_searched", AGENT, "exploration", never_searched),
    Symptom("never_bought", AGENT, "task completion", never_bought),
    Symptom("bought_without_options", AGENT, "attention to the task", bought_without_options),
    Symptom("looked_at_one_product", AGENT, "exploration", looked_at_one_product),
)
