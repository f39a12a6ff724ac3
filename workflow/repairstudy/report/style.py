"""The visual language of all figures: colours by kind of evaluator, sizes, and how they are saved.

Colours are those of Okabe and Ito, which stay apart under every common colour blindness; what
they say, a marker, a heading or a label says too, for grey print. Confirmatory results are filled,
exploratory ones hollow, everywhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font
from matplotlib.textpath import text_to_path
from matplotlib.typing import ColorType

from repairstudy.report.names import BUDGET, CONTROL, FURTHER, REFERENCE, TARGET
from repairstudy.report.text import short_name

RC_FILE = Path(__file__).with_name("repairstudy.mplstyle")
INK, MUTED, FAINT, PAPER, SHADE = "#1f2328", "#6e7781", "#d8dee4", "#ffffff", "#f3f4f6"
BLUE, ORANGE, GREEN, PURPLE, SKY, AMBER = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00",
)  # fmt: skip
KIND_COLOURS = {TARGET: BLUE, BUDGET: ORANGE, CONTROL: MUTED, REFERENCE: INK, FURTHER: GREEN}
SERIES = (
    (GREEN, "o"), (PURPLE, "s"), (AMBER, "^"), (SKY, "D"), (INK, "v"),
    (BLUE, "P"), (ORANGE, "X"), (GREEN, "<"), (PURPLE, ">"), (AMBER, "h"),
)  # fmt: skip
WIDTH = 7.0  # inches: the text block of a paper in two columns
SMALLEST = 6.5  # points: the smallest letters of any figure
MARGIN = 0.05  # inches
LETTER, HANDLE = 0.061, 0.42  # inches: a letter of a legend, and what stands before a label
FORMATS = ("svg", "png", "pdf")
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}
_SAYS = {"svg": "Description", "png": "Description", "pdf": "Subject"}


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


def save(
    figure: Figure, stem: str | Path, formats: Sequence[str] = FORMATS, title: str = "",
    says: str = "",
) -> list[Path]:  # fmt: skip
    """Write STEM.svg, .png (200 dots an inch) and .pdf; the same figure gives the same bytes.

    Args:
        title, says: what it is and what it shows, for those who cannot see it; kept in the files.
    """
    paths = [Path(f"{stem}.{ending}") for ending in formats]
    with house_style():
        figure.draw_without_rendering()  # lays it out once, for all formats
        figure.set_layout_engine("none")
        bounds = figure.get_tightbbox().padded(MARGIN)
        for path in paths:
            ending = path.suffix[1:]
            told = {name: text for name, text in (("Title", title), (_SAYS[ending], says)) if text}
            figure.savefig(path, metadata=_METADATA[ending] | told, bbox_inches=bounds)
    return paths


def series(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each name, by its place."""
    return {name: SERIES[place % len(SERIES)] for place, name in enumerate(names)}


def legend_columns(labels: Sequence[str]) -> int:
    """In how many columns a legend of these labels stays within the width of a figure.

    Columns are as even as they can be: five labels that need two rows make three columns.
    """
    for columns in range(len(labels), 1, -1):
        rows = math.ceil(len(labels) / columns)
        parts = [labels[start : start + rows] for start in range(0, len(labels), rows)]
        if sum(LETTER * max(map(len, part)) + HANDLE for part in parts) <= WIDTH:
            return len(parts)
    return 1


def headline(text: str, inches: float, points: float, weight: str = "bold") -> str:
    """A foreign name on at most two lines that fit a width; what does not fit is left out.

    Its end stays, since ends tell names apart: smollm2 and smollm2-screened.
    """
    font = FontProperties(family="DejaVu Sans", size=points, weight=weight)

    def fits(line: str) -> bool:
        width, _, _ = text_to_path.get_text_width_height_descent(line, font, ismath=False)
        return bool(width <= 72 * inches)

    rest = plain(text, 200)
    if fits(rest):
        return rest
    breaks = [place for place in range(len(rest), 0, -1) if fits(rest[:place].rstrip())]
    neat = [place for place in breaks if rest[place - 1] in " -_" and len(rest) <= 2 * place]
    place = (neat or breaks or [1])[0]
    first, rest = rest[:place].rstrip(), rest[place:]
    if fits(rest):
        return f"{first}\n{rest}"
    start = next((n for n in range(1, len(rest)) if fits("…" + rest[n:])), len(rest))
    return f"{first}\n…{rest[start:]}"


def contrast(first: ColorType, second: ColorType) -> float:
    """Contrast of two colours: 1 to 21, after WCAG 2.1."""
    dark, light = sorted(map(_luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: ColorType) -> float:
    """Relative luminance of an sRGB colour, after WCAG 2.1."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def plain(text: str, longest: int = 44) -> str:
    """Foreign text for a figure: one line, cut, and with the letters that the font has."""
    known = _letters()
    return "".join(letter if ord(letter) in known else "□" for letter in short_name(text, longest))


@functools.cache
def _letters() -> frozenset[int]:
    path = findfont(FontProperties(family="DejaVu Sans"))
    return frozenset(FT2Font(path).get_charmap())
