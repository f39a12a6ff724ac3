"""The report as a reader's browser shows it: light and dark, wide and narrow, without scripts."""

import re
from itertools import pairwise

import polars as pl
import pytest
from browser import accessibility_faults, opened
from test_report_figures_in_print import BLINDNESS, TOGETHER, least_distance
from test_report_page import DRAWING, HOSTILE, PUBLISHED

from repairstudy.report.figures import FIGURES
from repairstudy.report.page import render_report
from repairstudy.report.style import contrast, save
from repairstudy.report.svg import VARIABLES
from repairstudy.report.templating import FOLDER

WIDTHS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
REAL = ("losses", "executor_matrix")  # drawn; the other figures are one stroke each
CSS = (FOLDER / "page.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page_file(frames, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    svgs = dict.fromkeys(FIGURES, DRAWING)
    for name in REAL:
        [path] = save(FIGURES[name].draw(frames), folder / name, ["svg"])
        svgs[name] = path.read_text(encoding="utf-8")
    file = folder / "report.html"
    file.write_text(render_report(frames, svgs, PUBLISHED), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def small_file(frames, tmp_path_factory):
    """The same with little in each table: axe-core looks at every cell. No section is lost."""
    key = ["pool", "analysis", "estimand"]
    pools = ["smollm2", "policy-strong-screened", "all"]
    few = frames["results"].filter(pl.col("pool").is_in(pools)).group_by(key).head(3)
    small = {**frames, "results": few.sort("pool", "analysis", "evaluator", "estimand")}
    file = tmp_path_factory.mktemp("small") / "report.html"
    svgs = dict.fromkeys(FIGURES, DRAWING)
    file.write_text(render_report(small, svgs, PUBLISHED), encoding="utf-8")
    return file


def overflow(page):
    """By how many pixels the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_no_wider_than_the_window(chromium, page_file, width):
    with opened(chromium, page_file, viewport=WIDTHS[width]) as page:
        assert overflow(page) <= 0
        page.evaluate(UNFOLD)
        assert overflow(page) <= 0


@pytest.mark.parametrize(("scheme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_it_is_accessible_unfolded_and_all(chromium, small_file, scheme, width):
    with opened(chromium, small_file, color_scheme=scheme, viewport=WIDTHS[width]) as page:
        page.evaluate(UNFOLD)
        assert accessibility_faults(page) == []


def test_everything_is_there_without_scripts(chromium, page_file, frames):
    with opened(chromium, page_file, java_script_enabled=False) as page:
        answer = page.locator("#summary + dl").inner_text()
        assert "pre-specified hypotheses" in answer
        assert page.locator("figure svg").count() == len(FIGURES)
        folded = page.get_by_role("region", name="Table: All losses")
        assert not folded.is_visible()
        page.get_by_text("All losses (").click()
        assert folded.is_visible()
        rows = frames["results"].filter(
            pl.col("analysis").is_in(["losses", "failure_scope"]) & (pl.col("estimand") == "loss")
        )
        assert folded.locator("tbody tr").count() == rows.height


def test_a_screen_reader_hears_what_a_figure_shows(chromium, page_file, frames):
    with opened(chromium, page_file) as page:
        shown = FIGURES["losses"].caption(frames).shows
        image = page.get_by_role("img", name="Selection losses at the primary position", exact=True)
        assert image.count() == 1
        described = image.get_attribute("aria-describedby")
        assert page.locator(f"#{described}").text_content() == shown


def test_headings_go_down_one_by_one(chromium, page_file):
    with opened(chromium, page_file) as page:
        levels = page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])"
        )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_it_prints_dark_on_white_whatever_the_screen_is(chromium, page_file):
    with opened(chromium, page_file, color_scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        body = "getComputedStyle(document.body)"
        assert page.evaluate(f"{body}.backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate(f"{body}.color") == "rgb(31, 35, 40)"
        assert not page.locator("nav.contents").is_visible()
        assert page.pdf(format="A4").startswith(b"%PDF-")


def test_drawings_follow_the_screens_colours(chromium, page_file):
    ink = {}
    for scheme in ("light", "dark"):
        with opened(chromium, page_file, color_scheme=scheme) as page:
            ink[scheme] = page.evaluate(
                "[...new Set([...document.querySelectorAll('#figure-losses svg *')]"
                ".map(one => getComputedStyle(one).fill))]"
            )
    assert "rgb(31, 35, 40)" in ink["light"]
    assert "rgb(227, 231, 236)" in ink["dark"]
    assert "rgb(31, 35, 40)" not in ink["dark"]


def test_an_attack_in_every_name_is_shown_and_not_obeyed(chromium, frames, tmp_path):
    """`opened` fails on a dialog, an error of the console, or a request."""
    names = ("pool", "evaluator", "note")
    attacked = {
        **frames,
        "results": frames["results"].with_columns(
            pl.col(name).str.replace("smollm2", HOSTILE, literal=True) for name in names
        ),
        "failures": frames["failures"].with_columns(
            pl.col("pool").str.replace("smollm2", HOSTILE, literal=True)
        ),
        "executors": frames["executors"].with_columns(name=pl.lit(HOSTILE), model=pl.lit(HOSTILE)),
    }
    file = tmp_path / "report.html"
    file.write_text(render_report(attacked, dict.fromkeys(FIGURES, DRAWING), PUBLISHED))
    with opened(chromium, file, viewport=WIDTHS["phone"]) as page:
        assert overflow(page) <= 0
        assert "<script>alert(1)</script>" in page.locator("main").inner_text()
        assert page.locator("script, img").count() == 0


def palette(block):
    """The colours of one block of the style sheet."""
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6})", block))


LIGHT, DARK, PRINT = (
    palette(block) for block in re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
)  # fmt: skip


@pytest.mark.parametrize("colours", [LIGHT, DARK, PRINT], ids=["light", "dark", "print"])
def test_every_colour_of_letters_can_be_read(colours):
    """WCAG AA: 4.5 for letters, 3 for marks of figures."""
    for ground in ("page", "paper", "shade"):
        for letters in ("ink", "muted"):
            assert contrast(colours[letters], colours[ground]) >= 4.5, (letters, ground)
    for letters in ("blue", "orange"):  # links, and names beside curves
        assert contrast(colours[letters], colours["paper"]) >= 4.5, letters
    for chip in ("yes", "no", "void"):
        assert contrast(colours["ink"], colours[chip]) >= 4.5, chip
    for mark in ("green", "purple", "rule"):  # sky and amber never stand without their marker
        assert contrast(colours[mark], colours["paper"]) >= 3, mark


@pytest.mark.parametrize("sight", BLINDNESS)
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_figures_colours_stay_apart_on_the_page(colours, sight):
    """As in print, whose colours the page replaces by its own."""
    for name, together in TOGETHER.items():
        shown = [colours[VARIABLES[colour].removeprefix("--")] for colour in together]
        assert least_distance(shown, sight) > 15, name
