"""What a study that has begun knows better than any assumption: its work lists and the cache."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import polars as pl

from repairstudy.cli.predicted.costs import Cost
from repairstudy.config import StudyConfig
from repairstudy.config.build import executor_of
from repairstudy.errors import DataError, StudyError
from repairstudy.records.tables import WORKLIST
from repairstudy.report import load_frames
from repairstudy.rollouts import RolloutCache, missing
from repairstudy.store import read_table

STAGES = ("screen", "main", "fresh")
QUANTITIES = ("rollouts", "steps", "tokens_in", "tokens_out")


def with_plans(study: StudyConfig, costs: Iterable[Cost]) -> list[Cost]:
    """The same costs, with what is done already, and the rollouts as far as they are planned.

    A stage's rollouts are those of its work lists where these exist; steps and tokens follow in
    proportion. What the cache holds of them is counted. Without a work list, rollouts of the same
    executor there count as this study's, as far as it wants that many.
    """
    cache = RolloutCache(f"{study.cache}/rollouts")
    lists = {stage: _planned(study, stage) for stage in STAGES}
    costs = [
        cost if (rows := lists.get(cost.stage)) is None else _as_planned(cost, rows, cache)
        for cost in costs
    ]
    return _with_unplanned_cached(study, costs, cache)


def _as_planned(cost: Cost, rows: pl.DataFrame, cache: RolloutCache) -> Cost:
    here = rows.filter(executor=cost.who, role=cost.role)
    share = here.height / cost.rollouts if cost.rollouts else 0.0
    scaled = {name: getattr(cost, name) * share for name in (*QUANTITIES[1:], "calls")}
    cached = here.height - missing(here, cache).height
    return replace(cost, rollouts=here.height, cached=cached, planned=True, **scaled)


def _planned(study: StudyConfig, stage: str) -> pl.DataFrame | None:
    """The work lists of a stage, each rollout once; None: it has none yet."""
    files = sorted((Path(study.results) / study.study / "work" / stage).glob("*.parquet"))
    columns = ("executor", "executor_id", "role")  # with the others, many times as large
    lists = [read_table(path, WORKLIST, columns) for path in files if path.stem in study.models]
    return pl.concat(lists).unique("rollout_key") if lists else None


def _with_unplanned_cached(
    study: StudyConfig, costs: list[Cost], cache: RolloutCache
) -> list[Cost]:
    left: dict[str, float] = {}
    found = []
    for cost in costs:
        if _written(study, cost):
            found.append(replace(cost, cached=cost.rollouts))
            continue
        if cost.planned or not cost.role:  # counted already, or no rollouts
            found.append(cost)
            continue
        if cost.who not in left:
            planned = sum(one.cached for one in costs if one.planned and one.who == cost.who)
            left[cost.who] = _cached_of(study, cost.who, cache) - planned
        cached = max(0.0, min(cost.rollouts, left[cost.who]))
        left[cost.who] -= cached
        found.append(replace(cost, cached=cached))
    return found


def _written(study: StudyConfig, cost: Cost) -> bool:
    """Whether the study has the file that this part writes."""
    files = {
        "distributions": f"policies/{cost.who}.parquet",
        "collect": f"collected/{cost.who}.trajectories.parquet",
        "propose": f"proposals/{cost.who}.parquet",
        "judge": "judgements.parquet",
    }
    name = files.get(cost.stage)
    return name is not None and (Path(study.results) / study.study / name).exists()


def _cached_of(study: StudyConfig, executor: str, cache: RolloutCache) -> int:
    try:
        executor_id = executor_of(study, executor).executor_id
    except StudyError:  # its weights or its server are not there yet: neither are its rollouts
        return 0
    return cache.index([executor_id]).filter(pl.col("status") != "infrastructure_error").height


def used(database: str | Path) -> pl.DataFrame:
    """What a finished study's rollouts took: columns who, role and QUANTITIES.

    Raises:
        DataError: the database has no table `costs` or `executors`.
    """
    frames = load_frames(database)
    for name in ("costs", "executors"):
        if name not in frames:
            raise DataError(database, f"table {name} is missing.", "Build the database again.")
    named = frames["executors"].select("executor_id", who="name")
    return (
        frames["costs"]
        .join(named, on="executor_id", validate="m:1")
        .select("who", "role", *QUANTITIES)
        .sort("who", "role")
    )
