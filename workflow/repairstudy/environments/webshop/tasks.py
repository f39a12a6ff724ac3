"""The goals that are tasks, by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from repairstudy.environments.webshop.selection import Goals, Split, Splitting


@lru_cache(maxsize=8)
def task_table(
    goals: Goals,
    split: Split,
    splitting: Splitting,
    max_goals_per_product: int | None,
    unreachable: bool,
) -> Mapping[str, int]:
    """Task id -> position of its goal, in the order of goals. Shared: not to be changed."""
    positions = goals.selected(split, splitting, max_goals_per_product, unreachable)
    return dict(zip(goals.ids(positions), positions, strict=True))
