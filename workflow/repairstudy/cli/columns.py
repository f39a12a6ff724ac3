"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence


def table(lines: Sequence[Sequence[str]]) -> str:
    """Columns side by side, words to the left, numbers to the right."""
    widths = [max(len(row[place]) for row in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not cell[:1].isdigit() and cell[:1] != "~" else cell.rjust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in lines
    )
