"""Links of README and of other Markdown files, and names of documentation pages in the source."""

import itertools
import re

import pytest
from documented import MARKDOWN, ROOT

FOLDERS = ("config", "notebooks", "resources", "tests", "workflow")
SOURCES = {".py", ".smk", ".yaml", ".j2", ".ipynb", ".rst", ".md"}
TRACKED = [
    path
    for path in [*ROOT.glob("*.*"), *(p for f in FOLDERS for p in (ROOT / f).rglob("*.*"))]
    if path.suffix in SOURCES and path.is_file() and ".snakemake" not in path.parts
]
# Pages of docs/ are checked by MkDocs, too, which knows how the site makes anchors.
PAGES = [path for path in TRACKED if path.suffix == ".md"] + sorted((ROOT / "docs").rglob("*.md"))


def links(text):
    for token in MARKDOWN.parse(text):
        for child in token.children or ():
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                yield target


def anchors(path):
    """Those that a forge makes of the headings: lower case, no punctuation, spaces as hyphens."""
    tokens = MARKDOWN.parse(path.read_text(encoding="utf-8"))
    for heading, inline in itertools.pairwise(tokens):
        if heading.type == "heading_open":
            shown = "".join(child.content for child in inline.children)
            yield re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")


def broken(page):
    for target in links(page.read_text(encoding="utf-8")):
        if re.match(r"\w+:", target):
            continue  # another site: nothing here asks for the network
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (anchor and anchor not in set(anchors(path))):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert list(broken(page)) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# What *is* this, then?\n\n[a](#what-is-this-then) [b](#no) ![c](d.png)\n")
    assert list(broken(page)) == ["#no", "d.png"]


def test_every_page_that_the_source_names_exists():
    missing = {}
    for path in TRACKED:
        for page in re.findall(r"docs/[\w./-]+\.md", path.read_text(encoding="utf-8")):
            if not (ROOT / page).exists():
                missing[str(path.relative_to(ROOT))] = page
    assert not missing
