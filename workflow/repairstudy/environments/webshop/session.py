"""Where a shopper is, and what an action does: a value and a function of it.

Everything that an episode can still depend on is in `Session`, so a copy is a snapshot. The
chosen options are part of it although no page shows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from repairstudy.records import digest

PageName = Literal["search", "results", "item", "tab", "bought"]
Effect = Literal["search", "turn", "results", "item", "product", "option", "tab", "buy"]
# The original answers queries that begin with these words from hidden data or by chance.
BLOCKED_PREFIXES = frozenset({"<r>", "<a>", "<c>", "<q>"})
_ACTION = re.compile(r"(.+)\[(.+)\]")


class Click(NamedTuple):
    """What clicking something does.

    `value` is the number of pages to turn, the position of a product, the group of an option, or
    the name of a tab; None for other effects.
    """

    effect: Effect
    value: int | str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One episode's state.

    Attributes:
        query: the last search, lower-case, as typed; None before it.
        number: the page of its results, from 1; it may lie beyond the last result.
        product: position of the product that is looked at.
        options: chosen options, (group, value), in the order in which the groups were first used.
        tab: the part of the product's page that is open ("description").
        visited: products looked at since the search page; kept only where pages show it.
    """

    task_id: str
    page: PageName = "search"
    query: str | None = None
    number: int = 1
    product: int | None = None
    options: tuple[tuple[str, str], ...] = ()
    tab: str | None = None
    visited: tuple[int, ...] = ()

    def signature(self) -> str:
        """A hash of the state; the order in which options were chosen makes no difference."""
        return digest(
            [
                *(self.task_id, self.page, self.query, self.number, self.product, self.tab),
                [list(option) for option in sorted(self.options)],
                sorted(self.visited),
            ]
        )


def parse_action(action: str) -> tuple[str, str] | None:
    """(name, argument in lower case) of ``name[argument]``; None: not of that form.

    As in the original, what follows the last bracket is ignored, the name keeps its case, and the
    name ends at the last opening bracket.
    """
    found = _ACTION.match(action)
    return (found.group(1), found.group(2).lower()) if found else None


def after_search(session: Session, query: str) -> Session | None:
    """The session after a search, which is possible on every page; None: a blocked query."""
    if query.split(" ")[0] in BLOCKED_PREFIXES:
        return None
    return Session(session.task_id, "results", query, visited=session.visited)


def after_click(
    session: Session, name: str, targets: Mapping[str, Click], keep_visits: bool = False
) -> Session | None:
    """The session after a click; None: there is nothing of that name to click."""
    click = targets.get(name)
    if click is None:
        return None
    if click.effect == "search":
        return Session(session.task_id)
    if click.effect == "turn":
        assert isinstance(click.value, int)
        return replace(session, number=session.number + click.value)
    if click.effect == "results":
        return replace(session, page="results", product=None, options=())
    if click.effect == "item":
        return replace(session, page="item", tab=None)
    if click.effect == "product":
        assert isinstance(click.value, int)
        seen = {*session.visited, click.value} if keep_visits else ()
        return replace(session, page="item", product=click.value, visited=tuple(sorted(seen)))
    if click.effect == "option":
        chosen = {**dict(session.options), str(click.value): name}
        return replace(session, options=tuple(chosen.items()))
    if click.effect == "tab":
        return replace(session, page="tab", tab=str(click.value))
    return replace(session, page="bought", tab=None)
