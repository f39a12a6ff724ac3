"""Exact search in the graph of all states: distances to the goal, plans, dead ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import lru_cache

from repairstudy.environments.gridworld.dynamics import (
    ACTIONS,
    Layout,
    State,
    is_goal,
    is_over,
    move,
)


def reachable(layout: Layout, origin: State) -> dict[State, tuple[State, ...]]:
    """Every state that moves from `origin` can lead to, in breadth-first order.

    Returns:
        state -> the states after each of ACTIONS, in their order; no entries after the end.
    """
    graph: dict[State, tuple[State, ...]] = {}
    queue = deque([origin])
    seen = {origin}
    while queue:
        state = queue.popleft()
        over = is_over(layout, state)
        graph[state] = () if over else tuple(move(layout, state, action) for action in ACTIONS)
        for after in graph[state]:
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return graph


@lru_cache(maxsize=4096)
def distances(layout: Layout, origin: State) -> Mapping[State, int]:
    """Fewest moves to the goal from each state reachable from `origin`; none for dead ends."""
    graph = reachable(layout, origin)
    before: dict[State, list[State]] = {state: [] for state in graph}
    for state, following in graph.items():
        for after in following:
            before[after].append(state)
    found = {state: 0 for state in graph if is_goal(layout, state)}
    queue = deque(found)
    while queue:
        state = queue.popleft()
        for earlier in before[state]:
            if earlier not in found:
                found[earlier] = found[state] + 1
                queue.append(earlier)
    return found


def distance(layout: Layout, state: State) -> int | None:
    """Fewest moves to the goal; None if it cannot be reached any more."""
    return distances(layout, state).get(state)


def best_moves(layout: Layout, state: State, left: Mapping[State, int]) -> tuple[str, ...]:
    """Every move that begins a shortest plan; empty at the end and in dead ends.

    `left` holds the distances from an origin that `state` is reachable from.
    """
    if is_over(layout, state) or state not in left:
        return ()
    return tuple(
        action for action in ACTIONS if left.get(move(layout, state, action)) == left[state] - 1
    )


def shortest_plan(layout: Layout, state: State) -> tuple[str, ...] | None:
    """The shortest plan; among several the first in the order of ACTIONS, move by move."""
    left = distances(layout, state)
    if state not in left:
        return None
    plan: list[str] = []
    while not is_goal(layout, state):
        plan.append(best_moves(layout, state, left)[0])
        state = move(layout, state, plan[-1])
    return tuple(plan)
