"""Interrupted rollouts are counted by arm: executor, role, and original action or candidates."""

from __future__ import annotations

import polars as pl
from analysis_worlds import sure_world, wins

from repairstudy.analysis.infrastructure import infrastructure_of
from repairstudy.records import TABLES
from repairstudy.store import check


def attempts(rollouts: pl.DataFrame, errors: dict[str, int]) -> pl.DataFrame:
    keys = rollouts["rollout_key"].unique()
    return pl.DataFrame({"rollout_key": keys, "attempt": [errors.get(key, 0) for key in keys]})


def counted(errors: dict[str, int], shared: bool = False) -> dict[tuple[str, str, bool], list[int]]:
    world = sure_world(2)
    world.roll("big", "evaluate", "f0", 0, {"orig": wins(1, 3)})
    frames = world.frames()
    rollouts = frames["rollouts"]
    if shared:
        rollouts = rollouts.with_columns(pl.col("rollout_key").str.replace("/f1/", "/f0/"))
    found = infrastructure_of(
        rollouts, attempts(rollouts, errors), frames["candidates"], frames["executors"]
    )
    check(found, TABLES["infrastructure"], "here")
    return {
        (row["executor"], row["role"], row["is_original"]): [
            row["rollouts"], row["retried"], row["errors"],
        ]
        for row in found.to_dicts()
    }  # fmt: skip


def test_every_arm_is_there_with_its_rollouts_and_no_error() -> None:
    assert counted({}) == {
        ("dep", "label", False): [40, 0, 0],
        ("dep", "label", True): [20, 0, 0],
        ("big", "evaluate", False): [80, 0, 0],
        ("big", "evaluate", True): [3, 0, 0],
    }


def test_errors_count_in_the_arm_that_they_interrupted() -> None:
    found = counted({"dep/label/f0/0/orig/3": 2, "dep/label/f1/0/orig/0": 1,
                     "big/evaluate/f0/0/a/7": 1})  # fmt: skip
    assert found["dep", "label", True] == [20, 2, 3]
    assert found["big", "evaluate", False] == [80, 1, 1]
    assert found["dep", "label", False] == [40, 0, 0]


def test_a_rollout_that_failures_share_counts_once() -> None:
    found = counted({"dep/label/f0/0/a/0": 1}, shared=True)
    assert found["dep", "label", False] == [20, 1, 1]
