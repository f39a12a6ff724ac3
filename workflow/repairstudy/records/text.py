"""Filling prompt templates with texts that nobody controls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from repairstudy.errors import ConfigError

_SLOT = re.compile(r"\{([a-z_]+)\}")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each `{name}` replaced, in one pass.

    Braces inside the inserted texts stay as they are: they come from environments and models.

    Raises:
        ConfigError: the template has a slot that nothing fills.
    """
    parts = list(_parts(template))
    names = parts[1::2]
    try:
        parts[1::2] = [slots[name] for name in names]
    except KeyError:
        unknown = min(set(names) - slots.keys())
        raise ConfigError(
            f"prompt template: unknown slot {{{unknown}}} (accepted: {', '.join(sorted(slots))})"
        ) from None
    return "".join(parts)


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[str, ...]:
    """The template's texts and names of slots, in turn: one form is filled at every step."""
    return tuple(_SLOT.split(template))
