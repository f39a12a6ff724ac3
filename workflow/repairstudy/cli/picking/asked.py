"""What the options of `repairstudy pick` mean for one study, checked before rollouts are spent."""

from __future__ import annotations

import os
from pathlib import Path

from repairstudy.analysis.picking import Campaign
from repairstudy.cli.picking.choosing import Settings
from repairstudy.cli.studies import executor_named
from repairstudy.config import StudyConfig
from repairstudy.errors import ConfigError


def settings(
    study: StudyConfig,
    method: str,
    budget: int,
    cost: float,
    confirm: int,
    level: float,
    margin: float,
) -> Settings:
    """The checked numbers.

    Raises:
        ConfigError: one is outside its range.
    """
    at_least_one("--budget", budget)
    at_least_one("--confirm", confirm)
    if not 0.0 < level < 1.0:
        raise ConfigError(f"--level: {level} is not between 0 and 1")
    for option, number in (("--cost", cost), ("--margin", margin)):
        if not 0.0 <= number < 1.0:
            raise ConfigError(f"{option}: {number} is not from 0 to 1")
    return Settings(
        campaign=Campaign(method, budget, cost),
        confirm=confirm,
        level=level,
        margin=margin,
        metric=study.metric,
        seed=study.seed,
    )


def at_least_one(option: str, number: int) -> None:
    if number < 1:
        raise ConfigError(f"{option}: {number} is below 1")


def executor_name(study: StudyConfig, pool: str | None, executor: str | None) -> str:
    """The executor that will act.

    Raises:
        ConfigError: no such pool or executor, or neither is given and several are deployed.
    """
    if pool is not None:
        if pool not in study.pools:
            raise ConfigError(f"--pool: no pool '{pool}' (known: {', '.join(study.pools)})")
        return study.pools[pool].deployed
    return executor_named(study, executor, "--pool or --executor")


def writable(path: str | None) -> Path | None:
    """The file of --json; None: none is asked for, or standard output.

    Raises:
        ConfigError: nobody may write there.
    """
    if path is None or path == "-":
        return None
    out = Path(path)
    if out.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise ConfigError(f"--json {path}: cannot be written")
    return out
