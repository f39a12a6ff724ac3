"""The figures of the validation: each from table `validation`, measured values beside targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import polars as pl
from matplotlib.figure import Figure

from repairstudy.report.captions import Caption
from repairstudy.report.numbers import count
from repairstudy.report.style import FORMATS, save
from repairstudy.report.validation import bias, coverage, errors, power
from repairstudy.report.validation.rows import MET, MISSED, UNDECIDED, of_check
from repairstudy.report.wording import counted, listed


@dataclass(frozen=True, slots=True)
class ValidationFigure:
    """A figure of the page: how it is drawn, and what its caption says."""

    name: str
    title: str
    check: str
    draw: Callable[[pl.DataFrame], Figure]
    caption: Callable[[pl.DataFrame], Caption]


def _spec(module: ModuleType) -> ValidationFigure:
    def caption(rows: pl.DataFrame) -> Caption:
        found = of_check(rows, module.CHECK)
        verdicts = found["verdict"].to_list()
        said = [f"{verdicts.count(word)} {word}" for word in (MET, MISSED, UNDECIDED)]
        studies = found["replicates"].unique().sort()
        return Caption(
            f"Of {counted(found.height, 'figure')} with a target: {', '.join(said)}.",
            module.caption(rows),
            f"Each from {listed(count(number) for number in studies)} studies.",
            "A check of the methods, with targets that were fixed beforehand.",
        )

    return ValidationFigure(
        module.__name__.rpartition(".")[2], module.TITLE, module.CHECK, module.draw, caption
    )


FIGURES = tuple(map(_spec, (coverage, bias, errors, power)))


def draw_figures(rows: pl.DataFrame, folder: str | Path) -> list[Path]:
    """Write every figure that there are rows for, as SVG, PNG and PDF."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for spec in FIGURES:
        if of_check(rows, spec.check).height:
            says = spec.caption(rows).shows
            paths += save(spec.draw(rows), folder / spec.name, FORMATS, spec.title, says)
    return paths
