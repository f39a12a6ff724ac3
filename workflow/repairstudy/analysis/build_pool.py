"""From the tables of a study to the arrays of one pool."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from repairstudy.analysis.behind import pool_rollouts
from repairstudy.analysis.completeness import CELL, require_complete
from repairstudy.analysis.pool import PoolData, is_scored_by_rollouts
from repairstudy.analysis.position_arrays import positions_of
from repairstudy.errors import DataError

Frames = Mapping[str, pl.DataFrame]

# What pools are made of in table rollouts: without the actions, a quarter of its memory.
POOL_COLUMNS = (
    "rollout_key", "executor_id", *CELL, "role", "replicate", "success", "reward", "status",
)  # fmt: skip
USED_ROLES = ("label", "evaluate", "control", "fresh")


def build_pools(frames: Frames, metric: str = "success") -> list[PoolData]:
    """The arrays of every pool of a study, by name; see `build_pool`."""
    return [build_pool(frames, pool, metric) for pool in frames["failures"]["pool"].unique().sort()]


def build_pool(frames: Frames, pool: str, metric: str = "success") -> PoolData:
    """The arrays of one pool.

    Args:
        frames: tables executors, trajectories, failures, positions, candidates, rollouts, scores.
        metric: "success" or "reward", the outcome that values are measured in.

    Raises:
        MissingRollouts: a rollout is lacking or ended in an infrastructure error.
        DataError: the tables contradict each other.
    """
    failures = _failures(frames, pool)
    deployed = _deployed(failures, frames["executors"], pool)
    positions = frames["positions"].join(failures.select("failure_id", "rank"), on="failure_id")
    _require_one_primary(positions, failures, pool)
    candidates = _candidates(frames["candidates"], positions, pool)
    rollouts = _rollouts(frames, candidates, deployed, metric, pool)
    require_complete(rollouts, candidates, pool)
    scores = _scores(frames["scores"].filter(pool=pool), candidates, pool)
    return PoolData(
        name=pool,
        deployed=deployed,
        metric=metric,
        failures=tuple(failures["failure_id"]),
        clusters=tuple(failures["cluster"]),
        positions=tuple(positions_of(candidates, rollouts, scores, deployed)),
        rollouts=pool_rollouts(rollouts, candidates),
    )


def _failures(frames: Frames, pool: str) -> pl.DataFrame:
    failures = frames["failures"].filter(pool=pool)
    joined = failures.join(
        frames["trajectories"].select("trajectory_id", "cluster", "executor_id"),
        on="trajectory_id",
        how="left",
    )
    if joined["cluster"].null_count():
        lost = joined.filter(pl.col("cluster").is_null())["failure_id"][0]
        raise DataError("table failures", f"failure {lost} has no row in trajectories.")
    return joined.sort("rank")


def _deployed(failures: pl.DataFrame, executors: pl.DataFrame, pool: str) -> str:
    ids = failures["executor_id"].unique()
    names = executors.filter(pl.col("executor_id").is_in(ids.to_list()))["name"].to_list()
    if len(ids) != 1 or len(names) != 1:
        raise DataError(
            "table failures",
            f"pool {pool} has failures of {len(ids)} executors, of which {len(names)} are in "
            "table executors; expected one.",
        )
    return str(names[0])


def _require_one_primary(positions: pl.DataFrame, failures: pl.DataFrame, pool: str) -> None:
    primaries = positions.group_by("failure_id").agg(pl.col("is_primary").sum().cast(pl.Int64))
    counted = failures.join(primaries, on="failure_id", how="left").fill_null(0)
    wrong = counted.filter(pl.col("is_primary") != 1)
    if not wrong.is_empty():
        raise DataError(
            "table positions",
            f"failure {wrong['failure_id'][0]} of pool {pool} has {wrong['is_primary'][0]} "
            "primary positions, expected one.",
        )


def _candidates(candidates: pl.DataFrame, positions: pl.DataFrame, pool: str) -> pl.DataFrame:
    """The candidates at positions that have any beside the original."""
    placed = candidates.join(
        positions.select("failure_id", "t", "is_primary", "rank"), on=["failure_id", "t"]
    )
    # ASSUME: a further position where nobody proposed anything new offers no choice and is left
    # out; a primary one may not be, or the pool would depend on what was proposed.
    some = placed.filter(~pl.col("is_original")).select("failure_id", "t").unique()
    bare = positions.filter("is_primary").join(some, on=["failure_id", "t"], how="anti")
    if not bare.is_empty():
        failure, t = bare.sort("failure_id").select("failure_id", "t").row(0)
        raise DataError(
            "table candidates",
            f"failure {failure} of pool {pool} has no candidate at its primary step {t}.",
        )
    return placed.join(some, on=["failure_id", "t"], how="semi")


def _rollouts(
    frames: Frames, candidates: pl.DataFrame, deployed: str, metric: str, pool: str
) -> pl.DataFrame:
    """The pool's rollouts that analyses use: one row each, with the executor's name and outcome."""
    executors = frames["executors"].select("executor_id", executor="name")
    known = candidates.select(*CELL, "is_original")
    positions = known.select("failure_id", "t").unique()
    rollouts = (
        frames["rollouts"]
        .filter(pl.col("role").is_in(USED_ROLES))
        .join(positions, on=["failure_id", "t"], how="semi")
        .join(executors, on="executor_id", how="left")
        .filter((pl.col("role") != "label") | (pl.col("executor") == deployed))
        .join(known, on=CELL, how="left")
        .select(
            *("rollout_key", "role", "executor", *CELL, "replicate", "is_original"),
            finished=pl.col("status") != "infrastructure_error",
            outcome=pl.col(metric).cast(pl.Float64),
            won=pl.col("success").cast(pl.Float64),
        )
    )
    for column, table in (("executor", "executors"), ("is_original", "candidates")):
        lost = rollouts.filter(pl.col(column).is_null())
        if not lost.is_empty():
            raise DataError(
                "table rollouts",
                f"rollout {lost['rollout_key'][0]} of pool {pool} has no row in table {table}.",
            )
    key = ["role", "executor", *CELL, "replicate"]
    if rollouts.n_unique(key) < rollouts.height:
        twice = rollouts.filter(rollouts.select(key).is_duplicated()).sort(key).row(0, named=True)
        found = ", ".join(f"{name} {twice[name]}" for name in key)
        raise DataError("table rollouts", f"pool {pool} has two rollouts of {found}.")
    return rollouts


def _scores(scores: pl.DataFrame, candidates: pl.DataFrame, pool: str) -> pl.DataFrame:
    """Scores of the candidates, each evaluator at all positions or at the primary ones alone.

    Table scores also holds the means of rollouts; the rollouts themselves are here already.
    """
    repairs = candidates.filter(~pl.col("is_original"))
    without = [e for e in scores["evaluator"].unique() if not is_scored_by_rollouts(e)]
    joined = scores.filter(pl.col("evaluator").is_in(without)).join(
        repairs.select(*CELL, "is_primary"), on=CELL
    )
    for rows in joined.partition_by("evaluator"):
        everywhere = bool((~rows["is_primary"]).any())
        wanted = repairs if everywhere else repairs.filter("is_primary")
        lacking = wanted.join(rows, on=CELL, how="anti").sort(CELL)
        if not lacking.is_empty():
            failure, t, candidate = lacking.select(CELL).row(0)
            raise DataError(
                "table scores",
                f"evaluator {rows['evaluator'][0]} of pool {pool} has no score for failure "
                f"{failure}, step {t}, candidate {candidate}.",
                "A candidate that it cannot score has a row with a null score.",
            )
    return joined
