"""Loss of letting one executor's rollouts choose repairs for another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import polars as pl
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from repairstudy.report.captions import (
    LOSS_PLACES,
    Caption,
    described,
    estimate,
    extreme,
    number_above_zero,
    within,
)
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import OTHER_SEEDS, executor_of, spoken
from repairstudy.report.numbers import decimal
from repairstudy.report.study import Pool, Study, study_of
from repairstudy.report.style import SHADE, SMALLEST, contrast, headline, new_figure, plain, styled
from repairstudy.report.wording import some_of

TITLE = "Each executor as the evaluator of each deployed executor"
ALL = "all rollouts"
READABLE = 4.5  # contrast of letters, after WCAG 2.1
# Not ink and paper of the style, which change in the dark, as the colours of cells do not.
GREY, BLACK, WHITE = "#4d5660", "#000000", "#fefefe"
COLOURS = sns.color_palette("vlag", as_cmap=True)  # blue to red: apart under colour blindness
COLUMNS_WIDTH = 4.2  # inches: about what the columns of one matrix have, of one below the other
MOST_BESIDE = 2  # pools with which two matrices fit side by side


def available(frames: Frames) -> bool:
    return any(known is not None for known in _rows(frames)["estimate"])


@styled
def draw(frames: Frames) -> Figure:
    """A matrix a budget: rows are the executors that evaluate, columns the pools."""
    study, rows = study_of(frames), _rows(frames)
    budgets = _budgets(rows)
    executors = sorted(set(rows["executor"]), key=lambda name: _order(name, study))
    shape = (1, len(budgets)) if len(study.pools) <= MOST_BESIDE else (len(budgets), 1)
    figure = new_figure(shape[0] * (0.42 * len(executors) + 0.95) + 0.4)
    grid = figure.subplots(*shape, sharex=True, sharey=True, squeeze=False)
    known = [abs(value) for value in rows["estimate"] if value is not None]
    norm = TwoSlopeNorm(0.0, -max([*known, 0.01]), max([*known, 0.01]))
    for axes, budget in zip(grid.flat, budgets, strict=True):
        _draw_matrix(axes, rows.filter(pl.col("budget") == budget), executors, study, norm)
        axes.set_title("all its rollouts" if budget == ALL else f"{budget} of its rollouts")
    figure.supylabel("evaluating executor", fontsize=8)
    figure.supxlabel("pool of the deployed executor", fontsize=8)
    bar = figure.colorbar(grid[0, 0].collections[0], ax=list(grid.flat), aspect=28, shrink=0.8)
    bar.set_label(f"loss ({study.unit})")
    bar.outline.set_visible(False)
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")  # nothing but vectors
    return figure


def caption(frames: Frames) -> Caption:
    study, rows = study_of(frames), _rows(frames)
    others = rows.filter(pl.col("analysis") == "losses")
    return described(
        [_sentence(others, pool) for pool in study.pools],
        [
            f"Selection loss ({study.unit}) when the rollouts of the executor in the row choose "
            "the repairs of the pool in the column, with intervals over failures. Where an "
            "executor meets its own pool the cell is a negative control in grey italics: its own "
            "rollouts with other seeds, whose true loss is zero. Bold: confirmatory.",
        ],
        rows,
        study,
        shaded=False,
    )


def _sentence(rows: pl.DataFrame, pool: Pool) -> str:
    """How many pairs of executor and budget lose in a pool, and from what to what."""
    mine = rows.filter(pl.col("pool") == pool.name).drop_nulls("estimate")
    worst, best = extreme(mine, pool.name), extreme(mine, pool.name, largest=False)
    if worst is None or best is None:
        return ""
    lose = number_above_zero(mine)
    start = f"{within(pool)} {some_of(lose, mine.height, 'choice', 'loses', 'lose')}"
    most = f"{estimate(worst, LOSS_PLACES)}, by {spoken(worst['evaluator'])}"
    if mine.height == 1:
        return f"{start}: {most}."
    return (
        f"{start}; the losses run from {estimate(best, LOSS_PLACES)}, by "
        f"{spoken(best['evaluator'])}, to {most}."
    )


def _rows(frames: Frames) -> pl.DataFrame:
    """Losses of `executor:*`, with the executor and its budget; own controls beside them."""
    losses = pl.concat(
        [statistics(frames, "losses", "loss"), statistics(frames, "negative_control", "loss")]
    )
    losses = losses.filter(pl.col("evaluator").str.starts_with("executor:"))
    names = losses["evaluator"].to_list()
    budgets = [name.removesuffix(OTHER_SEEDS).partition("@")[2] or ALL for name in names]
    return losses.with_columns(
        pl.Series("executor", [executor_of(name) or name for name in names], dtype=pl.String),
        pl.Series("budget", budgets, dtype=pl.String),
    )


def _budgets(rows: pl.DataFrame) -> list[str]:
    found = set(rows.filter(pl.col("analysis") == "losses")["budget"])
    return sorted(found, key=lambda budget: (budget != ALL, budget.zfill(9)))


def _order(name: str, study: Study) -> tuple[int, str]:
    deployed = list(dict.fromkeys(pool.deployed for pool in study.pools))
    return (deployed.index(name) if name in deployed else len(deployed), name)


def _draw_matrix(
    axes: Axes, rows: pl.DataFrame, executors: Sequence[str], study: Study, norm: TwoSlopeNorm
) -> None:
    pools = [pool.name for pool in study.pools]
    inches = COLUMNS_WIDTH / len(pools)
    cells = {(row["executor"], row["pool"]): row for row in rows.iter_rows(named=True)}
    table = pd.DataFrame(
        [[_value(cells.get((name, pool))) for pool in pools] for name in executors],
        index=[plain(name, 22) for name in executors],
        columns=[
            headline(pool.name, inches, SMALLEST, "normal")
            + "\n(uninformative)" * (pool.informative is False)
            for pool in study.pools
        ],
        dtype=float,
    )
    axes.set_facecolor(SHADE)
    sns.heatmap(
        table, ax=axes, cmap=COLOURS, norm=norm, cbar=False, linewidths=1.5, linecolor="#ffffff",
        annot=False,
    )  # fmt: skip
    for i, name in enumerate(executors):
        for j, pool in enumerate(pools):
            if (name, pool) in cells:
                _write(axes, i, j, cells[name, pool], norm)
    axes.tick_params(axis="both", length=0)
    axes.tick_params(axis="x", labelsize=SMALLEST, rotation=0)
    axes.tick_params(axis="y", rotation=0)


def _value(row: dict[str, Any] | None) -> float:
    return float("nan") if row is None or row["estimate"] is None else row["estimate"]


def _write(axes: Axes, i: int, j: int, row: dict[str, Any], norm: TwoSlopeNorm) -> None:
    if row["estimate"] is None:
        return
    control = row["analysis"] != "losses"
    cell = COLOURS(norm(row["estimate"]))
    letters = (GREY, BLACK, WHITE) if control else (BLACK, WHITE)
    colour = next(letter for letter in letters if contrast(letter, cell) >= READABLE)
    axes.text(
        j + 0.5, i + 0.40, decimal(row["estimate"]), ha="center", va="center", color=colour,
        fontsize=7.5, fontweight="bold" if row["confirmatory"] else "normal",
        fontstyle="italic" if control else "normal",
    )  # fmt: skip
    if row["ci_low"] is not None and row["ci_high"] is not None:
        axes.text(
            j + 0.5, i + 0.74, f"{decimal(row['ci_low'])}, {decimal(row['ci_high'])}",
            ha="center", va="center", color=colour, fontsize=SMALLEST,
        )  # fmt: skip
