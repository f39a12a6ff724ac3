"""The figures of a study: one module each, and the registry that knows them all.

Importing this package imports matplotlib and seaborn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from matplotlib.figure import Figure

from repairstudy.report.captions import Caption, frozen_line
from repairstudy.report.figures import (
    budget_curve,
    candidate_counts,
    cheap_verification,
    cost,
    decomposition,
    exact_values,
    executor_matrix,
    failure_losses,
    hybrid_value,
    location_labels,
    losses,
    method_ranking,
    mismatch_split,
    positive_control,
    rollouts_spent,
)
from repairstudy.report.frames import Frames
from repairstudy.report.study import study_of
from repairstudy.report.style import FORMATS, save


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure: how it is drawn, what its caption says, and when there is anything to draw."""

    name: str
    title: str
    draw: Callable[[Frames], Figure]
    caption: Callable[[Frames], Caption]
    available: Callable[[Frames], bool]


def _spec(module: ModuleType) -> FigureSpec:
    name = module.__name__.rpartition(".")[2]

    def caption(frames: Frames) -> Caption:
        told: Caption = module.caption(frames)
        return replace(told, plan=frozen_line(study_of(frames)))

    return FigureSpec(name, module.TITLE, module.draw, caption, module.available)


FIGURES: dict[str, FigureSpec] = {
    spec.name: spec
    for spec in map(
        _spec,
        (
            losses, failure_losses, positive_control, budget_curve, cheap_verification,
            decomposition, executor_matrix, exact_values, mismatch_split, location_labels,
            method_ranking, candidate_counts, rollouts_spent, hybrid_value, cost,
        ),
    )
}  # fmt: skip


def draw_all(frames: Frames, folder: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write every figure that the study has data for, as SVG, PNG and PDF.

    Its caption stands beside it as text, and as reStructuredText for Snakemake's own report.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for spec in FIGURES.values():
        if spec.available(frames):
            caption = spec.caption(frames)
            paths += save(spec.draw(frames), folder / spec.name, formats, spec.title, caption.shows)
            for ending, text in (("txt", caption.text), ("rst", caption.rst)):
                path = folder / f"{spec.name}.{ending}"
                path.write_text(text(spec.title), encoding="utf-8")
                paths.append(path)
    return paths
