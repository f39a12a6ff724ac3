"""SVG files made fit to live together inside one page, in light and in dark."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from repairstudy.errors import DataError

# Colours of the figures that a page may restyle (report.css); all others stay.
VARIABLES = {
    "#1f2328": "--ink",
    "#6e7781": "--muted",
    "#8c959f": "--rule",
    "#d8dee4": "--faint",
    "#ffffff": "--paper",
    "#f3f4f6": "--shade",
    "#0072b2": "--blue",
    "#d55e00": "--orange",
    "#009e73": "--green",
    "#b0609a": "--purple",
}
_PROLOGUE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_ACTIVE = re.compile(r"<script|<foreignObject|\son\w+=|href=\"(?!#|data:image/png;)", re.IGNORECASE)
_SIZE = re.compile(r'(<svg\b[^>]*?) (?:width|height)="[^"]*"')


def inline(svg: str, name: str, title: str) -> Markup:
    """The drawing as an element of an HTML page.

    Ids get the figure's name as a prefix, so that two figures do not share any; colours of the
    house style become variables of the page; the size follows the page.

    Raises:
        DataError: the text is no SVG, or holds a script or a reference to elsewhere.
    """
    svg = _PROLOGUE.sub("", svg).strip()
    if not svg.startswith("<svg"):
        raise DataError(f"{name}.svg", "the file holds no SVG.", "Draw the figure again.")
    _refuse_active(svg, name)
    while _SIZE.search(svg):
        svg = _SIZE.sub(r"\1", svg, count=1)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(xlink:href|href)="#([^"]+)"', rf'\1="#{name}-\2"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    for colour, variable in VARIABLES.items():
        svg = re.sub(colour, f"var({variable})", svg, flags=re.IGNORECASE)
    label = escape(title)
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1))


def _refuse_active(svg: str, name: str) -> None:
    """The figures are ours and hold neither; a file that does was not drawn by us."""
    if _ACTIVE.search(svg):
        raise DataError(
            f"{name}.svg", "the file holds a script or a link.", "Draw the figure again."
        )
