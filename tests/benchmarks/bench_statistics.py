"""Selection with statistics, and the database, at a million rollouts."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import duckdb
import numpy as np
import polars as pl

from repairstudy.analysis import Plan, PoolData, analyse, build_pool, register, select
from repairstudy.records import TABLES
from repairstudy.store import build_database

FAILURES, POSITIONS, CANDIDATES = 1560, 3, 6
LABELS, OTHER, SPLITS = 10, 20, 50
T = TypeVar("T")

BASELINE_SHARE = 20  # the baseline runs on one failure in 20 and is scaled


def run() -> list[dict[str, object]]:
    """CPU seconds of statistics (pool, selections, values, results) and of the whole database."""
    frames = a_million_rollouts()
    rows = frames["rollouts"].height
    seconds, pool = timed(lambda: build_pool(frames, "pool"))
    more, _ = timed(lambda: statistics(pool))
    with tempfile.TemporaryDirectory() as folder:
        database, _ = timed(lambda: build_database(Path(folder) / "ours.duckdb", frames))
        path = Path(folder) / "rollouts.parquet"
        frames["rollouts"].write_parquet(path)
        plain, _ = timed(lambda: plain_database(Path(folder) / "plain.duckdb", path))
    loop, _ = timed(lambda: published_values(pool))
    return [
        figure(
            "statistics_1m_s",
            seconds + more,
            f"of {rows} rollouts, the values of matched and own_1..5 alone by {SPLITS} random "
            f"splits in a loop (one position in {BASELINE_SHARE}, scaled)",
            loop * BASELINE_SHARE,
        ),
        figure(
            "database_1m_s",
            database,
            f"CREATE TABLE of {rows} rollouts from Parquet, unchecked and unsorted",
            plain,
        ),
    ]


def statistics(pool: PoolData) -> pl.DataFrame:
    plan = Plan.model_validate({"study": "bench", "date": "2026-11-29"})
    frozen = register(plan, at=datetime.now(UTC), commit="unknown", rollouts_exist=False)
    return analyse([pool], select(pool).values, frozen)


def published_values(pool: PoolData) -> list[float]:
    """Cross-fit values by random splits, one position, budget and split at a time."""
    rng = np.random.default_rng(1)
    found = []
    for position in pool.positions[::BASELINE_SHARE]:
        n = position.outcomes.shape[1]
        for m in (5, 1, 2, 3, 4, 5):
            total = 0.0
            for _ in range(SPLITS):
                order = rng.permutation(n)
                chosen = position.outcomes[:, order[:m]].mean(axis=1)
                rest = position.outcomes[:, order[m:]].mean(axis=1)
                total += rest[chosen == chosen.max()].mean()
            found.append(total / SPLITS - position.base)
    return found


def plain_database(path: Path, parquet: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE TABLE rollouts AS SELECT * FROM read_parquet('{parquet}')")


def a_million_rollouts() -> dict[str, pl.DataFrame]:
    """Two evaluators beside the deployed executor, three positions a failure, 520 tasks."""
    rng = np.random.default_rng(20261129)
    failures = pl.DataFrame({"failure": np.arange(FAILURES)}).select(
        failure_id=pl.format("f{}", "failure"), task=pl.format("k{}", pl.col("failure") // 3)
    )
    positions = failures.join(pl.DataFrame({"t": range(POSITIONS)}), how="cross")
    arms = positions.join(pl.DataFrame({"arm": range(CANDIDATES + 1)}), how="cross").with_columns(
        candidate_id=pl.format("c{}", "arm"), is_original=pl.col("arm") == CANDIDATES
    )
    rates = rng.beta(0.6, 1.4, arms.height)
    runs = [
        ("dep", "label", LABELS, rates),
        ("big", "evaluate", OTHER, (rates + rng.beta(0.6, 1.4, arms.height)) / 2),
    ]
    rollouts = pl.concat(_rollouts(rng, arms, *run) for run in runs)
    frames = {
        "executors": pl.DataFrame(
            {"executor_id": ["dep", "big"], "name": ["dep", "big"], "role": ["deployed", "other"]}
        ).with_columns(model="name", identity=pl.lit("{}")),
        "trajectories": failures.with_row_index("order").select(
            trajectory_id="failure_id", environment=pl.lit("bench"), task_id="task",
            cluster="task", executor_id=pl.lit("dep"), success=pl.lit(False), order="order",
        ),
        "failures": failures.with_row_index("rank").select(
            "failure_id", "rank", pool=pl.lit("pool"), trajectory_id="failure_id"
        ),
        "positions": positions.select("failure_id", "t", is_primary=pl.col("t") == 0),
        "candidates": arms.select(
            "candidate_id", "failure_id", "t", "is_original", action="candidate_id",
            sources=pl.concat_list(pl.format("source{}", pl.col("arm") % 3)),
        ),
        "rollouts": rollouts,
        "scores": TABLES["scores"].empty(),
    }  # fmt: skip
    return {name: _fit(frame, name) for name, frame in frames.items()}


def _rollouts(
    rng: np.random.Generator,
    arms: pl.DataFrame,
    executor: str,
    role: str,
    n: int,
    rates: np.ndarray,
) -> pl.DataFrame:
    won = rng.random((arms.height, n)) < rates[:, None]
    place = np.repeat(np.arange(arms.height), n)
    return arms.select("failure_id", "t", "candidate_id")[place].with_columns(
        rollout_key=pl.format(f"{executor}-{{}}", pl.int_range(pl.len())),
        executor_id=pl.lit(executor),
        role=pl.lit(role),
        replicate=pl.Series(np.tile(np.arange(n), arms.height)),
        success=pl.Series(won.ravel()),
        reward=pl.Series(won.ravel().astype(float)),
        status=pl.Series(won.ravel()).replace_strict({True: "success", False: "failure"}),
        actions=pl.lit([], dtype=pl.List(pl.String)),
    )


def _fit(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    schema = TABLES[name].schema
    lacking = {c: pl.lit(None, dtype) for c, dtype in schema.items() if c not in frame.columns}
    return frame.with_columns(**lacking).select(pl.col(c).cast(d) for c, d in schema.items())


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def figure(name: str, value: float, baseline: str, plain: float) -> dict[str, object]:
    return {
        "figure": name,
        "value": round(value, 3),
        "unit": "s of CPU",
        "baseline": f"{baseline}: {plain:.2f} s",
        "ratio": round(plain / value, 3),
    }
