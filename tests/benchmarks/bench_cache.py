"""Finding out which of a million wanted rollouts a cache of a million lacks.

Measured against the plain way: read every row into a dictionary, then ask it key by key.
"""

from __future__ import annotations

import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.records import generator
from repairstudy.records.tables import CACHED_ROLLOUTS, WORKLIST
from repairstudy.rollouts import RolloutCache, missing
from repairstudy.rollouts.shards import list_shards, write_shard

CACHED, NEW, SHARDS = 1_000_000, 100_000, 25
EXECUTOR_ID = "e" * 32


def random_keys(number: int) -> list[str]:
    text = generator("bench cache").bytes(16 * number).hex()
    return [text[at : at + 32] for at in range(0, len(text), 32)]


def fill(folder: Path, keys: list[str]) -> None:
    """A cache with a rollout of eight actions for each key."""
    rows = pl.DataFrame({"rollout_key": keys}).with_columns(
        executor_id=pl.lit(EXECUTOR_ID),
        seed=pl.int_range(pl.len()),
        attempt=pl.lit(0, pl.Int64),
        status=pl.lit("success"),
        success=pl.lit(True),
        reward=pl.lit(1.0),
        steps=pl.lit(8, pl.Int64),
        invalid_actions=pl.lit(0, pl.Int64),
        tokens_in=pl.lit(320, pl.Int64),
        tokens_out=pl.lit(8, pl.Int64),
        actions=pl.lit(["up", "left"] * 4),
        cause=pl.lit(None, pl.String),
        finished=pl.lit(datetime(2026, 1, 1, tzinfo=UTC)),
    )
    lacking = {c: t for c, t in CACHED_ROLLOUTS.schema.items() if c not in rows.columns}
    rows = rows.with_columns(**{c: pl.lit(None, dtype) for c, dtype in lacking.items()})
    size = len(keys) // SHARDS
    for part in rows.select(*CACHED_ROLLOUTS.schema).iter_slices(size):
        write_shard(folder / EXECUTOR_ID, part)


def wanted(keys: list[str]) -> pl.DataFrame:
    rows = pl.DataFrame({"rollout_key": keys}).with_columns(
        executor=pl.lit("toy"),
        executor_id=pl.lit(EXECUTOR_ID),
        task_id=pl.lit("layout-000"),
        failure_id=pl.lit("f0"),
        t=pl.lit(4, pl.Int64),
        candidate_id=pl.lit("c0"),
        prefix=pl.lit(["up", "left"] * 2),
        forced=pl.lit("up"),
        signature=pl.lit("s"),
        observation=pl.lit("o"),
        role=pl.lit("label"),
        replicate=pl.lit(0, pl.Int64),
    )
    return rows.select(*WORKLIST.schema)


def dictionary_loop(folder: Path, rows: pl.DataFrame, executor_id: str = EXECUTOR_ID) -> int:
    """The plain way; how many rollouts are missing."""
    known = {}
    for path in list_shards(folder / executor_id):
        for row in pl.read_parquet(path).iter_rows(named=True):
            known[row["rollout_key"]] = row["status"]
    return sum(known.get(key) in (None, "infrastructure_error") for key in rows["rollout_key"])


def run() -> list[dict[str, Any]]:
    """The figure `cache_lookup_1m_s`; ratio: dictionary loop to this cache."""
    keys = random_keys(CACHED + NEW)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, keys[:CACHED])
        rows = wanted(keys[NEW:])
        start = time.process_time()
        found = missing(rows, RolloutCache(folder)).height
        ours = time.process_time() - start
        start = time.process_time()
        expected = dictionary_loop(folder, rows)
        theirs = time.process_time() - start
    assert found == expected == NEW
    return [
        {
            "figure": "cache_lookup_1m_s",
            "value": round(ours, 2),
            "unit": "s of CPU, from opening the folder to the rows still to be run",
            "baseline": f"reading all rows into a dictionary and asking it by key: {theirs:.2f} s",
            "ratio": round(theirs / ours, 1),
        }
    ]


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line))
