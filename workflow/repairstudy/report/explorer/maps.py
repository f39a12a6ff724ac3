"""The gridworld drawn: its map as shapes of an SVG, the path of a run, the moves proposed.

Numbers alone get into a drawing's attributes; no text of a model or environment does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

CELL = 10  # units of the drawing
LARGEST = 20  # cells a side; a larger map stays text
AGENT = "A"
_MARGIN = 12  # around a map with arrows that may leave it
MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_SHAPES = {  # from the upper left corner of a cell
    "#": ("wall", "M{x} {y}h10v10h-10z"),
    "O": ("pit", "M{x} {y}m1.5 5a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"),
    "c": ("crack", "M{x} {y}m3 1l3 3-3 2 3 3"),
    "G": ("goal", "M{x} {y}m5 1l4 4-4 4-4-4z"),
}
_EMPTY = frozenset(f".{AGENT}")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Arrow:
    """A proposed move: where it leads, what stands there, and how well it does (0 to 10)."""

    start: Point
    end: Point
    text_at: Point
    number: str
    text: str
    level: int | None
    original: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """A position on the path: its step, and whether it is the primary one."""

    at: Point
    t: int
    primary: bool
    radius: float


@dataclass(frozen=True, slots=True)
class MapView:
    """A drawing.

    Attributes:
        box: its SVG view box.
        size: width and height in cells.
        shapes: class and path of each kind of cell.
        letters: symbols that we have no shape for, where they stand.
        agent: centre of the agent's cell.
        trail: the run's path, as points of a polyline.
        stops: positions on it.
    """

    box: str
    size: tuple[int, int]
    shapes: tuple[tuple[str, str], ...]
    letters: tuple[tuple[Point, str], ...]
    agent: Point | None = None
    trail: str = ""
    stops: tuple[Stop, ...] = ()
    arrows: tuple[Arrow, ...] = ()


Symbols = tuple[tuple[str, ...], ...]


def symbols(drawing: str) -> Symbols | None:
    """The rows of a map of single symbols with one agent; None if the text is no such map."""
    rows = tuple(tuple(line.split(" ")) for line in drawing.splitlines())
    wide = {len(row) for row in rows}
    if not (2 <= len(rows) <= LARGEST and len(wide) == 1 and 2 <= max(wide) <= LARGEST):
        return None
    if any(len(symbol) != 1 for row in rows for symbol in row):
        return None
    return rows if sum(row.count(AGENT) for row in rows) == 1 else None


def draw(rows: Symbols) -> MapView:
    """One state."""
    shapes: dict[str, str] = {}
    letters = []
    for y, row in enumerate(rows):
        for x, symbol in enumerate(row):
            if symbol in _SHAPES:
                name, path = _SHAPES[symbol]
                shapes[name] = shapes.get(name, "") + path.format(x=x * CELL, y=y * CELL)
            elif symbol not in _EMPTY:
                letters.append((_centre(x, y), symbol))
    width, height = len(rows[0]), len(rows)
    box = f"0 0 {width * CELL} {height * CELL}"
    agent = _centre(*_agent(rows))
    return MapView(box, (width, height), tuple(shapes.items()), tuple(letters), agent)


def draw_run(states: Sequence[Symbols], last_action: str, stops: dict[int, bool]) -> MapView:
    """The first state with the path of the run; `stops`: step -> whether it is primary."""
    passed = [_agent(rows) for rows in states]
    move = MOVES.get(last_action)
    if move:  # what came of the last action was not recorded; a wall would have held it
        x, y = (passed[-1][axis] + move[axis] for axis in (0, 1))
        inside = 0 <= y < len(states[0]) and 0 <= x < len(states[0][0])
        passed += [(x, y)] if inside and states[-1][y][x] != "#" else []
    points = _spread(passed)
    drawn = draw(states[0])
    trail = " ".join(f"{x:g},{y:g}" for x, y in points)
    return replace(
        drawn,
        trail=trail,
        stops=tuple(_stops({t: passed[t] for t in stops}, stops)),
    )


def draw_moves(
    rows: Symbols, moves: Sequence[tuple[str, str, str, int | None, bool]]
) -> MapView | None:
    """A state with the moves proposed there; None if one of them is no move.

    Args:
        moves: of each candidate its action, number, text, level, and whether it is the original.
    """
    if any(action not in MOVES for action, *_ in moves):
        return None
    drawn, (x, y) = draw(rows), _agent(rows)
    width, height = drawn.size
    arrows = []
    for action, number, text, level, original in moves:
        (across, down), (middle, centre) = MOVES[action], _centre(x, y)
        start = (middle + across * 3.2, centre + down * 3.2)
        end = (middle + across * 6.5, centre + down * 6.5)
        text_at = (middle + across * CELL * 1.15, centre + down * CELL * 1.1)
        arrows.append(Arrow(start, end, text_at, number, text, level, original))
    box = f"{-_MARGIN} {-_MARGIN} {width * CELL + 2 * _MARGIN} {height * CELL + 2 * _MARGIN}"
    return replace(drawn, box=box, arrows=tuple(arrows))


def _agent(rows: Symbols) -> tuple[int, int]:
    return next(
        (x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == AGENT
    )


def _centre(x: int, y: int) -> Point:
    return x * CELL + CELL / 2, y * CELL + CELL / 2


def _stops(cells: Mapping[int, tuple[int, int]], primary: Mapping[int, bool]) -> Iterator[Stop]:
    """Those in one cell stand in a row."""
    for t, cell in sorted(cells.items()):
        here = sorted(other for other, its in cells.items() if its == cell)
        room = CELL / len(here)
        x, y = _centre(*cell)
        across = (here.index(t) - (len(here) - 1) / 2) * room
        yield Stop((round(x + across, 1), y), t, primary[t], round(min(3.0, room / 2), 1))


def _spread(passed: Sequence[tuple[int, int]]) -> list[Point]:
    """Centres of the cells passed, a little aside at each further visit: lines do not cover."""
    visits: dict[tuple[int, int], int] = {}
    points = []
    for cell in passed:
        visit = visits[cell] = visits.get(cell, -1) + 1
        x, y = _centre(*cell)
        points.append((x + (visit * 2 % 5 - (2 if visit else 0)) * 0.9, y + (visit * 3 % 5) * 0.7))
    return points
