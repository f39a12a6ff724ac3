"""What the tables hold of each position of the failures shown, all read at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from repairstudy.report.explorer import lookups
from repairstudy.report.explorer.lookups import Choice, Place, Rollout, grouped, rows_of
from repairstudy.report.frames import Frames
from repairstudy.report.numbers import MISSING
from repairstudy.report.study import executor_names, study_of

Row = dict[str, Any]


@dataclass(frozen=True)
class Here:
    """A position.

    Attributes:
        row: of the positions.
        candidates: rows of the candidates, the original first.
        proposals: rows of what was proposed here.
        columns: executors in the order of the page; `scoring` are those that are no variant.
        rolled, exact: candidate -> executor -> rollouts, and exact value.
        weights: evaluator -> candidate -> probability that it is chosen.
        worth: evaluator -> net gain and loss of its choice.
        rewards: whether the study measures rewards.
    """

    place: Place
    deployed: str
    row: Row
    candidates: list[Row]
    proposals: list[Row]
    columns: list[str]
    scoring: frozenset[str]
    rolled: defaultdict[str, dict[str, list[Rollout]]]
    exact: defaultdict[str, dict[str, float]]
    weights: Mapping[str, Mapping[str, float]]
    worth: Mapping[str, Choice]
    rewards: bool

    @cached_property
    def numbers(self) -> dict[str, str]:
        """Candidates by number; the original has none, since it cannot be chosen."""
        counted = iter(range(1, len(self.candidates) + 1))
        return {
            row["candidate_id"]: MISSING if row["is_original"] else str(next(counted))
            for row in self.candidates
        }

    @cached_property
    def offered(self) -> list[str]:
        """The candidates that can be chosen, in the order of their numbers."""
        return [name for name, number in self.numbers.items() if number != MISSING]

    @cached_property
    def executors(self) -> list[str]:
        """Those with an outcome here; a variant needs rollouts, not just an exact value."""
        ids = list(self.numbers)
        known = {name for i in ids for name in self.rolled[i]}
        known |= {name for i in ids for name in self.exact[i] if name in self.scoring}
        return [name for name in self.columns if name in known]

    @cached_property
    def exact_here(self) -> dict[str, float]:
        """Candidate -> exact value under the deployed executor; empty unless all are known."""
        if any(self.deployed not in self.exact[i] for i in self.numbers):
            return {}
        return {i: self.exact[i][self.deployed] for i in self.numbers}

    def name_of(self, row: Row) -> str:
        return "original" if row["is_original"] else self.numbers[row["candidate_id"]]

    def arms(self) -> list[tuple[str, list[Rollout]]]:
        """Key and rollouts of every cell of the matrix."""
        return [
            (self.key(place, column), self.rolled[i][name])
            for place, i in enumerate(self.numbers)
            for column, name in enumerate(self.executors)
            if name in self.rolled[i]
        ]

    def key(self, candidate: int, executor: int) -> str:
        """The key of a cell in the data of its failure."""
        return f"{self.row['t']}.{candidate}.{executor}"


class Places:
    """The positions of the failures shown."""

    def __init__(self, frames: Frames, deployed: Mapping[str, str]) -> None:
        """`deployed`: failure -> the executor that failed, of the failures shown."""
        shown = list(deployed)
        self._deployed = deployed
        rows = rows_of(frames, "positions", "failure_id", shown).sort("failure_id", "t")
        self._positions = grouped(rows, "failure_id")
        order = (~pl.col("is_original"), "action", "candidate_id")
        candidates = rows_of(frames, "candidates", "failure_id", shown).sort(*order)
        self._candidates = grouped(candidates, "failure_id", "t")
        proposed = rows_of(frames, "proposals", "failure_id", shown).sort("source", "draw")
        self._proposals = grouped(proposed, "failure_id", "t")
        self._rolled = lookups.rolled(frames, shown)
        self._exact = lookups.exact(frames, shown)
        self._weights = lookups.weights(frames, shown)
        self._worth = lookups.worth(frames, shown)
        self._columns = {
            name: lookups.columns_of(frames, name) for name in dict.fromkeys(deployed.values())
        }
        self._scoring = frozenset(executor_names(frames))
        self.rewards = study_of(frames).metric == "reward"

    def of(self, failure_id: str) -> list[Here]:
        """The positions of a failure, in the order of its steps."""
        return [self._here(failure_id, row) for row in self._positions[failure_id]]

    def arms(self, failure_id: str) -> list[tuple[str, list[Rollout]]]:
        """Key and rollouts of every cell of the failure's matrices."""
        return [arm for here in self.of(failure_id) for arm in here.arms()]

    def _here(self, failure_id: str, row: Row) -> Here:
        place, deployed = (failure_id, row["t"]), self._deployed[failure_id]
        weights = {
            name: {candidate: weight for (_, candidate), weight in chosen.items()}
            for name, chosen in self._weights[place].items()
        }
        worth = {name: self._worth[*place, name] for name in weights
                 if (*place, name) in self._worth}  # fmt: skip
        return Here(
            place, deployed, row, self._candidates[place], self._proposals[place],
            self._columns[deployed], self._scoring, self._rolled[place], self._exact[place],
            weights, worth, self.rewards,
        )  # fmt: skip
