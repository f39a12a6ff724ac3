"""A loss and the two parts that add up to it, one evaluator a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import estimate
from repairstudy.report.figures.panels import (
    Mark,
    draw_panels,
    evaluator_lines,
    key_to,
    mark_of,
    pool_panel,
)
from repairstudy.report.names import evaluator
from repairstudy.report.study import Study
from repairstudy.report.style import BLUE, INK, ORANGE
from repairstudy.report.text import one_line

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


def sentences(
    study: Study, rows: pl.DataFrame, first: tuple[str, str], second: tuple[str, str]
) -> list[str]:
    """For each unscreened pool the parts of every other executor's loss.

    Args:
        first, second: estimand and word of each part.
    """
    found = []
    for pool in study.pools:
        if pool.screened and not all(other.screened for other in study.pools):
            continue
        mine = rows.filter(
            (pl.col("pool") == pool.name) & pl.col("evaluator").str.starts_with("executor:")
        )
        texts = [
            f"{evaluator(name).label}, {first[1]} {shown[first[0]]}, {second[1]} {shown[second[0]]}"
            for name in mine["evaluator"].unique().sort()
            for shown in [_shown(mine.filter(pl.col("evaluator") == name))]
            if first[0] in shown and second[0] in shown
        ]
        if texts:
            found.append(f"For {one_line(pool.name)}: {'; '.join(texts)}.")
    return found


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


def _shown(rows: pl.DataFrame) -> dict[str, str]:
    return {row["estimand"]: estimate(row) for row in rows.iter_rows(named=True)}
