"""Defective scorers, planted around a sound environment to see whether an audit finds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from repairstudy.audit.defects import errors, history, state, verdicts
from repairstudy.audit.defects.base import Wrapper
from repairstudy.audit.ground import Make


def _leaves(family: type[Wrapper]) -> list[type[Wrapper]]:
    below = family.__subclasses__()
    return [leaf for child in below for leaf in (child, *_leaves(child))]


FAMILIES: tuple[type[Wrapper], ...] = (
    state.LeavesReference, state.Mutates, history.DependsOnOrder, errors.Swallows,
    verdicts.SucceedsAlways, verdicts.Remembers, history.ScoresAnother,
)  # fmt: skip
DEFECTS: tuple[type[Wrapper], ...] = tuple(
    defect for family in FAMILIES for defect in _leaves(family)
)


def plant(defect: type[Wrapper], make: Make, tasks: Sequence[str]) -> Make:
    """Instances of the environment with the defect; what they share is theirs alone.

    Args:
        tasks: those that will be looked at. A defect that is in some tasks only is in every second.
    """
    shared: dict[str, Any] = {}
    return lambda: defect(make(), shared, frozenset(tasks[::2]))
