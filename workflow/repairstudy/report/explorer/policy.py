"""A page's second line of defence: only its own style and script may act, and nothing is fetched.

The first is that every text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from markupsafe import Markup

# What could end the element that holds the data, or begin another one.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def content_security_policy(style: str, script: str) -> str:
    """The policy of a page whose only style and script are these texts, to the letter."""
    return (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def data(content: Any) -> Markup:
    """JSON for an element of the page that is data: ASCII, and without any character of markup."""
    text = json.dumps(content, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return Markup(text)


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
