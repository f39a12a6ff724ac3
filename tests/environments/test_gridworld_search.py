"""Plans and solvability against trying everything."""

from __future__ import annotations

from itertools import product

from grids import follow, layouts, reachable_states
from hypothesis import given, settings

from repairstudy.environments.gridworld.dynamics import ACTIONS, Layout, is_goal
from repairstudy.environments.gridworld.search import (
    best_moves,
    distance,
    distances,
    reachable,
    shortest_plan,
)
from repairstudy.environments.gridworld.teacher import lessons

DEPTH = 5


def first_solution(layout: Layout) -> list[str] | None:
    """The shortest, then first, of all sequences of at most DEPTH moves."""
    for length in range(DEPTH + 1):
        for moves in product(ACTIONS, repeat=length):
            if is_goal(layout, follow(layout, list(moves))):
                return list(moves)
    return None


@settings(max_examples=60, deadline=None)
@given(layouts(side=3))
def test_plan_is_the_first_shortest_of_all_sequences(layout: Layout) -> None:
    plan, expected = shortest_plan(layout, layout.initial()), first_solution(layout)
    if expected is None:
        assert plan is None or len(plan) > DEPTH
    else:
        assert plan is not None
        assert list(plan) == expected


@given(layouts())
def test_every_reachable_state_is_found_once_and_planned_for(layout: Layout) -> None:
    graph = reachable(layout, layout.initial())
    assert set(graph) == set(reachable_states(layout))
    left = distances(layout, layout.initial())
    for state in graph:
        plan = shortest_plan(layout, state)
        assert distance(layout, state) == left.get(state)
        assert (plan is None) == (state not in left)
        if plan:
            assert len(plan) == left[state]
            assert plan[0] in best_moves(layout, state, left)


@given(layouts())
def test_distances_differ_by_at_most_one_along_moves(layout: Layout) -> None:
    left = distances(layout, layout.initial())
    for state, following in reachable(layout, layout.initial()).items():
        known = [left[after] for after in following if after in left]
        if state in left and following:
            assert left[state] == 1 + min(known)
        else:
            assert not known or state in left


@given(layouts())
def test_the_blind_planner_heads_through_pits_and_the_other_never_does(layout: Layout) -> None:
    beyond = Layout(
        layout.width, layout.height, layout.start, layout.goal, layout.walls, frozenset(),
        layout.collapsing,
    )  # fmt: skip
    for lesson in lessons(layout):
        assert not any(f"{action} pit" in lesson.observation for action in lesson.moves)
    blind = list(lessons(layout, blind_to_pits=True))
    assert len(blind) >= len(list(lessons(layout)))
    if shortest_plan(beyond, beyond.initial()) is not None:
        assert blind[0].moves[0] == (shortest_plan(beyond, beyond.initial()) or ("",))[0]
