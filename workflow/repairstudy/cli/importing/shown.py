"""What became of imported runs: a table for people, JSON lines for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

from repairstudy.cli.columns import table
from repairstudy.imported.replaying import Replayed, Verdict

VERDICTS: tuple[str, ...] = get_args(Verdict)
MEANINGS = {
    "failure": "replays, and did not solve its task",
    "success": "replays, and solved it",
    "diverges": "does not lead where the log says",
    "unusable": "replays, but is no run of this study",
    "unreadable": "the log does not tell what was done, or in which task",
}
NO_FAULT = ("failure", "success")  # replayed as logged: need no explanation
LISTED = 10  # runs that are named


def plain(text: str, most: int = 300) -> str:
    """A text of unknown origin, on one line and without control characters."""
    shown = "".join(
        letter if letter.isprintable() else " " if letter.isspace() else f"\\x{ord(letter):02x}"
        for letter in text[: most + 1]
    )
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def summary(replayed: Sequence[Replayed], written: Sequence[str]) -> str:
    """Counts by verdict, and what is wrong with the first runs that are left out.

    `written`: the verdicts of runs that are written.
    """
    rows = [["verdict", "runs", "written", "compared", ""]]
    for verdict in VERDICTS:
        of = [one for one in replayed if one.verdict == verdict]
        if of:
            rows.append([
                verdict, str(len(of)), str(len(of) if verdict in written else 0),
                f"{sum(one.compared for one in of):,}", MEANINGS[verdict],
            ])  # fmt: skip
    bare = sum(one.verdict in NO_FAULT and not one.compared for one in replayed)
    lines = [table(rows), "compared: observations of the log that the replay showed too"]
    if bare:
        lines.append(f"{bare} runs were replayed without any observation to compare with")
    left = [one for one in replayed if one.verdict not in NO_FAULT]
    for one in left[:LISTED]:
        name = plain(one.logged.name, 40)
        lines.append(f"left out: {one.logged.where} ({name}): {one.verdict}: {plain(one.detail)}")
        if one.divergence is not None:
            lines.append(f"    in the log:  {plain(one.divergence.recorded, 160)}")
            lines.append(f"    in a replay: {plain(one.divergence.replayed, 160)}")
    if len(left) > LISTED:
        lines.append(f"and {len(left) - LISTED} more; --json lists them all")
    return "\n".join(lines)


def lines(replayed: Sequence[Replayed], written: Sequence[str]) -> str:
    """A JSON object a line, one for each run, in the order of the files; `written` as above."""
    contents = [_content(one, one.verdict in written) for one in replayed]
    return "".join(json.dumps(content, allow_nan=False) + "\n" for content in contents)


def _content(one: Replayed, written: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "where": one.logged.where,
        "failure_id": one.logged.name,
        "task_id": one.run.task_id if one.run else None,
        "verdict": one.verdict,
        "detail": one.detail,
        "written": written,
        "actions": len(one.run.actions) if one.run else None,
        "invalid_actions": one.invalid,
        "compared": one.compared,
        "reward": one.run.reward if one.run else None,
    }
    if one.divergence is not None:
        found["divergence"] = {
            "step": one.divergence.step,
            "recorded": one.divergence.recorded,
            "replayed": one.divergence.replayed,
        }
    return found
