"""Seeded layouts in which some moves cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

import numpy as np

from repairstudy.environments.gridworld.dynamics import Cell, Layout
from repairstudy.environments.gridworld.options import Options
from repairstudy.environments.gridworld.search import distances, reachable
from repairstudy.environments.option_checks import PREFIX
from repairstudy.errors import ConfigError
from repairstudy.records import generator

PATIENCE = 20_000  # draws without a new layout before giving up


@lru_cache(maxsize=32)
def make_layouts(options: Options) -> tuple[Layout, ...]:
    """The layouts of these options, all different; a longer list begins with the shorter ones.

    Raises:
        ConfigError: there are not that many, or they are too rare to be found.
    """
    layouts: dict[Layout, None] = {}
    waiting = 0
    for layout in draws(options):
        waiting += 1
        if layout not in layouts and is_suitable(layout, options):
            layouts[layout] = None
            waiting = 0
        if len(layouts) == options.layouts:
            return tuple(layouts)
        if waiting == PATIENCE:
            break
    raise ConfigError(
        f"{PREFIX}.layouts: only {len(layouts)} of {options.layouts} layouts with these options "
        f"were found; ask for fewer layouts, walls or pits, or for a wider range from "
        f"min_distance to max_distance"
    )


def draws(options: Options) -> Iterator[Layout]:
    """Random layouts without end, suitable or not, each from a seed of its own."""
    cells = [(row, column) for row in range(options.height) for column in range(options.width)]
    for number in count():
        # Ranks of plain uniform numbers: NumPy promises their stream, not that of permutation.
        ranks = generator("gridworld layout", options.seed, number).random(len(cells))
        yield place([cells[index] for index in np.argsort(ranks, kind="stable")], options)


def place(shuffled: list[Cell], options: Options) -> Layout:
    """A layout that takes its cells from a shuffled list."""
    walls_end = 2 + options.walls
    pits_end = walls_end + options.pits
    return Layout(
        width=options.width,
        height=options.height,
        start=shuffled[0],
        goal=shuffled[1],
        walls=frozenset(shuffled[2:walls_end]),
        pits=frozenset(shuffled[walls_end:pits_end]),
        collapsing=tuple(sorted(shuffled[pits_end : pits_end + options.collapsing])),
    )


def is_suitable(layout: Layout, options: Options) -> bool:
    """Whether the goal is at the right distance and can be lost.

    ASSUME with collapsing tiles, a state other than a pit must be able to lose the goal: pits
    alone would make the solvability oracle a mere look at the neighbouring cells.
    """
    left = distances(layout, layout.initial())
    away = left.get(layout.initial())
    if away is None or not options.min_distance <= away <= options.max_distance:
        return False
    lost = [state for state in reachable(layout, layout.initial()) if state not in left]
    return any(not options.collapsing or state.position not in layout.pits for state in lost)
