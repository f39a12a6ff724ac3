"""Checks of an environment's options, and the one form in which wrong ones are refused.

``environment.options.NAME: VALUE; accepted: WHAT``
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from repairstudy.checked import meant
from repairstudy.errors import ConfigError

PREFIX = "environment.options"


def refused(name: str, value: Any, accepted: str) -> ConfigError:
    """The error of an option that has a value which is not accepted."""
    return ConfigError(f"{PREFIX}.{name}: {value!r}; accepted: {accepted}")


def check_names(given: Mapping[str, Any], options: type, inside: str = "") -> None:
    """Refuse names that are no fields of a dataclass.

    Args:
        inside: the option whose value `given` is, and a dot; "" for the options themselves.
    """
    accepted = [field.name for field in fields(options)]
    for name in given:
        if name not in accepted:
            listed = ", ".join(accepted)
            raise ConfigError(
                f"{PREFIX}.{inside}{name}: no such option; accepted: {listed}"
                f"{meant(name, accepted)}"
            )


def check_choice(name: str, value: Any, accepted: Iterable[str | bool]) -> None:
    """Refuse what is none of some words, or none of False and True."""
    choices = list(accepted)
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        raise refused(name, value, ", ".join(str(choice).lower() for choice in choices))


def check_text(name: str, value: Any, accepted: str = "a text that is not empty") -> None:
    """Refuse what is not a text, or empty."""
    if not isinstance(value, str) or not value:
        raise refused(name, value, accepted)


def check_whole(
    name: str, value: Any, lowest: int = 1, highest: int | None = None, more: str = ""
) -> None:
    """Refuse what is not a whole number within bounds.

    Args:
        more: what else is accepted, as it is to be said (" or null").
    """
    within = is_whole(value) and lowest <= value and (highest is None or value <= highest)
    if not within:
        span = f"from {lowest}" + ("" if highest is None else f" to {highest}")
        raise refused(name, value, f"a whole number {span}{more}")


def is_whole(*values: Any) -> bool:
    """Whether all are integers; a boolean is none."""
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def is_number(value: Any) -> bool:
    """Whether it is an integer or a float; a boolean is neither."""
    return isinstance(value, int | float) and not isinstance(value, bool)
