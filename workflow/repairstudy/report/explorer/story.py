"""A failed run as its story: what the executor saw at each step, and what it did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from repairstudy.report.explorer.folding import (
    Laid,
    common_last_line,
    common_limit,
    laid,
    without_last_line,
)
from repairstudy.report.explorer.maps import MapView, Symbols, draw, symbols
from repairstudy.report.explorer.shop import INSTRUCTION, ShopPage, chosen, shop_page
from repairstudy.report.text import readable

TEXTS = ("observation", "drawing", "action")
TEXT_OF_ALL = 4_000_000  # characters; markup and escapes may make them three times as many


@dataclass(frozen=True, slots=True)
class StepView:
    """One step: what the executor saw, the state as a person reads it, and what was done.

    Attributes:
        saw, state: texts; `state` is left out where it is what the executor saw.
        map, symbols: the state of a gridworld drawn, and its symbols.
        shop: what it saw, as a page of WebShop; `chosen` are the options chosen so far.
        kind: class of a step that is a position.
    """

    t: int
    action: str
    valid: bool
    saw: Laid | None
    state: Laid | None
    map: MapView | None = None
    symbols: Symbols | None = None
    shop: ShopPage | None = None
    chosen: str = ""
    kind: str = ""

    @property
    def wide(self) -> bool:
        """Whether its texts need the whole width of the page."""
        texts = (self.saw, None if self.map else self.state)
        return self.shop is not None or any(text.joined or text.head for text in texts if text)


def legend(steps: pl.DataFrame) -> str | None:
    """What explains all drawings of a study, if they end with one line that does."""
    return common_last_line(steps["drawing"].to_list())


def stories(
    steps: pl.DataFrame, legend: str | None = None, environment: str | None = None
) -> Mapping[str, list[StepView]]:
    """The steps of each run, all cut at one length if they would make the page too large.

    Args:
        steps: STEPS rows.
        legend: last line of every drawing, which is left out of them.
        environment: its name; `gridworld` and `webshop` are laid out in ways of their own.
    """
    limit = common_limit(_lengths(steps, environment), TEXT_OF_ALL)
    found: defaultdict[str, list[StepView]] = defaultdict(list)
    for row in steps.sort("trajectory_id", "t").iter_rows(named=True):
        run = found[row["trajectory_id"]]
        drawn = row["drawing"] if legend is None else without_last_line(row["drawing"])
        run.append(_step(row | {"drawing": drawn}, run[-1] if run else None, limit, environment))
    return found


def _lengths(steps: pl.DataFrame, environment: str | None) -> Iterator[int]:
    """Of every text shown; the state of a page that is laid out is not."""
    yield from steps["observation"].str.len_chars()
    yield from steps["action"].str.len_chars()
    if environment == "webshop":
        steps = steps.filter(~pl.col("observation").str.contains(INSTRUCTION, literal=True))
    yield from steps["drawing"].str.len_chars()


def _step(
    row: Mapping[str, Any], before: StepView | None, limit: int, environment: str | None
) -> StepView:
    t, valid = row["t"], row["valid"]
    seen, drawn, action = (row[name] for name in TEXTS)
    did = readable(action, limit)
    shop = shop_page(seen, action, limit) if environment == "webshop" else None
    if shop:
        return StepView(t, did, valid, None, None, shop=shop, chosen=chosen(drawn, limit))
    saw = laid(seen, limit, _pieces(before.saw if before else None)) if seen else None
    cells = symbols(drawn) if environment == "gridworld" else None
    if cells:
        return StepView(t, did, valid, saw, None, draw(cells), cells)
    last = before.state if before else None
    state = laid(drawn, limit, _pieces(saw) | _pieces(last)) if drawn and drawn != seen else None
    if state and state.head and last and state.parts == last.parts:
        state = replace(state, head="as before")
    return StepView(t, did, valid, saw, state)


def _pieces(text: Laid | None) -> frozenset[str]:
    return frozenset(text.pieces) if text else frozenset()
