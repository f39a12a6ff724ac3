"""The tables of a paper: those of the report, each as LaTeX and CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from repairstudy.report.audit_section import audit_section
from repairstudy.report.captions import frozen_line
from repairstudy.report.cost_table import costs_grid
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.grids import Grid, executors_grid, losses_grid, statistics_grid
from repairstudy.report.latex import table
from repairstudy.report.names import ANALYSES
from repairstudy.report.published import Published, compare
from repairstudy.report.study import study_of
from repairstudy.report.wording import join
from repairstudy.store import replacing

# Columns that a reader of the paper does without; CSV keeps them.
LEFT_OUT = ("p", "rollouts", "note", "scope", "net gain", "id", "what was looked at")
FIRMNESS = "firmness"
OWN_TABLES = ("losses", "failure_scope", "validity")  # in the table of losses, or no result


def paper_grids(frames: Frames, published: Published | None = None) -> dict[str, Grid]:
    """The tables by their names, those with rows alone."""
    losses = losses_grid(frames)
    grids = {
        "losses": _of_scope(losses, "position", ANALYSES["losses"]),
        "failure_losses": _of_scope(losses, "failure", ANALYSES["failure_scope"]),
    }
    grids |= {
        analysis: statistics_grid(frames, title, analysis)
        for analysis, title in ANALYSES.items()
        if analysis not in OWN_TABLES and statistics(frames, analysis).height
    }
    grids |= {"executors": executors_grid(frames), "cost": costs_grid(frames)}
    for name, grid in zip(("audit", "audit_of_itself"), audit_section(frames).grids, strict=False):
        grids[name] = grid
    if published is not None:
        grids["published"] = _published(frames, published)
    return {name: grid for name, grid in grids.items() if grid.rows}


def write_paper_tables(
    frames: Frames, folder: str | Path, published: Published | None = None
) -> list[Path]:
    """Write NAME.tex and NAME.csv of each table, rounded as on the page."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    plan = frozen_line(study_of(frames))
    paths = []
    for name, grid in paper_grids(frames, published).items():
        paths += [folder / f"{name}.csv", folder / f"{name}.tex"]
        with replacing(paths[-2]) as temporary, temporary.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([grid.columns, *grid.rows])
        with replacing(paths[-1]) as temporary:
            temporary.write_text(as_latex(name, grid, plan), encoding="utf-8")
    return paths


def as_latex(name: str, grid: Grid, plan: str = "") -> str:
    """A table of the page as a LaTeX file. `plan`: a sentence on the plan behind it."""
    mixed = 0 < len(grid.exploratory) < len(grid.rows)
    left_out = {*LEFT_OUT} if mixed else {*LEFT_OUT, FIRMNESS}
    kept = [place for place, title in enumerate(grid.columns) if title not in left_out]
    caption = join([f"{grid.title}.", *grid.notes, _firmness(grid), plan])
    return table(
        [grid.columns[place] for place in kept],
        [[row[place] for place in kept] for row in grid.rows],
        [new for new, place in enumerate(kept) if place in grid.numeric],
        caption,
        name,
    )


def _firmness(grid: Grid) -> str:
    if FIRMNESS not in grid.columns or 0 < len(grid.exploratory) < len(grid.rows):
        return ""
    return "All rows are exploratory." if grid.exploratory else "All rows are confirmatory."


def _of_scope(grid: Grid, scope: str, title: str) -> Grid:
    """The losses of one scope."""
    place = list(grid.columns).index("scope")
    kept = [number for number, row in enumerate(grid.rows) if row[place] == scope]
    weak = frozenset(new for new, old in enumerate(kept) if old in grid.exploratory)
    return replace(grid, title=title, rows=[grid.rows[old] for old in kept], exploratory=weak)


def _published(frames: Frames, published: Published) -> Grid:
    """A row a number of this run; the published ones stand on the first row of each quantity."""
    rows: list[Sequence[str]] = []
    for item in compare(frames, published):
        for number, ours in enumerate(item.ours or ("not in this run",)):
            rows.append([item.quantity, *([""] * len(item.published) if number else item.published),
                         ours])  # fmt: skip
    columns = ("quantity", *(f"published, {name}" for name in published.columns), "this run")
    title = "Published numbers, from another setting, beside this run's"
    return Grid(title, columns, rows, notes=[f"Source: {published.source}."])
