"""The page of the validation: one HTML file that opens from disk."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from repairstudy import __version__
from repairstudy.report.grids import Grid
from repairstudy.report.numbers import count
from repairstudy.report.page import Drawing
from repairstudy.report.svg import inline
from repairstudy.report.templating import render
from repairstudy.report.validation.advice import advice
from repairstudy.report.validation.figures import FIGURES
from repairstudy.report.validation.rows import place, shown, target
from repairstudy.report.validation.summary import lines, tally
from repairstudy.store import replacing

CHECKS = ("bias", "coverage", "family-wise error", "power")


def write_page(rows: pl.DataFrame, figures: str | Path, out: str | Path) -> None:
    """Write the page.

    Args:
        rows: table `validation`.
        figures: folder with the drawn NAME.svg; a figure without its file is left out.
        out: the HTML file.
    """
    svgs = {
        spec.name: path.read_text(encoding="utf-8")
        for spec in FIGURES
        for path in [Path(figures) / f"{spec.name}.svg"]
        if path.is_file()
    }
    with replacing(out) as temporary:
        temporary.write_text(render_page(rows, svgs), encoding="utf-8")


def render_page(rows: pl.DataFrame, svgs: dict[str, str]) -> str:
    """The page as HTML. `svgs` holds drawn figures by name."""
    drawings = []
    for spec in FIGURES:
        if svg := svgs.get(spec.name):
            caption = spec.caption(rows)
            drawn = inline(svg, spec.name, spec.title, caption.shows)
            drawings.append(Drawing(spec.name, spec.title, caption, drawn))
    return render(
        "validation.html.j2",
        tally=tally(rows),
        advice=advice(rows),
        lines=lines(rows),
        figures=drawings,
        grids=[_all_rows(rows.filter(check=check), check) for check in CHECKS],
        version=__version__,
    )


def _all_rows(rows: pl.DataFrame, check: str) -> Grid:
    """Every figure of one check."""
    cells = [
        [
            place(row),
            shown(row),
            "–" if row["target_high"] is None else target(row),
            row["verdict"] + " (a wrong way)" * row["contrast"],
            count(row["replicates"]),
            row["note"] or "",
        ]
        for row in rows.iter_rows(named=True)
    ]
    columns = ("measured", "value ± MC error", "target", "verdict", "studies", "note")
    return Grid(f"All figures: {check}", columns, cells, frozenset({1, 4}), folded=True)
