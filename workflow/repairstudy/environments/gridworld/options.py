"""The options of the gridworld, and which of them are possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from repairstudy.errors import ConfigError

PREFIX = "environment.options"
LARGEST_SIDE = 12
MOST_COLLAPSING = 8  # each doubles the number of states


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that the layouts and rules depend on.

    The defaults are informative: a good selection of repairs can be told from a random one
    (``tests/environments/test_informative.py`` checks it with exact values).
    """

    layouts: int = 60
    seed: int = 0
    walls: int = 2
    pits: int = 4
    collapsing: int = 1
    width: int = 5
    height: int = 5
    min_distance: int = 3
    max_distance: int = 6
    slip: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def parse_options(given: Mapping[str, Any]) -> Options:
    """Checked options.

    Raises:
        ConfigError: an unknown option, a wrong type, or a value that no layout can have.
    """
    accepted = [field.name for field in fields(Options)]
    for name in given:
        if name not in accepted:
            raise ConfigError(f"{PREFIX}.{name}: no such option; accepted: {', '.join(accepted)}")
    options = Options(**given)
    cells = options.width * options.height if _whole(options.width, options.height) else 0
    _check_whole("width", options.width, 2, LARGEST_SIDE)
    _check_whole("height", options.height, 2, LARGEST_SIDE)
    _check_whole("layouts", options.layouts, 1, 10_000)
    _check_whole("seed", options.seed, 0, 2**63 - 1)
    _check_whole("walls", options.walls, 0, cells - 2)
    _check_whole("pits", options.pits, 0, cells - 2 - options.walls)
    most = min(MOST_COLLAPSING, cells - 2 - options.walls - options.pits)
    _check_whole("collapsing", options.collapsing, 0, most)
    _check_whole("min_distance", options.min_distance, 1, cells - 1)
    _check_whole("max_distance", options.max_distance, options.min_distance, LARGEST_SIDE**2)
    if options.pits + options.collapsing == 0:
        raise ConfigError(
            f"{PREFIX}.pits: 0 with 'collapsing' 0 is not possible, since every state could then "
            f"reach the goal; accepted: 1 to {cells - 2 - options.walls}"
        )
    if not _number(options.slip) or not 0.0 <= options.slip < 1.0:
        raise ConfigError(f"{PREFIX}.slip: {options.slip!r}; accepted: a number from 0 to below 1")
    return options


def _whole(*values: Any) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_whole(name: str, value: Any, lowest: int, highest: int) -> None:
    if not _whole(value) or not lowest <= value <= highest:
        raise ConfigError(
            f"{PREFIX}.{name}: {value!r}; accepted: a whole number from {lowest} to {highest}"
        )
