"""Tables as LaTeX: booktabs, plain ASCII, compiled by any engine without further packages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from repairstudy.report.text import one_line

LONGEST_CELL = 120  # characters
LONGEST_LINE = 40  # characters; a column with longer cells breaks its lines
NARROW = r"\setlength{\tabcolsep}{4pt}"
LONGEST_TABLE = 45  # rows on one page; a longer table goes on over pages
# What TeX reads as its own, or sets as another sign in its oldest encoding.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    "−": "$-$", "–": "--", "—": "---", "∞": r"$\infty$", "×": r"$\times$", "±": r"$\pm$",
    "·": r"$\cdot$", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}",
    "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
# Combining marks, as accents over a letter.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
    "\u0328": "k",
}  # fmt: skip
_DOTLESS = {"i": r"\i", "j": r"\j"}


def escaped(text: str) -> str:
    """Foreign text as LaTeX that prints it. Letters beyond accented Latin print as their code."""
    return "".join(map(_letter, one_line(text, LONGEST_CELL)))


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numeric: Iterable[int] = (),
    caption: str = "",
    label: str = "",
) -> str:
    """A table as a file to `\\input`.

    Args:
        columns: foreign text, as are the cells of `rows` and the caption.
        numeric: columns that are set flush right.
        label: what stands after "tab:"; letters, digits, hyphens and underscores.

    Returns:
        A floating `tabular`, or a `longtable` if there are more rows than a page takes. A cell of
        the first column is left out where it repeats the one above; a rule parts the groups.
    """
    cells, right = [list(row) for row in rows], set(numeric)
    layout = "".join(
        _column([titles, *(row[place] for row in cells)], place in right)
        for place, titles in enumerate(columns)
    )
    head = _line(columns)
    body = _grouped(cells)
    name = rf"\caption{{{_prose(caption)}}}" + rf"\label{{tab:{label}}}"
    if len(cells) > LONGEST_TABLE:
        return _long(layout, head, body, name)
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}.",
            r"\begin{table}[tbp]",
            r"\centering",
            rf"\footnotesize{NARROW}",
            name,
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _column(cells: Sequence[str], right: bool) -> str:
    if max(map(len, cells)) > LONGEST_LINE:
        return r"p{0.27\textwidth}"
    return "r" if right else "l"


def _long(layout: str, head: str, body: Sequence[str], name: str) -> str:
    again = [r"\toprule", head, r"\midrule"]
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs,longtable}.",
            rf"\begingroup\footnotesize{NARROW}",
            rf"\begin{{longtable}}{{{layout}}}",
            rf"{name}\\",
            *again,
            r"\endfirsthead",
            *again,
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *body,
            r"\end{longtable}",
            r"\endgroup",
            "",
        ]
    )


def _grouped(cells: Sequence[Sequence[str]]) -> list[str]:
    lines: list[str] = []
    above = None
    parted = len(cells) > len({row[0] for row in cells})
    for row in cells:
        if row[0] == above:
            lines.append(_line(["", *row[1:]]))
        else:
            lines += [r"\midrule"] * (above is not None and parted)
            lines.append(_line(row))
        above = row[0]
    return lines


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def _prose(text: str) -> str:
    """A caption of any length."""
    return " ".join(escaped(word) for word in text.split())


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if letter.isascii():
        return letter
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) == 1 and marks[0] in _ACCENTS and base.isascii() and base.isalpha():
        return f"\\{_ACCENTS[marks[0]]}{{{_DOTLESS.get(base, base)}}}"
    return f"[U+{ord(letter):04X}]"
