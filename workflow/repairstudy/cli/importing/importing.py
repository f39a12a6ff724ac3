"""Logs read and replayed, as the command asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from repairstudy.cli.importing.replays import study_of
from repairstudy.config import StudyConfig
from repairstudy.config.build import environment_of
from repairstudy.errors import ConfigError
from repairstudy.imported.formats import Reading, logged_runs
from repairstudy.imported.replaying import Comparison, Replayed, replay_run
from repairstudy.imported.tasks import Tasks

EVERY = 1_000  # runs between two lines of progress


@dataclass(frozen=True, slots=True)
class Asked:
    """How logs are read and compared; `executor` is a name of the study."""

    form: str
    reading: Reading
    executor: str
    task_field: str | None = None
    comparison: Comparison = "equal"
    ignored: tuple[re.Pattern[str], ...] = ()
    protocol: str | None = None


def replayed_files(
    config: StudyConfig, files: Sequence[Path], asked: Asked, progress: TextIO
) -> list[Replayed]:
    """Every run of the files, replayed, in their order.

    Raises:
        StudyError: a file cannot be read as a whole, or two runs have the same name.
    """
    logged = [run for path in files for run in logged_runs(path, asked.form, asked.reading)]
    first: dict[str, str] = {}
    for run in logged:
        if run.name in first:
            raise ConfigError(
                f"{run.where}: failure_id: '{run.name}' is that of {first[run.name]} too; give "
                "each run a failure_id of its own, or import the files one by one"
            )
        first[run.name] = run.where
    environment = environment_of(config)
    tasks = Tasks(environment, asked.task_field, asked.ignored)
    study = study_of(config, asked.executor, asked.comparison, asked.ignored, asked.protocol)
    found = []
    for number, run in enumerate(logged, start=1):
        found.append(replay_run(environment, tasks, run, study))
        if number % EVERY == 0:
            progress.write(f"{number:,} of {len(logged):,} runs replayed\n")
    return found
