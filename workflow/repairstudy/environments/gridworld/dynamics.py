"""The rules: what a layout is, what a state is, and where a move leads."""

from __future__ import annotations

from dataclasses import dataclass

Cell = tuple[int, int]  # row from the top, column from the left

MOVES: dict[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
ACTIONS: tuple[str, ...] = tuple(MOVES)
SIDEWAYS: dict[str, tuple[str, str]] = {
    "up": ("left", "right"),
    "down": ("left", "right"),
    "left": ("up", "down"),
    "right": ("up", "down"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """What never changes in an episode. A collapsing tile becomes a wall when it is left."""

    width: int
    height: int
    start: Cell
    goal: Cell
    walls: frozenset[Cell]
    pits: frozenset[Cell]
    collapsing: tuple[Cell, ...]

    def contains(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def initial(self) -> State:
        return State(self.start)


@dataclass(frozen=True, slots=True)
class State:
    """What changes: bit i of `collapsed` tells that the i-th collapsing tile is a wall now."""

    position: Cell
    collapsed: int = 0


def is_goal(layout: Layout, state: State) -> bool:
    return state.position == layout.goal


def is_over(layout: Layout, state: State) -> bool:
    """Whether the episode has ended: at the goal, or in a pit (a failure)."""
    return is_goal(layout, state) or state.position in layout.pits


def is_blocked(layout: Layout, state: State, cell: Cell) -> bool:
    """Whether a cell cannot be entered now: outside, a wall, or a collapsed tile."""
    if not layout.contains(cell) or cell in layout.walls:
        return True
    return cell in layout.collapsing and bool(state.collapsed >> layout.collapsing.index(cell) & 1)


def neighbour(cell: Cell, action: str) -> Cell:
    rows, columns = MOVES[action]
    return cell[0] + rows, cell[1] + columns


def move(layout: Layout, state: State, action: str) -> State:
    """The state after a move that does not slip.

    A move against a wall, and any move after the end, changes nothing; so a collapsing tile that
    the agent fails to leave stands.
    """
    target = neighbour(state.position, action)
    if is_over(layout, state) or is_blocked(layout, state, target):
        return state
    collapsed = state.collapsed
    if state.position in layout.collapsing:
        collapsed |= 1 << layout.collapsing.index(state.position)
    return State(target, collapsed)


def successors(
    layout: Layout, state: State, action: str, slip: float = 0.0
) -> tuple[tuple[float, State], ...]:
    """All that a move can lead to, with probabilities that add up to 1.

    With probability `slip` the agent moves sideways instead, to either side alike.
    """
    if slip == 0.0:
        return ((1.0, move(layout, state, action)),)
    chances: dict[State, float] = {}
    for probability, actual in slips(action, slip):
        after = move(layout, state, actual)
        chances[after] = chances.get(after, 0.0) + probability
    return tuple((probability, after) for after, probability in chances.items())


def slips(action: str, slip: float) -> tuple[tuple[float, str], ...]:
    """The moves that an intended move can become, with their probabilities."""
    one, other = SIDEWAYS[action]
    return ((1.0 - slip, action), (slip / 2, one), (slip / 2, other))
