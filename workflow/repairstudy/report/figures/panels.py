"""Rows of estimates with their intervals, one panel beside another: the shape of most figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from repairstudy.report.names import KIND_TITLES, in_order
from repairstudy.report.study import Pool
from repairstudy.report.style import (
    INK,
    KIND_COLOURS,
    MUTED,
    PAPER,
    SHADE,
    WIDTH,
    headline,
    legend_columns,
    new_figure,
    plain,
)
from repairstudy.report.wording import counted

ROW_HEIGHT = 0.165  # inches
MOST_COLUMNS = 4
TITLE_SIZE = 7.5  # points
STAR = (6, 2, 0)  # matplotlib's six-pointed asterisk


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a panel: a heading, or the key that marks refer to."""

    key: str
    label: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """One estimate on a row.

    `offset` moves it up, in rows; `starred` adds a star on the right; `bare` leaves its interval
    out.
    """

    row: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    colour: str = INK
    filled: bool = True
    marker: str = "o"
    offset: float = 0.0
    starred: bool = False
    size: float = 5.0
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One axes. A doubtful panel is shaded; the title may be foreign text."""

    title: str
    subtitle: str = ""
    marks: Sequence[Mark] = field(default_factory=tuple)
    doubtful: bool = False


def evaluator_lines(names: Iterable[str]) -> list[Line]:
    """Evaluators grouped by kind, each kind under its heading."""
    lines: list[Line] = []
    kind = None
    for item in in_order(list(names)):
        if item.kind != kind:
            kind = item.kind
            lines.append(Line(f"heading {kind}", KIND_TITLES[kind], heading=True))
        lines.append(Line(item.name, plain(item.label)))
    return lines


def kind_colour(name: str) -> str:
    """The colour of an evaluator's kind."""
    return KIND_COLOURS[in_order([name])[0].kind]


def mark_of(row: Mapping[str, Any], key: str, colour: str = INK, **more: Any) -> Mark:
    """The mark of a row of `results`: filled if confirmatory, starred if rejected as well."""
    confirmatory = bool(row["confirmatory"])
    more = {"filled": confirmatory, "starred": confirmatory and bool(row["reject"])} | more
    return Mark(key, row["estimate"], row["ci_low"], row["ci_high"], colour, **more)


def pool_panel(pool: Pool, marks: Sequence[Mark]) -> Panel:
    """The panel of a pool, shaded if its positive control failed."""
    words = [counted(pool.n_failures, "failure")]
    if pool.informative is False:
        words.append("uninformative")
    return Panel(pool.name, ", ".join(words), marks, pool.informative is False)


def draw_panels(
    lines: Sequence[Line],
    panels: Sequence[Panel],
    xlabel: str,
    legend: Sequence[Line2D] = (),
    *,
    zero: bool = True,
    row_height: float = ROW_HEIGHT,
) -> Figure:
    """The figure: shared rows on the left, one panel a column, at most four columns."""
    columns = min(MOST_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    titles = [headline(panel.title, _panel_width(lines, columns), TITLE_SIZE) for panel in panels]
    head = 0.75 + 0.12 * any("\n" in title for title in titles)
    figure = new_figure(rows * (len(lines) * row_height + head) + 0.3)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    places = {line.key: -place for place, line in enumerate(lines)}
    for axes, panel, title in zip(grid.flat, panels, titles, strict=False):
        _draw_panel(axes, panel, title, places, zero)
        axes.xaxis.set_tick_params(labelbottom=True)
    grid[0, 0].xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], min_n_ticks=3))
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    _label_rows(grid[0, 0], lines)
    figure.supxlabel(xlabel, fontsize=8)
    if legend:
        columns = legend_columns([str(entry.get_label()) for entry in legend])
        figure.legend(handles=list(legend), loc="outside upper right", ncols=columns)
    return figure


def key_to(label: str, colour: str = INK, *, filled: bool = True, marker: Any = "o") -> Line2D:
    """An entry of a legend."""
    return Line2D(
        [], [], linestyle="", marker=marker, color=colour, label=label,
        markerfacecolor=colour if filled else PAPER,
    )  # fmt: skip


def status_keys(panels: Sequence[Panel]) -> list[Line2D]:
    """The legend of filled, hollow and starred marks, of those that occur."""
    marks = [mark for panel in panels for mark in panel.marks]
    keys = []
    if any(mark.filled for mark in marks):
        keys.append(key_to("confirmatory"))
    if any(not mark.filled for mark in marks):
        keys.append(key_to("exploratory", filled=False))
    if any(mark.starred for mark in marks):
        keys.append(key_to("rejected after Holm's correction", marker=STAR))
    return keys


def _panel_width(lines: Sequence[Line], columns: int) -> float:
    """About how wide a panel is beside the labels of the rows, in inches."""
    longest = max((len(part) for line in lines for part in line.label.split("\n")), default=0)
    return (WIDTH - 0.062 * longest - 0.25) / columns


def _draw_panel(
    axes: Axes, panel: Panel, title: str, places: Mapping[str, int], zero: bool
) -> None:
    axes.set_title(title, pad=15 if panel.subtitle else 5, fontsize=TITLE_SIZE)
    axes.annotate(
        panel.subtitle, (0, 1), xycoords="axes fraction", xytext=(0, 4),
        textcoords="offset points", color=MUTED, fontsize=7,
    )  # fmt: skip
    if panel.doubtful:
        axes.set_facecolor(SHADE)
    axes.grid(axis="x")
    if zero:
        axes.axvline(0, color=MUTED, linewidth=0.9, zorder=1)
    for mark in panel.marks:
        if mark.estimate is not None and math.isfinite(mark.estimate):
            _draw_mark(axes, mark, mark.estimate, places[mark.row] + mark.offset)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _draw_mark(axes: Axes, mark: Mark, x: float, y: float) -> None:
    if mark.low is not None and mark.high is not None and not mark.bare:
        axes.plot([mark.low, mark.high], [y, y], color=mark.colour, solid_capstyle="butt")
    axes.plot(
        x, y, linestyle="", marker=mark.marker, color=mark.colour, zorder=3,
        markerfacecolor=mark.colour if mark.filled else PAPER, markersize=mark.size,
        markeredgewidth=1.6 if mark.marker == "|" else 1.0,
    )  # fmt: skip
    if mark.starred:
        axes.plot(
            1.0, y, marker=STAR, color=mark.colour, markersize=5.5, clip_on=False,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip


def _label_rows(axes: Axes, lines: Sequence[Line]) -> None:
    axes.set_yticks([-place for place in range(len(lines))], [line.label for line in lines])
    axes.set_ylim(-len(lines) + 0.4, 0.6)
    for label, line in zip(axes.get_yticklabels(), lines, strict=True):
        label.set_fontweight("bold" if line.heading else "normal")
