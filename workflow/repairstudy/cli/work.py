"""Collecting the wanted rollouts of a study into one work list a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from repairstudy.candidates.situation import Situation
from repairstudy.cli.inputs import CollectedRuns
from repairstudy.config import StudyConfig
from repairstudy.config.build import environment_of, executor_of
from repairstudy.environments import Environment
from repairstudy.evaluators.work import arms_of, wanted
from repairstudy.records import TABLES
from repairstudy.records.tables import WORKLIST
from repairstudy.store import read_table, write_table

Position = tuple[str, int]


@dataclass
class StudyWork:
    """The work lists of a study as they are being made."""

    study: StudyConfig
    runs: CollectedRuns
    candidates: pl.DataFrame
    environment: Environment
    _situations: dict[Position, Situation] = field(default_factory=dict)
    _wanted: list[tuple[str, pl.DataFrame]] = field(default_factory=list)

    @classmethod
    def read(cls, study: StudyConfig, files: Mapping[str, str]) -> StudyWork:
        """From the files trajectories, steps, failed, positions and candidates."""
        runs = CollectedRuns.read(files)
        candidates = read_table(files["candidates"], TABLES["candidates"])
        work = cls(study, runs, candidates, environment_of(study))
        for situation in runs.situations(work.environment, runs.positions):
            work._situations[situation.failure_id, situation.t] = situation
        return work

    def add(
        self,
        executor_name: str,
        positions: pl.DataFrame,
        role: str,
        replicates: int,
        keep: pl.DataFrame | None = None,
    ) -> None:
        """Want `replicates` rollouts of an executor on all arms of some positions.

        Args:
            keep: candidates (column candidate_id) to be rolled out; None: all and the original.
        """
        if not replicates or positions.is_empty():
            return
        here = [
            self._situations[position]
            for position in positions.select("failure_id", "t").sort("failure_id", "t").iter_rows()
        ]
        candidates = self.candidates
        if keep is not None:
            candidates = candidates.join(keep, on="candidate_id", how="semi")
        executor = executor_of(self.study, executor_name)
        model = self.study.executors[executor_name.partition("@")[0]].model
        rows = wanted(
            executor,
            arms_of(here, candidates),
            role,
            replicates,
            self.environment,
            self.study.environment.budget,
        )
        self._wanted.append((model, rows))

    def write(self, models: Sequence[str], paths: Sequence[str]) -> None:
        """One work list for each model, empty where a model has nothing to do.

        The same draw wanted twice (a failure in two pools) is listed once.
        """
        for model, path in zip(models, paths, strict=True):
            lists = [rows for name, rows in self._wanted if name == model]
            rows = pl.concat(lists) if lists else WORKLIST.empty()
            write_table(rows.unique(WORKLIST.key, maintain_order=True), path, WORKLIST)
