"""Lessons for policy language models: what a planner would do in every state of a layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from repairstudy.environments.gridworld.dynamics import Layout
from repairstudy.environments.gridworld.search import best_moves, distances, reachable
from repairstudy.environments.gridworld.text import observe


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the planner sees, and every move that begins one of its shortest plans."""

    observation: str
    moves: tuple[str, ...]


def lessons(layout: Layout, blind_to_pits: bool = False) -> Iterator[Lesson]:
    """One lesson for each reachable state from which the planner has a plan.

    A planner that is blind to pits plans as if they were free cells, so it differs from the
    other in kind, not only in how well it was learned; the observation names the pits all the same.
    """
    planned = replace(layout, pits=frozenset()) if blind_to_pits else layout
    left = distances(planned, planned.initial())
    for state in reachable(layout, layout.initial()):
        moves = () if state.position in layout.pits else best_moves(planned, state, left)
        if moves:
            yield Lesson(observe(layout, state), moves)
