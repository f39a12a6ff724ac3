"""How many distinct candidates a position has, and who proposed them."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from repairstudy.report.captions import DESCRIPTION, Caption
from repairstudy.report.counts import distinct_candidates, positions_by_source
from repairstudy.report.frames import Frames
from repairstudy.report.numbers import decimal
from repairstudy.report.study import study_of
from repairstudy.report.style import legend_columns, new_figure, plain, series, styled
from repairstudy.report.text import one_line
from repairstudy.report.wording import counted, listed, sentence

TITLE = "Candidates at each position"
BAR = 0.8  # width of all bars of a group


def available(frames: Frames) -> bool:
    return distinct_candidates(frames).height > 0


@styled
def draw(frames: Frames) -> Figure:
    """Left: positions by number of candidates. Right: positions with a candidate of each source."""
    counts, sources = distinct_candidates(frames), positions_by_source(frames)
    names = list(dict.fromkeys(pool.deployed for pool in study_of(frames).pools))
    names = [name for name in names if name in set(counts["deployed"])]
    figure = new_figure(max(2.1, 0.2 * sources["source"].n_unique() * len(names) + 0.9))
    left, right = figure.subplots(1, 2)
    _draw_counts(left, counts, names)
    _draw_sources(right, counts, sources, names)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=legend_columns(labels))
    return figure


def caption(frames: Frames) -> Caption:
    parts = [
        (one_line(str(deployed)), part)
        for (deployed,), part in distinct_candidates(frames).group_by(
            "deployed", maintain_order=True
        )
    ]
    means = [f"{decimal(_mean(part), 1)} for {name}" for name, part in parts]
    sizes = [
        f"{counted(part.height, 'position')} of {counted(part['failure_id'].n_unique(), 'failure')}"
        f" of {name}"
        for name, part in parts
    ]
    return Caption(
        f"Distinct candidates at a position, on average: {listed(means)}.",
        "Left: distinct candidates a position, the original action not counted; equal proposals "
        "are merged. Right: the share of positions that have a candidate of a source; a merged "
        "candidate has several sources.",
        f"{sentence(listed(sizes))}",
        DESCRIPTION,
    )


def _mean(part: pl.DataFrame) -> float:
    return float(part["number"].to_numpy().mean())


def _draw_counts(axes: Axes, counts: pl.DataFrame, names: list[str]) -> None:
    looks, width = series(names), BAR / len(names)
    for place, name in enumerate(names):
        bars = counts.filter(pl.col("deployed") == name)["number"].value_counts().sort("number")
        x = bars["number"].to_numpy() + (place - (len(names) - 1) / 2) * width
        axes.bar(x, bars["count"], width * 0.92, color=looks[name][0], label=plain(name))
    present = sorted(counts["number"].unique())
    axes.set_xlim(present[0] - 1, present[-1] + 1)
    axes.set_xlabel("distinct candidates")
    axes.set_ylabel("positions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.grid(axis="y")


def _draw_sources(
    axes: Axes, counts: pl.DataFrame, sources: pl.DataFrame, names: list[str]
) -> None:
    looks, height = series(names), BAR / len(names)
    order = sources["source"].unique().sort().to_list()
    for place, name in enumerate(names):
        total = counts.filter(pl.col("deployed") == name).height
        rows = sources.filter(pl.col("deployed") == name)
        y = [-order.index(s) + ((len(names) - 1) / 2 - place) * height for s in rows["source"]]
        axes.barh(y, rows["number"] / max(total, 1), height * 0.92, color=looks[name][0])
    axes.set_yticks([-place for place in range(len(order))], [plain(s, 28) for s in order])
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of positions")
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
