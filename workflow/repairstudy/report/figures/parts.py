"""A loss and the two parts that add up to it, one evaluator a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import LOSS_PLACES, estimate, extreme, number_above_zero, within
from repairstudy.report.figures.panels import (
    Mark,
    draw_panels,
    evaluator_lines,
    key_to,
    mark_of,
    pool_panel,
)
from repairstudy.report.names import spoken
from repairstudy.report.study import Pool, Study
from repairstudy.report.style import BLUE, INK, ORANGE
from repairstudy.report.wording import some_of

LOSS = "|"


class Part(NamedTuple):
    """How one of the three is drawn: as the stroke of the loss, above it, or below it."""

    label: str
    colour: str
    marker: str
    offset: float


def loss_part(label: str) -> Part:
    return Part(label, INK, LOSS, 0.0)


def first_part(label: str) -> Part:
    return Part(label, BLUE, "o", 0.18)


def second_part(label: str) -> Part:
    return Part(label, ORANGE, "s", -0.18)


def draw_parts(study: Study, rows: pl.DataFrame, parts: Mapping[str, Part], xlabel: str) -> Figure:
    """A panel a pool. `parts` by estimand; the loss itself is drawn without its interval."""
    panels = [
        pool_panel(pool, _marks(rows.filter(pl.col("pool") == pool.name), parts))
        for pool in study.pools
        if pool.name in set(rows["pool"])
    ]
    keys = [
        key_to(part.label, part.colour, filled=False, marker=part.marker) for part in parts.values()
    ]
    lines = evaluator_lines(rows["evaluator"].to_list())
    return draw_panels(lines, panels, xlabel, keys, row_height=0.25)


def above_zero(rows: pl.DataFrame, pool: Pool, estimand: str, part: str, plural: str = "") -> str:
    """Of how many evaluators of a pool a part lies above zero, and the largest, as a sentence.

    Args:
        part: what the part is called, without an article.
    """
    mine = rows.filter(pl.col("pool") == pool.name, pl.col("estimand") == estimand)
    mine = mine.drop_nulls("estimate")
    most = extreme(mine, pool.name)
    if most is None:
        return ""
    above = number_above_zero(mine)
    loss = f"{estimate(most, LOSS_PLACES)}, of {spoken(most['evaluator'])}"
    if mine.height == 1:
        is_above = "lies" if above else "does not lie"
        return f"{within(pool)} the one {part} {is_above} above zero: {loss}."
    lie = some_of(above, mine.height, part, "lies", "lie", plural)
    return f"{within(pool)} {lie} above zero; the largest is {loss}."


def _marks(rows: pl.DataFrame, parts: Mapping[str, Part]) -> list[Mark]:
    marks = []
    for row in rows.iter_rows(named=True):
        part = parts[row["estimand"]]
        stroke = part.marker == LOSS
        marks.append(
            mark_of(
                row, row["evaluator"], part.colour, marker=part.marker, offset=part.offset,
                filled=False, starred=False, size=15.0 if stroke else 5.0, bare=stroke,
            )
        )  # fmt: skip
    return marks
