"""A choice for each failed run, by rollouts of a study's executor and with the study's cache."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from repairstudy.cli.picking.choosing import Drawer, Picked, Settings, pick
from repairstudy.cli.picking.problems import Problem
from repairstudy.cli.picking.rollouts import OwnRollouts
from repairstudy.cli.picking.shown import document, text
from repairstudy.config import StudyConfig
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of, limits_of
from repairstudy.environments import Environment
from repairstudy.rollouts import RolloutCache


def run(
    study: StudyConfig,
    name: str,
    problems: Sequence[Problem],
    environment: Environment,
    settings: Settings,
    progress: TextIO,
) -> tuple[dict[str, Any], str]:
    """The choices as a JSON document and as a table.

    Args:
        name: of the executor that will act.

    Raises:
        StudyError: the executor cannot be made, or its engine failed.
    """
    executor = executor_of(study, name)
    drawer = Drawer(executor.executor_id, environment, study.environment.budget, settings.metric)

    async def choose() -> tuple[list[Picked], int]:
        engine = engine_of(study, study.executors[name].model, _server_log(study))
        try:
            rollouts = OwnRollouts(
                actor_of(study, executor, engine),
                lambda: environment_of(study),
                RolloutCache(f"{study.cache}/rollouts"),
                limits_of(study),
                progress,
                lambda: getattr(engine, "calls", 0),
            )
            found = await pick(problems, settings, drawer, rollouts)
            needed = len(rollouts.asked)
            progress.write(f"{needed:,} rollouts, {rollouts.ran:,} of them run now\n")
            return found, needed
        finally:
            await engine.close()

    found, distinct = asyncio.run(choose())
    about = {"study": study.study, "executor": name, "executor_id": executor.executor_id}
    return document(found, settings, about, distinct), text(found, settings, about)


def _server_log(study: StudyConfig) -> Path:
    """Where a model server of our own writes, if one starts."""
    folder = Path(study.results) / study.study / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "pick.log.server"
