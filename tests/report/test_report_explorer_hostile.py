"""Texts of models and environments are shown and never obeyed, whatever they are made of."""

import json
import re

import polars as pl
import pytest
from browser import opened
from hostile import LONG, NAME, RIGHT_TO_LEFT, STRINGS, attacked
from hypothesis import given
from hypothesis import strategies as st
from test_report_page import Outline

from repairstudy.report.explorer import render_explorer
from repairstudy.report.explorer.policy import data

ENVIRONMENTS = ("gridworld", "webshop", "elsewhere")
VIEWPORTS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
# What the page itself is made of: anything else came in through a text.
ELEMENTS = """
    html head meta title style script body header h1 h2 h3 h4 p a nav span main section form label
    input select option button ol ul li div b bdi details summary svg rect path text polyline
    circle line code table caption thead tbody tr th td pre footer
"""
LOOK_AROUND = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const names = [...document.querySelectorAll("*")].flatMap((one) => one.getAttributeNames());
  return {
    pwned: window.pwned ?? null,
    elements: [...new Set([...document.querySelectorAll("*")].map((one) => one.localName))],
    handlers: names.filter((name) => name.startsWith("on") || name === "style"),
    wide: document.documentElement.scrollWidth - innerWidth,
    scripts: document.scripts.length,
    links: [...document.links].map((one) => one.getAttribute("href")),
    text: document.body.innerText,
  };
}"""
OPEN_EVERYTHING = """() => {
  for (const row of document.querySelectorAll("ol.list a")) {
    location.hash = row.hash;
    dispatchEvent(new HashChangeEvent("hashchange"));
    for (const button of document.querySelectorAll(".shown td[data-cell] button")) button.click();
  }
}"""


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def study(request, frames):
    return attacked(frames, request.param)


@pytest.fixture(scope="module")
def path(study, tmp_path_factory):
    page = tmp_path_factory.mktemp("hostile") / "explorer.html"
    page.write_text(render_explorer(study, most=4), encoding="utf-8")
    return page


def harmless(found, shown):
    assert found["pwned"] is None
    assert set(found["elements"]) <= set(ELEMENTS.split())
    assert not found["handlers"]
    assert found["scripts"] == 2 + shown
    assert found["wide"] <= 0
    assert {link for link in found["links"] if not link.startswith("#failure-")} <= {
        "#list", "report.html",
    }  # fmt: skip


@pytest.mark.parametrize("viewport", VIEWPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_nothing_runs_loads_or_breaks_the_layout(chromium, path, viewport, scheme, script):
    options = {"viewport": VIEWPORTS[viewport], "color_scheme": scheme}
    with opened(chromium, path, java_script_enabled=script, **options) as page:
        if script:
            assert page.locator("ol.list > li").count() == 8
            page.evaluate(OPEN_EVERYTHING)
        harmless(page.evaluate(LOOK_AROUND), shown=8)
        if script:
            page.evaluate(
                "location.hash = 'list'; dispatchEvent(new HashChangeEvent('hashchange'))"
            )
            harmless(page.evaluate(LOOK_AROUND), shown=8)


def test_the_texts_stand_there_as_they_are(chromium, path):
    with opened(chromium, path, java_script_enabled=False) as page:
        text = page.evaluate(LOOK_AROUND)["text"]
    for part in ("<script>window.pwned=1;alert(1)</script>", "</style></title></textarea>",
                 "{{ 7*7 }}{% for x in range(9) %}", "[click](javascript:window.pwned=1)",
                 "&lt;script&gt; &#60;b&#62;", "␁␂␃", "␛", "␡", "‹U+202E›gnp.exe‹U+202C›",
                 "‹U+200B›", "<b onclick=window.pwned=1>שלום‹U+202E›"):  # fmt: skip
        assert part in text, part


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_texts_from_right_to_left_leave_their_neighbours_in_place(
    chromium, frames, tmp_path, viewport
):
    """The length of a run stands right of its task's name, as it does for a name in Latin."""
    runs = frames["trajectories"]
    told = {**frames, "trajectories": runs.with_columns(task_id=pl.lit(RIGHT_TO_LEFT[:8]))}
    page = tmp_path / "explorer.html"
    page.write_text(render_explorer(told, most=1), encoding="utf-8")
    with opened(chromium, page, viewport=VIEWPORTS[viewport]) as shown:
        task = shown.locator("ol.list .task").first
        name, length = task.locator("bdi").bounding_box(), task.locator("span").bounding_box()
        assert length["x"] >= name["x"] + name["width"]
        assert length["y"] == pytest.approx(name["y"], abs=2)


def test_a_script_that_got_in_would_still_not_run(chromium, frames, tmp_path):
    """The second line of defence: the page with a hole in it."""
    page, told = tmp_path / "explorer.html", []
    html = render_explorer(frames, most=1)
    hole = (
        "<main><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
        "<p id=styled style='color: rgb(1, 2, 3)'>x</p>"
        "<a id=go href='javascript:window.pwned=1'>x</a>"
    )
    page.write_text(html.replace("<main>", hole, 1), encoding="utf-8")
    context = chromium.new_context(offline=True)
    shown = context.new_page()
    shown.on("console", lambda message: told.append(message.text))
    shown.goto(page.as_uri())
    shown.locator("#go").click()
    assert shown.evaluate("window.pwned ?? null") is None
    colour = shown.evaluate("getComputedStyle(document.getElementById('styled')).color")
    assert colour != "rgb(1, 2, 3)"
    assert sum("Content Security Policy" in text for text in told) >= 4
    context.close()


def test_the_page_stays_well_formed(study):
    outline = Outline(render_explorer(study, most=4))
    assert not outline.open
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)


def test_no_text_gets_into_an_attribute_but_as_a_label_for_those_who_cannot_see(study):
    html = render_explorer(study, most=2)
    for tag in re.findall(r"<(?!script|style)[a-z][^>]*>", html):
        if "pwned" in tag:
            assert re.search(r'aria-label="[^"]*pwned[^"]*"', tag), tag


def test_a_long_name_of_a_task_is_cut_in_the_list_and_told_with_the_failure(study):
    html = render_explorer(study, most=4)
    assert html.count("x" * 119 + "…") == 3  # list, summary and heading
    assert "x" * 1000 + f" … ({len(LONG) - 1000} more characters)" in html


@given(st.recursive(st.text() | st.sampled_from(STRINGS) | st.none(), st.lists))
def test_data_cannot_end_their_element_and_come_back_as_they_were(content):
    text = data(content)
    assert json.loads(text) == content
    assert not set("<>&") & set(text)
    assert text.isascii()


def test_a_hostile_name_is_found_by_its_filter(chromium, study, tmp_path):
    page = tmp_path / "explorer.html"
    page.write_text(render_explorer(study, most=3), encoding="utf-8")
    with opened(chromium, page) as shown:
        options = shown.locator("#labels option").all_inner_texts()
        assert any("<script>window.pwned=1;alert(1)</script>" in text for text in options)
        shown.select_option("#labels", index=1)
        assert shown.locator("ol.list > li:visible").count() >= 1
    assert NAME not in page.read_text(encoding="utf-8")
