"""The tables of a study that starts from outcomes made elsewhere."""

from __future__ import annotations

import polars as pl

from repairstudy.records import TABLES, canonical_json, digest, generator

ENVIRONMENT = "outcomes"


def outcome_frames(
    rows: pl.DataFrame, deployed: str, pool: str, seed: int
) -> dict[str, pl.DataFrame]:
    """Frames by table name. What a table of outcomes cannot tell is null in them.

    Args:
        rows: checked rows of the outcome table, one a rollout.
    """
    names = rows["executor"].unique().sort().to_list()
    ids = {name: digest({"executor": name, "made": "elsewhere"}) for name in names}
    failures = rows.group_by("failure_id").agg(pl.col("task_id").first()).sort("failure_id")
    return {
        "executors": _executors(ids, deployed),
        "trajectories": _trajectories(failures, ids[deployed]),
        "failures": _fit(
            failures.with_row_index("rank").with_columns(
                pool=pl.lit(pool), trajectory_id="failure_id", rank=pl.col("rank").cast(pl.Int64)
            ),
            "failures",
        ),
        "positions": _positions(rows.filter(pl.col("executor") == deployed), seed),
        "candidates": _candidates(rows),
        "rollouts": _rollouts(rows, ids, deployed),
        "scores": TABLES["scores"].empty(),
    }


def _fit(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """The table's columns; those that the frame lacks are null."""
    schema = TABLES[table].schema
    lacking = [
        pl.lit(None, dtype).alias(c) for c, dtype in schema.items() if c not in frame.columns
    ]
    return frame.with_columns(lacking).select(pl.col(c).cast(t) for c, t in schema.items())


def _executors(ids: dict[str, str], deployed: str) -> pl.DataFrame:
    rows = [
        {
            "executor_id": executor_id,
            "name": name,
            "role": "deployed" if name == deployed else "evaluator",
            "model": name,
            "identity": canonical_json({"executor": name, "made": "elsewhere"}),
        }
        for name, executor_id in ids.items()
    ]
    return _fit(pl.DataFrame(rows), "executors")


def _trajectories(failures: pl.DataFrame, executor_id: str) -> pl.DataFrame:
    frame = failures.with_row_index("order").with_columns(
        trajectory_id="failure_id",
        environment=pl.lit(ENVIRONMENT),
        cluster="task_id",
        executor_id=pl.lit(executor_id),
        success=pl.lit(False),
    )
    return _fit(frame, "trajectories")


def _positions(own: pl.DataFrame, seed: int) -> pl.DataFrame:
    # ASSUME: where a failure has several steps its primary one is drawn by seed, as in a study
    # that samples the steps itself.
    steps = own.group_by("failure_id").agg(pl.col("t").unique().sort()).sort("failure_id")
    rows = [
        {"failure_id": failure, "t": t, "is_primary": t == primary}
        for failure, ts in steps.iter_rows()
        for primary in [int(generator(seed, "positions", failure).permutation(ts)[0])]
        for t in ts
    ]
    return _fit(pl.DataFrame(rows), "positions")


def _candidates(rows: pl.DataFrame) -> pl.DataFrame:
    source = pl.col("sources").explode().str.strip_chars()
    merged = rows.group_by("failure_id", "t", "candidate_id").agg(
        pl.col("is_original").first(), source.filter(source != "").unique().sort()
    )
    return _fit(
        merged.with_columns(action="candidate_id").sort("failure_id", "t", "candidate_id"),
        "candidates",
    )


def _rollouts(rows: pl.DataFrame, ids: dict[str, str], deployed: str) -> pl.DataFrame:
    # ASSUME: a reward of 1 is a success, as in WebShop; of 0/1 outcomes that is the outcome.
    solved = pl.col("outcome") == 1.0
    own = pl.col("executor") == deployed
    frame = rows.with_columns(
        rollout_key=pl.struct(
            "executor", "failure_id", "t", "candidate_id", "replicate"
        ).struct.json_encode(),
        executor_id=pl.col("executor").replace_strict(ids),
        role=pl.when(own).then(pl.lit("label")).otherwise(pl.lit("evaluate")),
        success=solved,
        reward="outcome",
        status=pl.when(solved).then(pl.lit("success")).otherwise(pl.lit("failure")),
        actions=pl.lit([], dtype=pl.List(pl.String)),
    )
    return _fit(frame, "rollouts")
