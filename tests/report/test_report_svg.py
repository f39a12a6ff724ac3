"""Drawings that share a page."""

import re

import pytest

from repairstudy.errors import DataError
from repairstudy.report.svg import inline

DRAWING = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="518.4pt" height="300pt"
 viewBox="0 0 518.4 300" xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata><x>made by</x></metadata>
 <defs><clipPath id="clip"><rect width="5" height="6"/></clipPath><path id="glyph-a"/></defs>
 <!-- greedy -- replay -->
 <g id="axes_1" clip-path="url(#clip)" style="fill: #0072B2; stroke: #123456">
  <use xlink:href="#glyph-a"/></g>
</svg>"""


def test_ids_and_their_uses_carry_the_figures_name():
    html = inline(DRAWING, "losses", "Losses")
    assert re.findall(r'id="([^"]+)"', html) == [
        "losses-title", "losses-clip", "losses-glyph-a", "losses-axes_1",
    ]  # fmt: skip
    assert 'href="#losses-glyph-a"' in html
    assert "url(#losses-clip)" in html


def test_house_colours_follow_the_page_and_others_stay():
    html = inline(DRAWING, "losses", "Losses")
    assert "fill: var(--blue)" in html
    assert "stroke: #123456" in html


def test_the_size_follows_the_page_but_shapes_keep_theirs():
    html = inline(DRAWING, "losses", "Losses")
    assert "518.4pt" not in html
    assert 'viewBox="0 0 518.4 300"' in html
    assert '<rect width="5" height="6"/>' in html


def test_nothing_but_the_element_is_left_and_it_is_named_for_a_screen_reader():
    html = inline(DRAWING, "losses", 'Losses <of> "all"', "2 of 3 lose.\u202e")
    assert html.startswith(
        '<svg role="img" aria-labelledby="losses-title" aria-describedby="losses-desc" '
    )
    assert '<title id="losses-title">Losses &lt;of&gt; &#34;all&#34;</title>' in html
    assert '<desc id="losses-desc">2 of 3 lose.‹U+202E›</desc>' in html
    for gone in ("<?xml", "<!DOCTYPE", "<!--", "<metadata"):
        assert gone not in html


@pytest.mark.parametrize(
    "active",
    ["<script>x</script>", "<g onload='x'/>", '<a href="https://example.org">x</a>',
     "<foreignObject/>"],
)  # fmt: skip
def test_active_content_is_refused(active):
    with pytest.raises(DataError, match=r"losses\.svg: the file holds a script or a link"):
        inline(DRAWING.replace("</svg>", f"{active}</svg>"), "losses", "Losses")


def test_what_is_no_drawing_is_refused():
    with pytest.raises(DataError, match="holds no SVG"):
        inline("<html></html>", "losses", "Losses")
