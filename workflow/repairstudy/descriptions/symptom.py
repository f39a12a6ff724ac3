"""What a detector is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from repairstudy.descriptions.run import FailedRun

AGENT, BUDGET = "agent", "budget"


class Finding(NamedTuple):
    """Where a symptom shows: its first and last step, and what was counted there."""

    first: int
    last: int
    detail: str

    @property
    def evidence(self) -> str:
        where = f"step {self.first}" if self.first == self.last else f"steps {self.first} to "
        return f"{where}{'' if self.first == self.last else self.last}: {self.detail}"


class Symptom(NamedTuple):
    """A failure type with its detector, and what it says on the other axes.

    Attributes:
        label: the failure type.
        source: who is responsible, AGENT or BUDGET.
        capability: what an executor lacks that shows it.
        find: the finding in a run, or None. It must depend on the run alone.
    """

    label: str
    source: str
    capability: str
    find: Callable[[FailedRun], Finding | None]

    @property
    def meaning(self) -> str:
        """What the label says, in a sentence: the first line of the detector's docstring."""
        return (self.find.__doc__ or "").strip().split("\n")[0]


def missing(run: FailedRun, what: str) -> Finding:
    """Something that the whole run lacks, which shows only when it is over."""
    last = len(run.actions) - 1
    return Finding(last, last, what)
