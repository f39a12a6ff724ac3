"""The template engine of all pages: everything is escaped, and made readable before that."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from repairstudy.report.text import readable
from repairstudy.report.wording import counted

LONGEST_CELL = 1000  # characters of one cell of a table
FOLDER = Path(__file__).with_name("templates")


def _shown(value: Any) -> Any:
    """What an expression of a template puts on the page. Markup is ours and stays."""
    return readable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["counted"] = counted
    environment.filters["brief"] = lambda text: readable(text, LONGEST_CELL)
    return environment


def render(template: str, **content: Any) -> str:
    """A page; the style sheet is at hand as `css`."""
    css = Markup((FOLDER / "page.css").read_text(encoding="utf-8"))
    return _environment().get_template(template).render(css=css, **content)
