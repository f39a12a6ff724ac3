"""What an agent reads, and what a person may see."""

from __future__ import annotations

from repairstudy.environments.gridworld.dynamics import (
    MOVES,
    Cell,
    Layout,
    State,
    is_blocked,
    is_goal,
    neighbour,
)

INSTRUCTION = (
    "Reach the goal. Move up, down, left or right. A pit ends the run as a failure. A cracked "
    "tile becomes a wall when you leave it. Moving against a wall costs a move and does nothing."
)
AT_GOAL = "You are at the goal."
IN_PIT = "You fell into a pit."
LEGEND = "A agent, G goal, # wall, O pit, c cracked tile (becomes a wall when left), . free"


def observe(layout: Layout, state: State) -> str:
    """The state as the agent sees it: what is around it, and where the goal lies.

    Says nothing of the layout's name or of the way here, so equal surroundings give equal text.
    """
    if is_goal(layout, state):
        return AT_GOAL
    if state.position in layout.pits:
        return IN_PIT
    around = ", ".join(
        f"{action} {_contents(layout, state, neighbour(state.position, action))}"
        for action in MOVES
    )
    return f"Around you: {around}. The goal is {_direction(state.position, layout.goal)}."


def draw(layout: Layout, state: State) -> str:
    """The whole map with its legend, one line a row."""
    rows = [
        " ".join(_symbol(layout, state, (row, column)) for column in range(layout.width))
        for row in range(layout.height)
    ]
    return "\n".join([*rows, LEGEND])


def _contents(layout: Layout, state: State, cell: Cell) -> str:
    if is_blocked(layout, state, cell):
        return "wall"
    if cell == layout.goal:
        return "goal"
    if cell in layout.pits:
        return "pit"
    return "cracked" if cell in layout.collapsing else "free"


def _direction(position: Cell, goal: Cell) -> str:
    """Direction before distance: a small language model copies the words that it can find."""
    down, right = goal[0] - position[0], goal[1] - position[1]
    vertical = ["down" if down > 0 else "up"] if down else []
    horizontal = ["right" if right > 0 else "left"] if right else []
    return f"{' and '.join(vertical + horizontal)}, {abs(down) + abs(right)} away"


def _symbol(layout: Layout, state: State, cell: Cell) -> str:
    if cell == state.position:
        return "A"
    if is_blocked(layout, state, cell):
        return "#"
    names = {"goal": "G", "pit": "O", "cracked": "c", "free": "."}
    return names[_contents(layout, state, cell)]
