"""What Snakemake's handlers say when a run has ended: where to look."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PRODUCTS = ("report.html", "explorer.html", "study.duckdb")


def products(results: Path, since: float) -> str:
    """A line for each page, and the database, that was written since a time."""
    return "".join(f"wrote {path}\n" for name in PRODUCTS if _is_new(path := results / name, since))


def failures(results: Iterable[Path], since: float) -> str:
    """The errors of this run's jobs, which explain themselves, with their logs.

    Snakemake's own account of a failed job is long, and other jobs may go on for hours after it.

    Args:
        results: folders with a folder `logs` each.
        since: seconds since the epoch; older logs are of earlier runs.
    """
    lines = []
    for log in sorted(log for folder in results for log in (folder / "logs").rglob("*.log")):
        if _is_new(log, since) and (error := _error(log)):
            lines += [f"{log}:\n", f"  {error}\n"]
    return "".join(lines)


def _is_new(path: Path, since: float) -> bool:
    return path.exists() and path.stat().st_mtime >= since


def _error(log: Path) -> str:
    """The error that ended the job; a bug's is the last line of its traceback."""
    text = log.read_text(encoding="utf-8", errors="replace").rstrip()
    start = text.rfind("\nerror: ") + 1
    if text[start:].startswith("error: "):
        return text[start:].replace("\n", "\n  ")
    return text.rpartition("\n")[2] if "\nTraceback (" in f"\n{text}" else ""
