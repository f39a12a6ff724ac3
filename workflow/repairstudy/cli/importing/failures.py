"""The failures of a study that come from a file of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import polars as pl

from repairstudy.cli.importing.replays import study_of
from repairstudy.cli.importing.shown import plain
from repairstudy.config import StudyConfig
from repairstudy.config.build import environment_of, executor_of
from repairstudy.config.frozen import sha256
from repairstudy.errors import DataError, PlanError
from repairstudy.imported import read_runs
from repairstudy.imported.exported import logged
from repairstudy.imported.replaying import Replayed, replay_run
from repairstudy.imported.tables import File, Wanted, choose, imported_tables
from repairstudy.imported.tasks import Tasks
from repairstudy.rollouts import Collected

LISTED = 5  # runs that a message names


def imported_failures(
    study: StudyConfig, name: str, settings: Mapping[str, Any], progress: TextIO
) -> tuple[Collected, pl.DataFrame]:
    """What stands for the collected failures of a deployed executor.

    Args:
        name: the executor, whose file `collection.runs` names.
        settings: as they are frozen; they hold the hash of the file.

    Returns:
        The failures as if collected, and IMPORTED_RUNS rows, one for each run of the file.

    Raises:
        PlanError: the file is not the one that was frozen with the plan.
        StudyError: it cannot be read, a task is unknown, it has too few failures, or runs that
            are none of this study while `collection.drop_unusable` is false; names them.
    """
    path = study.collection.runs[name]
    found = sha256(path)
    _require_frozen(path, found, name, settings)
    environment = environment_of(study)
    tasks, wanted = Tasks(environment), study_of(study, name)
    replayed = [
        replay_run(environment, tasks, logged(line.run, line.where, line.number), wanted)
        for line in read_runs(path)
    ]
    _require_failures(path, replayed, study.collection.drop_unusable)
    needed = Wanted(study.failures_wanted(name), study.collection.max_per_cluster)
    chosen = choose(environment, replayed, needed)
    _require_enough(path, chosen, needed)
    file = File(path, found, name, executor_of(study, name).executor_id)
    collected, rows = imported_tables(environment, chosen, file)
    taken = collected.trajectories.height
    progress.write(
        f"importing for {name}: {len(replayed)} runs in {path} (SHA-256 {found}), {taken} taken\n"
    )
    return collected, rows


def _require_frozen(path: str, found: str, name: str, settings: Mapping[str, Any]) -> None:
    frozen = settings.get("shared", {}).get("collection", {}).get("runs", {}).get(name)
    if found == "missing":
        raise DataError(path, "there is no such file (collection.runs).")
    if found != frozen:
        raise PlanError(
            f"{path}: SHA-256 {found[:16]}, but {str(frozen)[:16]} is frozen with the plan. Put "
            "the file back, or run the rule `freeze_plan`, which records the change as an "
            "amendment."
        )


def _require_failures(path: str, replayed: Sequence[Replayed], dropping: bool) -> None:
    others = [one for one in replayed if one.verdict != "failure"]
    refused = [one for one in others if one.verdict == "unreadable"] if dropping else others
    if refused:
        told = "\n".join(
            f"  {one.logged.where}, run '{plain(one.logged.name, 40)}': {one.verdict}: "
            f"{plain(one.detail)}"
            for one in refused[:LISTED]
        )
        more = f"\n  and {len(refused) - LISTED} more" if len(refused) > LISTED else ""
        raise DataError(
            path,
            f"{len(refused)} of {len(replayed)} runs are no failures of this study:"
            f"\n{told}{more}\n",
            "`repairstudy import-runs` writes a file of those that are; or set "
            "collection.drop_unusable, and the report lists what is left out.",
        )


def _require_enough(path: str, chosen: Sequence[Replayed], wanted: Wanted) -> None:
    taken = sum(one.verdict == "failure" for one in chosen)
    if taken < wanted.size:
        raise DataError(
            path,
            f"{taken} of its {len(chosen)} runs can be taken as failures, the pools want "
            f"{wanted.size}.",
            "Lower pools.NAME.size (of a screened pool: screen.among), or bring more runs.",
        )
