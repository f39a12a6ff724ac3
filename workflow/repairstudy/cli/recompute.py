"""Every table of a study made anew from its records, by the scripts of the rules that made it.

What models said when they were asked (proposals, judgements, labels, distributions) is taken as
recorded, since recomputing asks no model and runs no rollout; collected runs are compared with the
cache. Everything is written to a folder that is thrown away.
"""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import polars as pl

from repairstudy.analysis import read_registration
from repairstudy.analysis.costs import costs_of
from repairstudy.analysis.registration import Settings
from repairstudy.analysis.registration_file import to_frame
from repairstudy.analysis.witness import read_witness, witnessed
from repairstudy.cli.collected import require_collected
from repairstudy.cli.provenance import first_rollout, provenance_of
from repairstudy.config import OutcomesConfig, parse_study
from repairstudy.records import TABLES
from repairstudy.rollouts import RolloutCache
from repairstudy.store import read_table
from repairstudy.store.contents import UNHASHED
from repairstudy.store.duckdb import PUBLIC

STAGES = ("screen", "main", "fresh")


class Recomputing:
    """The stages of a study from its records, in a folder of their own."""

    def __init__(
        self,
        config: Mapping[str, Any],
        settings: Settings,
        scripts: str | Path,
        results: str | Path,
        witness: str | Path,
        files: Mapping[str, str | Path],
        folder: str | Path,
    ) -> None:
        self.config, self.settings, self.scripts = config, settings, Path(scripts)
        self.results, self.witness, self.folder = Path(results), Path(witness), Path(folder)
        self.files = files  # tables that are not in the study's folder, by name
        # A study of either kind: `tables` calls what its kind has.
        self.study: Any = parse_study(config, "configuration")
        self.plan = self.results / "preregistration.json"

    def script(self, name: str) -> ModuleType:
        """The script of another rule as a module; its main part is not run."""
        called = f"repairstudy script {name}"
        spec = importlib.util.spec_from_file_location(called, self.scripts / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[called] = module  # dataclasses look their module up there
        spec.loader.exec_module(module)
        return module

    def path(self, name: str) -> Path:
        path = self.folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def paths(self, *names: str) -> dict[str, Path]:
        return {name: self.path(name) for name in names}

    def frame(self, name: str) -> pl.DataFrame:
        return read_table(self.path(name), TABLES[name])

    def positions(self) -> None:
        """Failures and positions from the collected runs, which must be those of the cache.

        Imported runs are imported again.
        """
        elsewhere = [name for name in self.study.deployed if name in self.study.collection.runs]
        for name in elsewhere:
            files = [
                self.path(f"collected/{name}.{table}")
                for table in ("trajectories", "steps", "imported")
            ]
            self.script("import_runs").main(self.config, name, self.plan, *files, io.StringIO())
        runs = [
            (self.folder if name in elsewhere else self.results) / "collected" / name
            for name in self.study.deployed
        ]
        self.script("sample_positions").main(
            self.config,
            [f"{run}.trajectories.parquet" for run in runs],
            [f"{run}.steps.parquet" for run in runs],
            *map(self.path, ("trajectories", "steps", "failed", "positions")),
            [self.path(f"collected/{name}.imported") for name in elsewhere],
            self.path("imported_runs"),
        )
        made_here = self.frame("trajectories")
        if elsewhere:
            imported = self.frame("imported_runs").select("trajectory_id").drop_nulls()
            made_here = made_here.join(imported, on="trajectory_id", how="anti")
        cache = RolloutCache(f"{self.study.cache}/rollouts")
        require_collected(made_here, self.frame("steps"), cache)

    def candidates(self) -> None:
        proposers = sorted(self.study.candidates.proposers)
        self.script("merge_candidates").main(
            self.config,
            self.situations,
            [self.results / "proposals" / f"{name}.parquet" for name in proposers],
            *map(self.path, ("proposals", "candidates", "reachability")),
            io.StringIO(),
        )

    @property
    def situations(self) -> dict[str, Path]:
        return self.paths("trajectories", "steps", "failed", "positions", "candidates", "failures")

    def rollouts(self, stage: str, planner: str) -> None:
        """A stage's work lists made anew, and its rollouts out of the cache."""
        models = sorted({executor.model for executor in self.study.executors.values()})
        lists = [self.path(f"{stage}/{model}") for model in models]
        before = {"rollouts": self.path("main/rollouts")}
        self.script(planner).main(self.config, self.situations | before, models, lists)
        self.script("gather_rollouts").main(
            lists, f"{self.study.cache}/rollouts", self.path(f"{stage}/rollouts")
        )

    def pools(self) -> None:
        self.script("make_pools").main(
            self.config,
            self.path("failed"),
            self.path("candidates"),
            self.path("screen/rollouts"),
            self.path("failures"),
            io.StringIO(),
        )

    def merged(self) -> None:
        policies = sorted((self.results / "policies").glob("*.parquet"))
        self.script("merge_rollouts").main(
            self.config,
            [self.path(f"{stage}/rollouts") for stage in STAGES],
            self.path("candidates"),
            policies,
            f"{self.study.cache}/rollouts",
            self.path("rollouts"),
            self.path("executors"),
            self.path("infrastructure"),
            self.folder / "times.json",
        )
        self.script("exact_values").main(
            self.config, self.situations, self.path("candidates"), policies,
            self.path("exact_values"),
        )  # fmt: skip

    def selections(self) -> None:
        files = self.situations | self.paths("rollouts", "executors")
        self.script("select_repairs").main(
            files,
            self.path("reachability"),
            self.results / "judgements.parquet",
            self.plan,
            *map(self.path, ("scores", "selections", "values")),
        )

    def imported(self) -> None:
        names = (
            "executors", "trajectories", "steps", "failures", "positions", "candidates",
            "proposals", "rollouts", "scores", "selections", "values", "exact_values",
            "infrastructure",
        )  # fmt: skip
        self.script("import_outcomes").main(
            self.config, self.study.outcomes, self.plan, self.paths(*names)
        )

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table that follows from the records."""
        times = None
        if isinstance(self.study, OutcomesConfig):
            self.imported()
        else:
            times = self.folder / "times.json"
            self.positions()
            self.candidates()
            self.rollouts("screen", "plan_screening")
            self.pools()
            self.rollouts("main", "plan_rollouts")
            self.rollouts("fresh", "plan_fresh")
            self.merged()
            self.selections()
        reachability = self.path("reachability")
        self.script("describe_failures").main(
            self.situations,
            reachability if reachability.exists() else None,
            self.path("failure_labels"),
        )
        said = self.results / "llm_labels.parquet"
        asked = getattr(self.study, "labeller", None) is not None
        self.script("compute_statistics").main(
            self.paths(*self.script("compute_statistics").READ)
            | ({"llm_labels": said} if asked else {}),
            self.plan, self.settings, self.witness, times, self.path("results"),
        )  # fmt: skip
        frames = {name: self.frame(name) for name in TABLES if self.path(name).exists()}
        witness = read_witness(self.witness)
        registration = witnessed(
            read_registration(self.plan), witness, first_rollout(times), frames["executors"]
        )
        frames["preregistration"] = to_frame(registration)
        frames["costs"] = costs_of(frames["rollouts"])
        frames |= self.recorded(frames)
        frames["provenance"] = provenance_of(self.config, frames, registration, witness, times)
        return frames

    def recorded(self, computed: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Public tables that do not follow from rollouts, as their rules wrote them."""
        found = {}
        for name in PUBLIC:
            path = Path(self.files.get(name, self.results / f"{name}.parquet"))
            if name not in computed and name not in UNHASHED and path.exists():
                found[name] = read_table(path, TABLES[name])
        return found


def computed_tables(
    config: Mapping[str, Any],
    settings: Settings,
    scripts: str | Path,
    results: str | Path,
    witness: str | Path,
    files: Mapping[str, str | Path],
) -> dict[str, pl.DataFrame]:
    """Every table of the study but `build`, made anew from its records.

    Args:
        config, settings: as the rules have them.
        scripts: folder of the workflow's scripts.
        results: the study's folder; witness: the folder of its records.
        files: tables that lie elsewhere, by name.

    Raises:
        MissingRollouts: the cache lacks some. PlanError: the plan is not the recorded one.
        DataError: collected runs are not those of the cache, or a file is damaged.
    """
    with TemporaryDirectory() as folder:
        tables = Recomputing(config, settings, scripts, results, witness, files, folder).tables()
    return {name: tables.get(name, TABLES[name].empty()) for name in PUBLIC if name != "build"}
