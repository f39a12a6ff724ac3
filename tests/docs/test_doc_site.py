"""The documentation as a site: whole, without network, readable by everybody, searchable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from browser import accessibility_faults, opened
from documented import MARKDOWN

ROOT = Path(__file__).parents[2]


def build(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", folder, *arguments],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a link or an anchor that leads nowhere, or a page left out, is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site):
    names = {path.stem for path in (ROOT / "docs").rglob("*.md")}
    assert names <= {path.stem for path in site.rglob("*.html")}


BROKEN = {
    "[a page](nowhere.md)": "'nowhere.md', but the target is not found",
    "[a heading](other.md#no-heading)": "does not contain an anchor '#no-heading'",
    "[a file outside](../Makefile)": "unrecognized relative link '../Makefile'",
    "![a picture](assets/none.png)": "'assets/none.png', but the target is not found",
}


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "assets").symlink_to(ROOT / "docs/assets")
    (docs / "other.md").write_text("# A page\n", "utf-8")
    (docs / "index.md").write_text("\n\n".join(["# Broken", *BROKEN]), "utf-8")
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    done = build(tmp_path / "out", "--config-file", tmp_path / "mkdocs.yml")
    assert done.returncode != 0
    assert [said for said in BROKEN.values() if said not in done.stderr] == []


def test_tables_and_lists_are_what_they_are_elsewhere(site):
    """MkDocs wants an empty line before a list or table; without one it shows the marks."""
    differing = {}
    for path in (ROOT / "docs").glob("*.md"):
        tokens = [token.type for token in MARKDOWN.parse(path.read_text("utf-8"))]
        built = (site / f"{path.stem}.html").read_text("utf-8")
        article = built[built.index("<article") : built.index("</article>")]
        for token, tag in (("table_open", "<table>"), ("list_item_open", "<li>")):
            if tokens.count(token) != article.count(tag):
                differing[path.name] = tag
    assert not differing


def test_pictures_are_small_and_all_are_shown():
    pictures = set((ROOT / "docs/assets").glob("*.png"))
    assert sum(path.stat().st_size for path in pictures) < 300_000
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))
    assert all(f"](assets/{path.name})" in pages for path in pictures)


@pytest.mark.parametrize("page", ["index", "configuration"])
def test_a_page_asks_for_nothing_but_files(page, site, chromium):
    with opened(chromium, site / f"{page}.html") as shown:
        shown.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(scheme, site, chromium):
    page = chromium.new_page(color_scheme=scheme)
    for name in ("index", "why"):
        page.goto((site / f"{name}.html").as_uri())
        page.wait_for_load_state("networkidle")
        faults = accessibility_faults(page)
        # The theme draws its copy buttons as many landmarks of one name.
        assert [fault for fault in faults if not fault.startswith("landmark-unique")] == []
    page.close()


def test_the_search_works_from_disk(site, chromium):
    with opened(chromium, site / "index.html") as page:
        page.keyboard.press("/")
        page.locator(".md-search__input:focus").wait_for()
        page.keyboard.type("curse")
        found = page.locator(".md-search-result__link").first
        found.wait_for()
        assert "why.html" in found.get_attribute("href")


def test_reader_can_choose_light_or_dark(site, chromium):
    with opened(chromium, site / "index.html", color_scheme="light") as page:
        body = page.locator("body")
        assert body.get_attribute("data-md-color-scheme") == "default"
        page.get_by_title("Dark").first.click()
        assert body.get_attribute("data-md-color-scheme") == "slate"
