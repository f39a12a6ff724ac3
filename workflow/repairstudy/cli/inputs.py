"""What several stages read: the positions of a study, each restored by a checked replay."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from repairstudy.candidates.situation import Situation, situations
from repairstudy.environments import Environment
from repairstudy.records import TABLES
from repairstudy.store import read_table


@dataclass(frozen=True, slots=True)
class CollectedRuns:
    """The collected runs, which of them failed, and the positions to be repaired."""

    trajectories: pl.DataFrame
    steps: pl.DataFrame
    failed: pl.DataFrame
    positions: pl.DataFrame

    @classmethod
    def read(cls, files: Mapping[str, str]) -> CollectedRuns:
        """From the files trajectories, steps, failed and positions; others are left alone."""
        return cls(
            read_table(files["trajectories"], TABLES["trajectories"]),
            read_table(files["steps"], TABLES["steps"]),
            read_table(files["failed"], TABLES["collected_failures"]),
            read_table(files["positions"], TABLES["positions"]),
        )

    def primary(self, positions: pl.DataFrame | None = None) -> pl.DataFrame:
        return (self.positions if positions is None else positions).filter("is_primary")

    def of(self, failure_ids: Collection[str]) -> pl.DataFrame:
        return self.positions.filter(pl.col("failure_id").is_in(list(failure_ids)))

    def situations(self, environment: Environment, positions: pl.DataFrame) -> list[Situation]:
        return list(situations(environment, positions, self.failed, self.trajectories, self.steps))
