"""The findings of an audit as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from repairstudy.audit.findings import Finding
from repairstudy.audit.planted import Planted

VERDICTS = {True: "holds", False: "**FAILED**", None: "not applicable"}


def page(environment: str, findings: Sequence[Finding], planted: Sequence[Planted]) -> str:
    """Every check, then every planted defect with what became of it."""
    failed = [finding.check for finding in findings if finding.passed is False]
    said = f"Not to be trusted: {'; '.join(failed)}." if failed else "No check failed."
    checks = _table(
        ("check", "verdict", "what was looked at"),
        ((f.check, VERDICTS[f.passed], f.detail) for f in findings),
    )
    defects = _table(
        ("class", "defect", "what it does", "behaves differently", "caught by"),
        (
            (row.kind, row.defect, row.description, "yes" if row.difference else "no",
             _caught(row))
            for row in planted
        ),
    )  # fmt: skip
    return f"# Audit of {environment}\n\n{said}\n\n{checks}\n\n## Planted defects\n\n{defects}\n"


def _caught(row: Planted) -> str:
    if row.caught_by is None:
        return "nothing" if row.right else "**MISSED**"
    return row.caught_by if row.right else f"{row.caught_by} **FALSE ALARM**"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
