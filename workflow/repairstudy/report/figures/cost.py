"""What the study cost: rollouts and tokens of every executor, by what they were for."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from repairstudy.records.tables import ROLES
from repairstudy.report.captions import DESCRIPTION, Caption
from repairstudy.report.cost_table import costs
from repairstudy.report.frames import Frames
from repairstudy.report.numbers import count
from repairstudy.report.style import (
    AMBER,
    BLUE,
    GREEN,
    INK,
    PURPLE,
    SKY,
    legend_columns,
    new_figure,
    plain,
    styled,
)
from repairstudy.report.text import one_line
from repairstudy.report.wording import counted

TITLE = "Cost in rollouts and tokens"
COLOURS = dict(zip(ROLES, (INK, BLUE, SKY, AMBER, GREEN, PURPLE), strict=True))
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


def caption(frames: Frames) -> Caption:
    rows = costs(frames)
    most = rows.group_by("name").agg(pl.col("rollouts").sum()).sort(-pl.col("rollouts"), "name")
    total, executors = int(rows["rollouts"].sum()), most.height
    rests = f"The study rests on {counted(total, 'rollout')}"
    return Caption(
        f"{rests}, {'most' if executors > 1 else 'all'} of them of {one_line(most['name'][0])} "
        f"({count(most['rollouts'][0])}), with {counted(int(rows['steps'].sum()), 'action')}.",
        "Rollouts, and the tokens of the prompts and answers behind their actions, by executor; "
        "the colours say what they were for. Where an executor's action distributions were stored, "
        "the model computed each distinct prompt only once.",
        f"{counted(executors, 'executor')}; {_tokens(rows, 'in', 'prompt')} and "
        f"{_tokens(rows, 'out', 'generated')}.",
        DESCRIPTION,
    )


def _tokens(rows: pl.DataFrame, direction: str, kind: str) -> str:
    return counted(int(rows[f"tokens_{direction}"].sum()), f"{kind} token")


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
