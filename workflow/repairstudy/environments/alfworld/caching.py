"""Making the original text layer fast without changing what it says.

It parses the same short texts with a general parser again and again, and copies what it never
changes. Both are replaced here, once a process; the versions are checked first, because the
replaced functions are private ones.
"""

from __future__ import annotations

from copy import copy, deepcopy
from functools import lru_cache
from typing import Any

from textworld.envs.pddl import textgen
from textworld.logic import Rule

_TEXTS = 20_000  # parsed texts that are kept; a game adds a few dozens of its own
_done = False


def install() -> None:
    """Replace the slow parts; does nothing the second time."""
    global _done
    if _done:
        return
    parse = lru_cache(_TEXTS)(textgen._parse_and_convert)
    query = lru_cache(_TEXTS)(Rule.parse_conjunctive_query)

    def parse_once(text: str, rule_name: str, trace: bool = False) -> Any:
        return deepcopy(parse(text, rule_name=rule_name))  # the caller sets fields of the symbols

    textgen._parse_and_convert = parse_once
    textgen.copy_context = _copy_context
    textgen.Symbol.__deepcopy__ = _copy_symbol
    Rule.parse_conjunctive_query = staticmethod(query)
    _done = True


def _copy_symbol(symbol: Any, memo: dict[int, Any]) -> Any:
    """A symbol whose fields can be set without changing the original's; so for those inside it."""
    own = copy(symbol)
    for name in ("symbol", "expression"):
        inner = getattr(symbol, name, None)
        if isinstance(inner, textgen.Symbol):
            setattr(own, name, _copy_symbol(inner, memo))
    return own


def _copy_context(context: dict[str, Any]) -> dict[str, Any]:
    """A context whose two changing parts are its own; what they hold never changes."""
    return {
        **context,
        "variables": dict(context["variables"]),
        "mapping": dict(context["mapping"]),
    }
