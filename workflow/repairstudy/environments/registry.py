"""Environments by name: entry points of the group ``repairstudy.environments``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from repairstudy.checked import meant
from repairstudy.environments.base import Environment
from repairstudy.errors import ConfigError

GROUP = "repairstudy.environments"


def make_environment(name: str, options: Mapping[str, Any]) -> Environment:
    """A new environment of that name.

    Raises:
        ConfigError: no installed package offers that name, or its options are not accepted.
    """
    require_installed(name)
    try:
        return _installed()[name].load()(**options)
    except TypeError as error:
        raise ConfigError(f"environment.options of '{name}': {error}") from error


def require_installed(name: str) -> None:
    """Find an environment of that name, without importing it.

    Raises:
        ConfigError: no installed package offers it.
    """
    found = _installed()
    if name not in found:
        offered = ", ".join(sorted(found)) or "none"
        raise ConfigError(
            f"environment.name: no environment '{name}'{meant(name, found)} (installed: {offered})"
        )


@cache
def _installed() -> Mapping[str, EntryPoint]:
    """Environments by name; a look-up reads the metadata of every package, some 10 ms."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}
