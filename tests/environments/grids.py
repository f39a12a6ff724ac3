"""Random small layouts, and the rules once more, written as naively as possible."""

from __future__ import annotations

from hypothesis import strategies as st

from repairstudy.environments.gridworld.dynamics import ACTIONS, Layout, State, is_over, move

actions = st.sampled_from(ACTIONS)


@st.composite
def layouts(draw: st.DrawFn, side: int = 4) -> Layout:
    """Any layout at all, suitable for a study or not."""
    height, width = draw(st.integers(2, side)), draw(st.integers(2, side))
    cells = [(row, column) for row in range(height) for column in range(width)]
    start, goal, *others = draw(st.permutations(cells))
    kinds = draw(st.lists(st.sampled_from(".#Oc"), min_size=len(others), max_size=len(others)))
    placed = {kind: [c for c, k in zip(others, kinds, strict=True) if k == kind] for kind in "#Oc"}
    return Layout(
        width, height, start, goal,
        frozenset(placed["#"]), frozenset(placed["O"]), tuple(sorted(placed["c"][:3])),
    )  # fmt: skip


@st.composite
def walks(draw: st.DrawFn, longest: int = 12) -> tuple[Layout, list[str]]:
    return draw(layouts()), draw(st.lists(actions, max_size=longest))


def follow(layout: Layout, moves: list[str]) -> State:
    state = layout.initial()
    for action in moves:
        state = move(layout, state, action)
    return state


def reachable_states(layout: Layout) -> list[State]:
    """By trying everything until nothing is new."""
    seen = [layout.initial()]
    for state in seen:
        if not is_over(layout, state):
            after = [move(layout, state, action) for action in ACTIONS]
            seen += [new for new in dict.fromkeys(after) if new not in seen]
    return seen


class CharacterGrid:
    """The same rules on a drawn map with a border of walls."""

    def __init__(self, layout: Layout) -> None:
        self.rows = [["#"] * (layout.width + 2) for _ in range(layout.height + 2)]
        for row in range(layout.height):
            for column in range(layout.width):
                cell = (row, column)
                symbol = "#" if cell in layout.walls else "O" if cell in layout.pits else "."
                self.rows[row + 1][column + 1] = "c" if cell in layout.collapsing else symbol
        self.rows[layout.goal[0] + 1][layout.goal[1] + 1] = "G"
        self.row, self.column = layout.start[0] + 1, layout.start[1] + 1

    def act(self, action: str) -> None:
        here = self.rows[self.row][self.column]
        row = self.row + (action == "down") - (action == "up")
        column = self.column + (action == "right") - (action == "left")
        if here in "GO" or self.rows[row][column] == "#":
            return
        if here == "c":
            self.rows[self.row][self.column] = "#"
        self.row, self.column = row, column

    def walls(self) -> set[tuple[int, int]]:
        return {
            (row - 1, column - 1)
            for row, symbols in enumerate(self.rows)
            for column, symbol in enumerate(symbols)
            if symbol == "#"
        }
