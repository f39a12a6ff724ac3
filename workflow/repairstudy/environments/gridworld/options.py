"""The options of the gridworld, and which of them are possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from repairstudy.environments.option_checks import (
    PREFIX,
    check_names,
    check_whole,
    is_number,
    is_whole,
    refused,
)
from repairstudy.errors import ConfigError

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
    check_names(given, Options)
    options = Options(**given)
    cells = options.width * options.height if is_whole(options.width, options.height) else 0
    check_whole("width", options.width, 2, LARGEST_SIDE)
    check_whole("height", options.height, 2, LARGEST_SIDE)
    check_whole("layouts", options.layouts, 1, 10_000)
    check_whole("seed", options.seed, 0, 2**63 - 1)
    check_whole("walls", options.walls, 0, cells - 2)
    check_whole("pits", options.pits, 0, cells - 2 - options.walls)
    most = min(MOST_COLLAPSING, cells - 2 - options.walls - options.pits)
    check_whole("collapsing", options.collapsing, 0, most)
    check_whole("min_distance", options.min_distance, 1, cells - 1)
    check_whole("max_distance", options.max_distance, options.min_distance, LARGEST_SIDE**2)
    if options.pits + options.collapsing == 0:
        raise ConfigError(
            f"{PREFIX}.pits: 0 with 'collapsing' 0 is not possible, since every state could then "
            f"reach the goal; accepted: 1 to {cells - 2 - options.walls}"
        )
    if not is_number(options.slip) or not 0.0 <= options.slip < 1.0:
        raise refused("slip", options.slip, "a number from 0 to below 1")
    return options
