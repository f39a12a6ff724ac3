"""The options of ALFWorld, and which of them are possible."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from repairstudy.environments.alfworld.games import TASK_TYPES
from repairstudy.environments.alfworld.process import REAL_ENGINE, WorkerSettings
from repairstudy.environments.alfworld.workers import PoolSettings
from repairstudy.environments.option_checks import (
    check_choice,
    check_names,
    check_text,
    check_whole,
    is_number,
    refused,
)

COUNTS = ("open_games", "games_per_worker", "worker_memory_mb", "worker_address_space_mb", "memo")


@dataclass(frozen=True, slots=True)
class Options:
    """Which games are played, and what playing them may use.

    Attributes:
        games: folder of game files.
        splits: names of its sub-folders to take games from.
        task_types: types of task to take.
        limit: number of games, spread over types and scenes; None takes all.
        workers: worker processes; None takes one for each core this process may use.
        translations: folder where translated games are kept between jobs; None keeps none.
        open_games: games that one worker holds open.
        games_per_worker: games a worker opens before it is replaced.
        worker_memory_mb: what a worker may hold before it is replaced.
        worker_address_space_mb: what a worker may ask for before it fails.
        start_timeout_s: time for starting a worker, on a slow shared disk for example.
        step_timeout_s: time for opening, stepping or describing before a worker counts as hung.
        plan_timeout_s: time for a plan.
        memo: transitions kept in memory.
        engine: the engine's class, as "module:name"; another one is for tests.
    """

    games: str = "resources/alfworld/official"
    splits: tuple[str, ...] = ("valid_unseen",)
    task_types: tuple[str, ...] = TASK_TYPES
    limit: int | None = None
    workers: int | None = None
    translations: str | None = "results/cache/alfworld"
    open_games: int = 32
    games_per_worker: int = 300
    worker_memory_mb: int = 1024
    worker_address_space_mb: int = 4096
    start_timeout_s: float = 120.0
    step_timeout_s: float = 60.0
    plan_timeout_s: float = 60.0
    memo: int = 200_000
    engine: str = REAL_ENGINE

    def pool_settings(self) -> PoolSettings:
        worker = WorkerSettings(
            engine=self.engine,
            translations=self.translations,
            open_games=self.open_games,
            address_space=self.worker_address_space_mb << 20,
        )
        return PoolSettings(
            worker=worker,
            size=self.workers or len(os.sched_getaffinity(0)),
            start_seconds=self.start_timeout_s,
            games_per_worker=self.games_per_worker,
            memory_per_worker=self.worker_memory_mb << 20,
        )


def parse_options(given: Mapping[str, Any]) -> Options:
    """Checked options.

    Raises:
        ConfigError: an unknown option, a wrong type, or an impossible value.
    """
    check_names(given, Options)
    options = Options(**given)
    check_text("games", options.games)
    check_text("engine", options.engine)
    if options.translations is not None:
        check_text("translations", options.translations, "a folder, or null")
    for name in ("limit", "workers"):
        if getattr(options, name) is not None:
            check_whole(name, getattr(options, name), more=", or null")
    for name in COUNTS:
        check_whole(name, getattr(options, name))
    for name in ("start_timeout_s", "step_timeout_s", "plan_timeout_s"):
        value = getattr(options, name)
        if not is_number(value) or value <= 0:
            raise refused(name, value, "a number of seconds above 0")
    return replace(
        options,
        splits=_names("splits", options.splits, None),
        task_types=_names("task_types", options.task_types, TASK_TYPES),
    )


def _names(name: str, value: Any, accepted: tuple[str, ...] | None) -> tuple[str, ...]:
    """A list of different names, sorted: their order means nothing."""
    listed = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if not listed or not value or len(set(value)) != len(value):
        raise refused(name, value, "a list of different names")
    if accepted is not None:
        for item in value:
            check_choice(name, item, accepted)
    return tuple(sorted(value))
