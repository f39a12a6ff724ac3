"""Where moves lead."""

from __future__ import annotations

import pytest
from grids import CharacterGrid, actions, follow, layouts, reachable_states, walks
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.environments.gridworld.dynamics import (
    ACTIONS,
    Layout,
    State,
    is_blocked,
    is_goal,
    is_over,
    move,
    successors,
)

# start at the left of a corridor with a collapsing tile in its middle; a pit below its end
CORRIDOR = Layout(4, 2, (0, 0), (0, 3), frozenset({(1, 1), (1, 2)}), frozenset({(1, 3)}), ((0, 1),))


@given(walks())
def test_rules_agree_with_a_naive_map(case: tuple[Layout, list[str]]) -> None:
    layout, moves = case
    grid, state = CharacterGrid(layout), layout.initial()
    for action in moves:
        grid.act(action)
        state = move(layout, state, action)
        assert state.position == (grid.row - 1, grid.column - 1)
    border = {c for c in grid.walls() if layout.contains(c)}
    cells = [(row, column) for row in range(layout.height) for column in range(layout.width)]
    assert {cell for cell in cells if is_blocked(layout, state, cell)} == border


def test_a_tile_collapses_when_left_and_only_then() -> None:
    on_tile = follow(CORRIDOR, ["right"])
    assert on_tile == State((0, 1), 0)
    assert move(CORRIDOR, on_tile, "down") == on_tile  # a wall: the agent has not left
    assert move(CORRIDOR, on_tile, "right") == State((0, 2), 1)
    assert follow(CORRIDOR, ["right", "right", "left"]) == State((0, 2), 1)  # it is a wall now


def test_leaving_the_wrong_way_loses_the_goal() -> None:
    back = follow(CORRIDOR, ["right", "left"])
    assert back == State((0, 0), 1)
    assert all(
        not is_goal(CORRIDOR, state)
        for state in reachable_states(
            Layout(4, 2, (0, 0), (0, 3), CORRIDOR.walls | {(0, 1)}, CORRIDOR.pits, ())
        )
    )


def test_pits_and_the_goal_end_the_episode() -> None:
    fallen = State((1, 3), 1)
    for over in (fallen, State((0, 3), 1)):
        assert is_over(CORRIDOR, over)
        assert all(move(CORRIDOR, over, action) == over for action in ACTIONS)
    assert not is_goal(CORRIDOR, fallen)


@given(walks(), actions)
def test_a_move_is_to_a_neighbour_or_nowhere_and_nothing_is_repaired(
    case: tuple[Layout, list[str]], action: str
) -> None:
    layout, moves = case
    before = follow(layout, moves)
    after = move(layout, before, action)
    steps = [abs(a - b) for a, b in zip(before.position, after.position, strict=True)]
    assert sum(steps) <= 1
    assert after.collapsed & before.collapsed == before.collapsed
    assert after == before or sum(steps) == 1
    assert not is_blocked(layout, after, after.position)


@given(layouts(), st.floats(0.01, 0.9), actions)
def test_slips_are_sideways_and_probabilities_add_up(
    layout: Layout, slip: float, action: str
) -> None:
    state = layout.initial()
    chances = {after: chance for chance, after in successors(layout, state, action, slip)}
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-12)
    sideways = ("left", "right") if action in ("up", "down") else ("up", "down")
    for after, chance in chances.items():
        expected = (1 - slip) * (move(layout, state, action) == after) + sum(
            slip / 2 for side in sideways if move(layout, state, side) == after
        )
        assert chance == pytest.approx(expected, abs=1e-12)


def test_without_slip_a_move_has_one_outcome() -> None:
    assert successors(CORRIDOR, CORRIDOR.initial(), "right") == ((1.0, State((0, 1))),)
