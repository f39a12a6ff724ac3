"""What the study cost: rollouts and tokens of every executor, by what they were for."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from repairstudy.records.tables import ROLES
from repairstudy.report.captions import join
from repairstudy.report.frames import Frames, table_of
from repairstudy.report.numbers import count
from repairstudy.report.style import (
    AMBER,
    BLUE,
    GREEN,
    MUTED,
    PURPLE,
    SKY,
    legend_columns,
    new_figure,
    plain,
    styled,
)
from repairstudy.report.text import one_line

TITLE = "Cost in rollouts and tokens"
COLOURS = dict(zip(ROLES, (MUTED, BLUE, SKY, AMBER, GREEN, PURPLE), strict=True))
MEANINGS = {
    "collect": "collecting failures",
    "label": "labelling candidates",
    "screen": "screening",
    "evaluate": "evaluators",
    "fresh": "fresh rollouts",
    "control": "negative control",
}


def available(frames: Frames) -> bool:
    return bool(costs(frames)["rollouts"].sum())


def costs(frames: Frames) -> pl.DataFrame:
    """Table `costs` with the executors' names and the sum of their tokens."""
    named = table_of(frames, "executors").select("executor_id", "name")
    return (
        table_of(frames, "costs")
        .join(named, on="executor_id", how="left")
        .with_columns(
            pl.col("name").fill_null(pl.col("executor_id")),
            tokens=pl.col("tokens_in") + pl.col("tokens_out"),
        )
        .sort("name", "role")
    )


@styled
def draw(frames: Frames) -> Figure:
    """A row an executor; bars are split by the role of the rollouts."""
    rows = costs(frames)
    names = rows.group_by("name").agg(pl.col("rollouts").sum())
    order = names.sort(-pl.col("rollouts"), "name")["name"].to_list()
    has_tokens = bool(rows["tokens"].sum())
    figure = new_figure(0.24 * len(order) + 1.0)
    panels = figure.subplots(1, 1 + has_tokens, sharey=True, squeeze=False)[0]
    _draw_bars(panels[0], rows, order, "rollouts")
    if has_tokens:
        _draw_bars(panels[1], rows, order, "tokens")
    panels[0].set_yticks(range(0, -len(order), -1), [plain(name, 30) for name in order])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=legend_columns(labels))
    return figure


def caption(frames: Frames) -> str:
    rows = costs(frames)
    most = rows.group_by("name").agg(pl.col("rollouts").sum()).sort(-pl.col("rollouts"), "name")
    return join(
        [
            f"The study rests on {count(rows['rollouts'].sum())} rollouts with "
            f"{count(rows['steps'].sum())} actions, {count(rows['tokens_in'].sum())} prompt tokens "
            f"and {count(rows['tokens_out'].sum())} generated ones; most of them are of "
            f"{one_line(most['name'][0])} ({count(most['rollouts'][0])} rollouts). Tokens are "
            "those of the prompts and answers behind the actions; where an executor's action "
            "distributions were stored, the model computed each distinct prompt only once.",
            "A description of the study, with nothing tested.",
        ]
    )


def _draw_bars(axes: Axes, rows: pl.DataFrame, order: list[str], column: str) -> None:
    left = dict.fromkeys(order, 0)
    for role in ROLES:
        part = rows.filter((pl.col("role") == role) & (pl.col(column) > 0))
        if part.is_empty():
            continue
        y = [-order.index(name) for name in part["name"]]
        starts = [left[name] for name in part["name"]]
        axes.barh(y, part[column], 0.7, left=starts, color=COLOURS[role], label=MEANINGS[role])
        for name, value in part.select("name", column).iter_rows():
            left[name] += value
    axes.set_xlabel(column)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
