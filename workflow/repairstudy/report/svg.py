"""SVG files made fit to live together inside one page, in light and in dark."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from repairstudy.errors import DataError
from repairstudy.report.text import readable

# Colours of the figures that a page restyles (page.css); all others stay.
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
    "#cc79a7": "--purple",
    "#56b4e9": "--sky",
    "#e69f00": "--amber",
}
_PROLOGUE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_ACTIVE = re.compile(r"<script|<foreignObject|\son\w+=|href=\"(?!#|data:image/png;)", re.IGNORECASE)
_SIZE = re.compile(r'(<svg\b[^>]*?) (?:width|height)="[^"]*"')


def inline(svg: str, name: str, title: str, says: str = "") -> Markup:
    """The drawing as an element of an HTML page.

    What it is and what it shows stand in its `title` and `desc`, for those who cannot see it.

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
    return Markup(_told(svg, name, title, says))


def _told(svg: str, name: str, title: str, says: str) -> str:
    """The drawing with its title and description, as an image that assistive programs read out."""
    titled, described = f"{name}-title", f"{name}-desc"
    label = f'role="img" aria-labelledby="{titled}"'
    told = f'<title id="{titled}">{escape(title)}</title>'
    if says:
        label += f' aria-describedby="{described}"'
        told += f'<desc id="{described}">{escape(readable(says))}</desc>'
    head, _, body = svg.partition(">")
    if head.endswith("/"):
        head, body = head[:-1], f"</svg>{body}"
    return f"<svg {label}{head.removeprefix('<svg')}>{told}{body}"


def _refuse_active(svg: str, name: str) -> None:
    """The figures are ours and hold neither; a file that does was not drawn by us."""
    if _ACTIVE.search(svg):
        raise DataError(
            f"{name}.svg", "the file holds a script or a link.", "Draw the figure again."
        )
