"""What several stages read: the positions of a study, each restored by a checked replay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

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
    def read(
        cls, trajectories: str | Path, steps: str | Path, failed: str | Path, positions: str | Path
    ) -> CollectedRuns:
        return cls(
            read_table(trajectories, TABLES["trajectories"]),
            read_table(steps, TABLES["steps"]),
            read_table(failed, TABLES["collected_failures"]),
            read_table(positions, TABLES["positions"]),
        )

    def deployed_of(self) -> dict[str, str]:
        """Failure id -> the executor that failed."""
        return dict(self.failed.select("failure_id", "deployed").iter_rows())

    def primary(self, positions: pl.DataFrame | None = None) -> pl.DataFrame:
        return (self.positions if positions is None else positions).filter("is_primary")

    def of(self, failure_ids: Collection[str]) -> pl.DataFrame:
        return self.positions.filter(pl.col("failure_id").is_in(list(failure_ids)))

    def situations(self, environment: Environment, positions: pl.DataFrame) -> list[Situation]:
        return list(situations(environment, positions, self.failed, self.trajectories, self.steps))
