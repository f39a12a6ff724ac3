"""The visual language of all figures: colours by kind of evaluator, sizes, and how they are saved.

Colours are those of Okabe and Ito, which stay apart under every common colour blindness and in
grey print. Confirmatory results are filled, exploratory ones hollow, everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font

from repairstudy.report.names import BUDGET, CONTROL, FURTHER, REFERENCE, TARGET
from repairstudy.report.text import one_line

RC_FILE = Path(__file__).with_name("repairstudy.mplstyle")
INK, MUTED, FAINT, PAPER, SHADE = "#1f2328", "#6e7781", "#d8dee4", "#ffffff", "#f3f4f6"
BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER = (
    "#0072b2", "#d55e00", "#009e73", "#b0609a", "#56b4e9", "#e69f00",
)  # fmt: skip
KIND_COLOURS = {TARGET: BLUE, BUDGET: ORANGE, CONTROL: MUTED, REFERENCE: INK, FURTHER: GREEN}
SERIES = (
    (GREEN, "o"), (PURPLE, "s"), (AMBER, "^"), (SKY, "D"), (INK, "v"),
    (BLUE, "P"), (ORANGE, "X"), (GREEN, "<"), (PURPLE, ">"), (AMBER, "h"),
)  # fmt: skip
WIDTH = 7.2  # inches: the text block of a paper
MARGIN = 0.05  # inches
FORMATS = ("svg", "png", "pdf")
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever the user's own settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(mpl.rc_params_from_file(RC_FILE, use_default_template=False))
        yield


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """A figure function whose figure is drawn in the house style."""

    @functools.wraps(draw)
    def drawn(*arguments: Any, **named: Any) -> Figure:
        with house_style():
            return draw(*arguments, **named)

    return drawn


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """An empty figure that belongs to no window and no global state. Sizes in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, stem: str | Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write STEM.svg, .png (200 dots an inch) and .pdf; the same figure gives the same bytes."""
    paths = [Path(f"{stem}.{ending}") for ending in formats]
    with house_style():
        figure.draw_without_rendering()  # lays it out once, for all formats
        figure.set_layout_engine("none")
        bounds = figure.get_tightbbox().padded(MARGIN)
        for path in paths:
            figure.savefig(path, metadata=_METADATA[path.suffix[1:]], bbox_inches=bounds)
    return paths


def series(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each name, by its place."""
    return {name: SERIES[place % len(SERIES)] for place, name in enumerate(names)}


def legend_columns(labels: Sequence[str]) -> int:
    """In how many columns a legend of these labels stays within the width of a figure."""
    letter, handle = 0.061, 0.42  # inches at the size of legends
    column = letter * max(map(len, labels), default=0) + handle
    return max(1, min(len(labels), int(WIDTH / column)))


def plain(text: str, longest: int = 44) -> str:
    """Foreign text for a figure: one line, cut, and with the letters that the font has."""
    known = _letters()
    return "".join(letter if ord(letter) in known else "□" for letter in one_line(text, longest))


@functools.cache
def _letters() -> frozenset[int]:
    path = findfont(FontProperties(family="DejaVu Sans"))
    return frozenset(FT2Font(path).get_charmap())
