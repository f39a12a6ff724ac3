"""A failed run as its story: what the executor saw at each step, and what it did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from repairstudy.report.folding import Laid, common_last_line, common_limit, laid, without_last_line
from repairstudy.report.text import readable

TEXTS = ("observation", "drawing", "action")
TEXT_OF_A_RUN = 100_000  # characters on average; with markup 60 runs make at most 20 MB


@dataclass(frozen=True, slots=True)
class StepView:
    """One step: what the executor saw, the state as a person reads it, and what was done.

    `state` is left out where it is what the executor saw; `kind` marks positions.
    """

    t: int
    action: str
    valid: bool
    saw: Laid | None
    state: Laid | None
    kind: str = ""

    @property
    def wide(self) -> bool:
        """Whether its texts need the whole width of the page."""
        return any(text.joined or text.head for text in (self.saw, self.state) if text)


def legend(steps: pl.DataFrame) -> str | None:
    """What explains all drawings of a study, if they end with one line that does."""
    return common_last_line(steps["drawing"].to_list())


def stories(steps: pl.DataFrame, legend: str | None = None) -> Mapping[str, list[StepView]]:
    """The steps of each run, all cut at one length if they would make the page too large.

    Args:
        steps: STEPS rows.
        legend: last line of every drawing, which is left out of them.
    """
    lengths = (n for name in TEXTS for n in steps[name].str.len_chars())
    limit = common_limit(lengths, TEXT_OF_A_RUN * steps["trajectory_id"].n_unique())
    found: defaultdict[str, list[StepView]] = defaultdict(list)
    for row in steps.sort("trajectory_id", "t").iter_rows(named=True):
        run, seen = found[row["trajectory_id"]], row["observation"]
        before = run[-1] if run else None
        drawn = row["drawing"] if legend is None else without_last_line(row["drawing"])
        saw = laid(seen, limit, _pieces(before.saw if before else None)) if seen else None
        known = _pieces(saw) | _pieces(before.state if before else None)
        state = laid(drawn, limit, known) if drawn and drawn != seen else None
        run.append(StepView(row["t"], readable(row["action"], limit), row["valid"], saw, state))
    return found


def _pieces(text: Laid | None) -> frozenset[str]:
    return frozenset(text.pieces) if text else frozenset()
