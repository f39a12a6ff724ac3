"""Filling prompt templates with texts that nobody controls."""

from __future__ import annotations

import re
from collections.abc import Mapping

from repairstudy.errors import ConfigError

_SLOT = re.compile(r"\{([a-z_]+)\}")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The template with each `{name}` replaced, in one pass.

    Braces inside the inserted texts stay as they are: they come from environments and models.

    Raises:
        ConfigError: the template has a slot that nothing fills.
    """
    unknown = sorted(set(_SLOT.findall(template)) - slots.keys())
    if unknown:
        raise ConfigError(
            f"prompt template: unknown slot {{{unknown[0]}}} (accepted: {', '.join(sorted(slots))})"
        )
    return _SLOT.sub(lambda match: slots[match.group(1)], template)
