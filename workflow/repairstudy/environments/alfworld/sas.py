"""Reading what the engine needs of a planning task in Fast Downward's text format (SAS)."""

from __future__ import annotations

from collections.abc import Iterator

# The facts that must hold, and the fact that then becomes true.
Effect = tuple[tuple[str, ...], str]


def conditional_effects(sas: str) -> dict[int, tuple[Effect, ...]]:
    """The effects of each operator with a conditional effect, by the operator's number.

    Facts are written as the planner names them: ``Atom ison(lamp)``, ``NegatedAtom ison(lamp)``.
    The library reports the effects of an operator as if all of them came about.
    """
    variables = [block[3:] for block in _blocks(sas, "variable")]
    found = {}
    for number, block in enumerate(_blocks(sas, "operator")):
        start = 2 + int(block[1])
        lines = [
            [int(word) for word in line.split()]
            for line in block[start + 1 : start + 1 + int(block[start])]
        ]
        if any(line[0] for line in lines):
            found[number] = tuple(_effect(line, variables) for line in lines)
    return found


def _effect(line: list[int], variables: list[list[str]]) -> Effect:
    """An effect's line: number of conditions, their (variable, value), variable, old, new."""
    pairs = line[1 : 1 + 2 * line[0]]
    needed = tuple(
        variables[variable][value] for variable, value in zip(pairs[::2], pairs[1::2], strict=True)
    )
    variable, _, value = line[1 + 2 * line[0] :]
    return needed, variables[variable][value]


def _blocks(sas: str, kind: str) -> Iterator[list[str]]:
    """The lines between each begin and end of a kind of block."""
    begin, end = f"begin_{kind}\n", f"\nend_{kind}\n"
    at = sas.find(begin)
    while at >= 0:
        stop = sas.index(end, at)
        yield sas[at + len(begin) : stop].split("\n")
        at = sas.find(begin, stop)
