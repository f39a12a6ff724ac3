"""The figures of the validation: each from table `validation`, measured values beside targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.style import FORMATS, save
from repairstudy.report.validation import bias, coverage, errors, power
from repairstudy.report.validation.rows import of_check


@dataclass(frozen=True, slots=True)
class ValidationFigure:
    """A figure of the page: how it is drawn, and what its caption says."""

    name: str
    title: str
    check: str
    draw: Callable[[pl.DataFrame], Figure]
    caption: Callable[[pl.DataFrame], str]


FIGURES = tuple(
    ValidationFigure(
        module.__name__.rpartition(".")[2], module.TITLE, module.CHECK, module.draw, module.caption
    )
    for module in (coverage, bias, errors, power)
)


def draw_figures(rows: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Write every figure that there are rows for, as SVG, PNG and PDF."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for spec in FIGURES:
        if of_check(rows, spec.check).height:
            paths += save(spec.draw(rows), folder / spec.name, FORMATS)
    return paths
