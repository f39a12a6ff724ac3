"""A good way to buy what is wanted, for somebody who knows what that is."""

from __future__ import annotations

from typing import NamedTuple

from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.pages import PER_PAGE
from repairstudy.environments.webshop.reachability import right_choice
from repairstudy.environments.webshop.session import Session
from repairstudy.environments.webshop.shop import Shop

BACK, PREVIOUS, NEXT, BUY = (
    f"click[{name}]" for name in ("back to search", "< prev", "next >", "buy now")
)


class Plan(NamedTuple):
    """What to do, and the reward that it ends with."""

    actions: tuple[str, ...]
    reward: float


def purchase_plan(shop: Shop, goal: Goal, session: Session) -> Plan | None:
    """How to buy the wanted product with the wanted options, from where the session is.

    It is the shorter of going on from the present page and searching anew. Every action is
    offered by the page that it is done on. None: something was bought, or no search finds the
    product.
    """
    if session.page == "bought":
        return None
    target = shop.catalogue.position(goal.asin)
    if session.product == target:
        leave_tab = (PREVIOUS,) if session.page == "tab" else ()
        return _purchase(shop, goal, target, leave_tab, dict(session.options))
    ways = [way for way in (_onward(shop, session, target), _anew(shop, session, target)) if way]
    return _purchase(shop, goal, target, min(ways, key=len), {}) if ways else None


def _purchase(
    shop: Shop, goal: Goal, target: int, way: tuple[str, ...], chosen: dict[str, str]
) -> Plan:
    """Go the way to the product's page, choose what makes a difference, and buy."""
    wanted = right_choice(goal, shop.catalogue.product(target))
    best = shop.reward(goal, target, tuple({**chosen, **wanted}.items()))
    actions = list(way)
    for group, value in wanted.items():
        if shop.reward(goal, target, tuple(chosen.items())) >= best:
            break
        if chosen.get(group) != value:
            actions.append(f"click[{value}]")
            chosen = {**chosen, group: value}
    return Plan((*actions, BUY), shop.reward(goal, target, tuple(chosen.items())))


def _onward(shop: Shop, session: Session, target: int) -> tuple[str, ...]:
    """From the present page through the results of the last search; () if they lack the target."""
    if session.query is None or target not in shop.hits(session.query):
        return ()
    back = {"results": 0, "item": 1, "tab": 2}[session.page]
    return (PREVIOUS,) * back + _open(shop, session.query, session.number, target)


def _anew(shop: Shop, session: Session, target: int) -> tuple[str, ...]:
    """With a search of our own; () if none finds the target."""
    query = shop.query_for(target)
    if query is None:
        return ()
    back = () if session.page == "search" else (BACK,)
    return (*back, f"search[{query}]", *_open(shop, query, 1, target))


def _open(shop: Shop, query: str, number: int, target: int) -> tuple[str, ...]:
    """From a page of results: turn to the target's and open it."""
    turns = shop.hits(query).index(target) // PER_PAGE + 1 - number
    asin = shop.catalogue.product(target).asin.lower()
    return (*((NEXT if turns > 0 else PREVIOUS,) * abs(turns)), f"click[{asin}]")
