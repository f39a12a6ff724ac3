"""Figures as a reviewer sees them: letters, overlaps, colours, and what the files hold."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from repairstudy.report.figures import FIGURES, cheap_verification, cost, hybrid_value
from repairstudy.report.figures.executor_matrix import BLACK, WHITE
from repairstudy.report.figures.executor_matrix import COLOURS as MATRIX
from repairstudy.report.figures.rollouts_spent import CURVES
from repairstudy.report.style import (
    KIND_COLOURS,
    SERIES,
    SMALLEST,
    contrast,
    headline,
    house_style,
    save,
)

TEXT_BLOCK = 7.16  # inches: two columns of the widest usual layout
LONG = {"smollm2": "a-very-long-name-of-an-executor-with-99B", "policy-strong": "x_$y%{}&#~^漢<b>"}
# Linear sRGB as people without one kind of cone see it (Machado, Oliveira and Fernandes 2009).
BLINDNESS = {
    "none": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip
TOGETHER = {
    "kinds of evaluators": list(KIND_COLOURS.values()),
    "series": list(dict.fromkeys(colour for colour, _ in SERIES)),
    "roles": list(cost.COLOURS.values()),
    "allocation": [colour for _, colour, _ in CURVES.values()],
    "hybrid": [colour for _, colour, *_ in hybrid_value.CURVES.values()],
    "cheap rules": [cheap_verification.CURVE[1],
                    *{rule[2] for rule in cheap_verification.RULES.values()}],
}  # fmt: skip


def renamed(frames):
    """The study with names that are long, alike at their beginning, or signs all over."""

    def name(column):
        for old, new in LONG.items():
            column = column.str.replace_all(old, new, literal=True)
        return column

    return {
        table: rows.with_columns(
            name(pl.col(column)).alias(column)
            for column, dtype in rows.schema.items()
            if dtype == pl.String
        )
        for table, rows in frames.items()
    }


@pytest.fixture(scope="module", params=["usual", "long"], ids=["usual names", "long names"])
def drawn(request, frames):
    shown = frames if request.param == "usual" else renamed(frames)
    return {name: spec.draw(shown) for name, spec in FIGURES.items()}


def texts(figure):
    """Every text that is seen, with its box. A tick outside the limits is not seen."""
    with house_style():
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
    hidden = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not _within(tick.get_loc(), axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    for text in figure.findobj(Text):
        seen = text.get_visible() and (text.axes is None or text.axes.get_visible())
        if seen and text.get_text().strip() and text not in hidden:
            box = text.get_window_extent(renderer)
            if np.isfinite(box.get_points()).all() and box.width:
                yield text, box


def _within(place, interval):
    low, high = sorted(interval)
    return low - 1e-9 <= place <= high + 1e-9


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another_and_none_is_too_small(drawn, name):
    """Titles, tick labels, legends and labels beside curves, in a study with twenty evaluators."""
    found = list(texts(drawn[name]))
    assert len(found) > 5
    for (first, a), (second, b) in itertools.combinations(found, 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        # Boxes hold the room of ascenders and descenders: letters touch later than boxes.
        both = f"{first.get_text()!r} and {second.get_text()!r}"
        assert min(overlap) < 0.25 * min(a.height, b.height), both
    assert min(text.get_fontsize() for text, _ in found) >= SMALLEST


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("drawn", ["usual"], indirect=True)
def test_files_hold_vectors_fonts_and_what_they_show(drawn, name, tmp_path):
    svg, pdf = save(drawn[name], tmp_path / name, ["svg", "pdf"], "Title <1>", "2 of 3 lose.")
    drawing = svg.read_text(encoding="utf-8")
    assert "<image" not in drawing
    assert "Title &lt;1&gt;" in drawing
    assert "2 of 3 lose." in drawing
    content = pdf.read_bytes()
    assert b"/Subtype /Image" not in content
    assert b"/Type3" not in content
    assert re.search(rb"/FontFile2 ", content)  # TrueType, embedded
    left, bottom, right, top = map(
        float, re.search(rb"/MediaBox \[ ?(.*?) ?\]", content)[1].split()
    )
    assert (right - left) / 72 <= TEXT_BLOCK
    assert (top - bottom) / 72 <= 9  # a page's height


@pytest.mark.parametrize("name", ["executor_matrix"])
def test_the_same_study_gives_the_same_bytes(frames, name, tmp_path):
    spec = FIGURES[name]
    says = spec.caption(frames).shows
    twice = [save(spec.draw(frames), tmp_path / n, title=spec.title, says=says) for n in "ab"]
    first, second = ([path.read_bytes() for path in paths] for paths in twice)
    assert first == second


@pytest.mark.parametrize("sight", BLINDNESS)
@pytest.mark.parametrize("colours", TOGETHER)
def test_colours_used_together_stay_apart(sight, colours):
    assert least_distance(TOGETHER[colours], sight) > 15


def test_what_colours_say_markers_say_too():
    """For grey print, and for those who see no colours."""
    for marks in (
        [marker for _, marker in SERIES],
        [marker for *_, marker in CURVES.values()],
        [marker for *_, marker, _ in hybrid_value.CURVES.values()],
        [cheap_verification.CURVE[2], *(rule[3] for rule in cheap_verification.RULES.values())],
    ):
        assert len(set(marks)) == len(marks)


@pytest.mark.parametrize("value", np.linspace(0, 1, 21))
def test_the_numbers_of_the_matrix_can_be_read_on_every_colour(value):
    assert max(contrast(letter, MATRIX(value)) for letter in (BLACK, WHITE)) >= 4.5


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


@given(st.text(max_size=120), st.floats(0.6, 4.0))
@settings(max_examples=40)
def test_a_headline_fits_its_width_on_two_lines(name, inches):
    lines = headline(name, inches, 7.5).split("\n")
    font = FontProperties(family="DejaVu Sans", size=7.5, weight="bold")
    widths = [text_to_path.get_text_width_height_descent(x, font, ismath=False)[0] for x in lines]
    assert len(lines) <= 2
    assert max(widths) <= 72 * inches + 1e-6


def test_pools_that_differ_in_their_end_have_different_headlines():
    name = "llama-3.1-8b-instruct-with-a-long-name"
    assert headline("smollm2-screened", 2, 7.5) == "smollm2-screened"
    assert headline("policy-strong-screened", 1.0, 7.5) == "policy-strong-\nscreened"
    assert headline(name, 1.0, 7.5) != headline(f"{name}-screened", 1.0, 7.5)


def least_distance(colours, sight):
    """In CIELAB; 2 is what a trained eye just sees, 15 is another colour at a glance."""
    seen = [_lab(np.array(BLINDNESS[sight]) @ _linear(colour)) for colour in colours]
    return min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))


def _linear(colour):
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(linear):
    """CIELAB of linear sRGB, D65."""
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    xyz = to_xyz @ np.clip(linear, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
