"""The packages under the game engine, in the versions it was proven equal to the original with."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from repairstudy.errors import ConfigError

PROVEN = {
    "textworld": "1.7.0",
    "fast-downward-textworld": "20.6.4",
    "TatSu": "5.8.3",
    "mementos": "1.3.1",
}
INSTALL = "pip install --no-deps --require-hashes -r requirements/alfworld.lock"


def installed() -> dict[str, str | None]:
    """The version of each package that the engine stands on; None where it is missing."""
    found: dict[str, str | None] = {}
    for name in PROVEN:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def check_versions(found: Mapping[str, str | None] | None = None) -> None:
    """Refuse to play with other versions: the engine reaches into their private parts.

    Raises:
        ConfigError: a package is missing or has another version; says how to install it.
    """
    found = installed() if found is None else found
    wrong = [
        f"{name} {found.get(name) or 'is not installed'}" + f" (needed: {needed})"
        for name, needed in PROVEN.items()
        if found.get(name) != needed
    ]
    if wrong:
        raise ConfigError(f"ALFWorld cannot be played: {'; '.join(wrong)}. Run: {INSTALL}")
