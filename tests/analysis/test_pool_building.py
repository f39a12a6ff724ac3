"""From tables to arrays: every rollout in its place, and none missing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from analysis_worlds import World, wins

from repairstudy.analysis import build_pool, build_pools
from repairstudy.analysis.behind import equals, holds
from repairstudy.analysis.scores import rollout_scores
from repairstudy.errors import DataError, MissingRollouts


def two_failures() -> World:
    world = World()
    for failure in ("f1", "f2"):
        world.failure(failure, cluster="k")
        labels = {"b": wins(1), "a": wins(2)}
        sources = {"a": ["random", "x"], "b": ["x"]}
        world.position(failure, 4, labels, wins(3), sources=sources)
        world.position(failure, 2, labels, wins(0), primary=False)
        for t in (2, 4):
            other = {"a": wins(5, 20), "b": wins(6, 20), "orig": wins(7, 20)}
            world.roll("other", "evaluate", failure, t, other)
            world.roll("dep@greedy", "evaluate", failure, t, {"a": [1, 1], "b": [0, 0]})
        world.roll("near", "evaluate", failure, 4, {"a": [1.0], "b": [0.0]})
        world.roll("dep", "control", failure, 4, {"a": wins(4, 5), "b": wins(3, 5)})
        world.roll("dep", "fresh", failure, 4, {"a": wins(8, 9)})
        world.score("judge", failure, 4, {"a": None, "b": 2.0, "orig": 9.0})
    return world


def test_every_outcome_is_in_its_place() -> None:
    pool = build_pool(two_failures().frames(), "pool")
    assert (pool.failures, pool.clusters, pool.deployed) == (("f1", "f2"), ("k", "k"), "dep")
    assert [(p.failure_id, p.t) for p in pool.positions] == [
        ("f1", 2), ("f1", 4), ("f2", 2), ("f2", 4),
    ]  # fmt: skip
    assert [p.t for p in pool.primary] == [4, 4]
    position = pool.primary[0]
    assert position.candidates == ("a", "b")
    assert position.sources == (("random", "x"), ("x",))
    assert position.outcomes.tolist() == [wins(2), wins(1)]
    assert (position.original.tolist(), position.base) == (wins(3), 0.3)
    assert position.others["other"].tolist() == [wins(5, 20), wins(6, 20)]
    assert position.others_original["other"].tolist() == wins(7, 20)
    assert position.others["dep@greedy"].tolist() == [[1, 1], [0, 0]]
    assert position.control is not None
    assert position.control.sum(axis=1).tolist() == [4, 3]
    assert position.fresh["dep", "a"].tolist() == wins(8, 9)
    np.testing.assert_array_equal(position.scores["judge"], [np.nan, 2.0])
    assert pool.positions[0].control is None
    assert pool.executors == ("dep@greedy", "near", "other")


def test_replicates_are_in_order_whatever_the_order_of_the_rows() -> None:
    frames = two_failures().frames()
    shuffled = frames | {"rollouts": frames["rollouts"].sample(fraction=1.0, shuffle=True, seed=3)}
    for one, two in zip(
        build_pool(frames, "pool").positions, build_pool(shuffled, "pool").positions, strict=True
    ):
        np.testing.assert_array_equal(one.outcomes, two.outcomes)
        np.testing.assert_array_equal(one.others["other"], two.others["other"])


def test_other_roles_never_enter_the_labels() -> None:
    world = two_failures()
    for role in ("screen", "evaluate", "collect"):
        world.roll("dep", role, "f1", 4, {"a": wins(10), "b": wins(10)})
    world.roll("other", "label", "f1", 4, {"a": wins(10), "b": wins(10)})
    frames = world.frames()
    kept = frames["rollouts"].filter(
        (pl.col("role") != "evaluate") | (pl.col("executor_id") != "id-dep")
    )
    position = build_pool(frames | {"rollouts": kept}, "pool").primary[0]
    assert position.outcomes.tolist() == [wins(2), wins(1)]
    assert position.others["other"].shape == (2, 20)


def test_rewards_are_valued_and_successes_kept_beside_them() -> None:
    world = World()
    world.failure("f")
    world.position("f", 0, {"a": [0.5, 1.0, 0.0, 0.25, 0.5, 0.5]}, [0.5] * 6)
    position = build_pool(world.frames(), "pool", "reward").primary[0]
    assert position.outcomes.tolist() == [[0.5, 1.0, 0.0, 0.25, 0.5, 0.5]]
    assert position.successes.tolist() == [[0, 1, 0, 0, 0, 0]]


def test_rollouts_that_failures_share_are_counted_once() -> None:
    frames = two_failures().frames()
    shared = frames["rollouts"].with_columns(pl.col("rollout_key").str.replace("/f2/", "/f1/"))
    pool = build_pool(frames | {"rollouts": shared}, "pool")
    labels, original = equals("role", "label"), holds("is_original")
    primary = labels & holds("is_primary") & holds("is_original", False)
    assert pool.count(primary) == 20
    assert pool.count(labels & original) == 20
    assert build_pool(frames, "pool").count(primary) == 40


def test_each_pool_has_its_own_failures() -> None:
    world = two_failures()
    world.failure("f2", pool="screened")
    both = build_pools(world.frames())
    assert [(pool.name, pool.failures) for pool in both] == [
        ("pool", ("f1", "f2")),
        ("screened", ("f2",)),
    ]
    assert both[1].primary[0].scores == {}


def drop(world: World, **where: object) -> dict[str, pl.DataFrame]:
    """The frames without the rollouts of the given columns."""
    frames = world.frames()
    rows = frames["rollouts"]
    matching = pl.all_horizontal(pl.col(name) == value for name, value in where.items())
    assert rows.filter(matching).height
    return frames | {"rollouts": rows.filter(~matching)}


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            {"role": "label", "failure_id": "f2", "t": 4, "candidate_id": "b", "replicate": 9},
            "executor dep, failure f2, step 4, candidate b: 9 of 10",
        ),
        (
            {"role": "label", "failure_id": "f2", "t": 2, "candidate_id": "orig"},
            "executor dep, failure f2, step 2, candidate orig: 0 of 10",
        ),
        (
            {"executor_id": "id-other", "failure_id": "f1", "t": 2, "candidate_id": "a"},
            "executor other, failure f1, step 2, candidate a: 0 of 20",
        ),
        (
            {"executor_id": "id-other", "failure_id": "f1", "t": 2},
            "executor other, failure f1, step 2, candidate a: 0 of 20",
        ),
        (
            {"executor_id": "id-near", "failure_id": "f1"},
            "executor near, failure f1, step 4, candidate a: 0 of 1",
        ),
        (
            {"role": "control", "failure_id": "f1", "candidate_id": "a", "replicate": 0},
            "executor dep, failure f1, step 4, candidate a: 4 of 5",
        ),
    ],
)
def test_missing_rollouts_are_named(where: dict[str, object], message: str) -> None:
    with pytest.raises(
        MissingRollouts, match=rf"pool pool lacks rollouts \(role .*\n(.*\n)*.*{message}"
    ):
        build_pool(drop(two_failures(), **where), "pool")


@pytest.mark.parametrize("role", ["label", "evaluate", "control", "fresh"])
@pytest.mark.parametrize("failures", [["f1"], ["f1", "f2"]])
def test_an_infrastructure_error_is_a_missing_rollout_not_a_failure(
    role: str, failures: list[str]
) -> None:
    frames = two_failures().frames()
    there = pl.col("failure_id").is_in(failures)
    broken = (pl.col("role") == role) & (pl.col("replicate") == 0) & there
    rows = frames["rollouts"].with_columns(
        status=pl.when(broken).then(pl.lit("infrastructure_error")).otherwise("status"),
        success=pl.when(broken).then(None).otherwise("success"),
    )
    with pytest.raises(MissingRollouts, match=r"failure f1, step \d, candidate \w+: \d+ of"):
        build_pool(frames | {"rollouts": rows}, "pool")


def test_a_pool_without_any_labels_is_refused() -> None:
    with pytest.raises(MissingRollouts, match=r"deployed executor, failure f1.*0 of 1"):
        build_pool(drop(two_failures(), role="label"), "pool")


def test_originals_may_be_missing_altogether() -> None:
    world = World()
    world.failure("f")
    world.position("f", 0, {"a": wins(1)})
    pool = build_pool(world.frames(), "pool")
    assert not pool.has_original
    assert pool.primary[0].base == 0.0


def test_a_replicate_that_appears_twice_is_refused() -> None:
    frames = two_failures().frames()
    twice = frames["rollouts"].filter(role="label").head(1).with_columns(rollout_key=pl.lit("new"))
    with pytest.raises(DataError, match="two rollouts of role label, executor dep, failure_id f1"):
        build_pool(frames | {"rollouts": frames["rollouts"].vstack(twice)}, "pool")


def test_a_rollout_of_an_unknown_candidate_is_refused() -> None:
    frames = two_failures().frames()
    fewer = frames["candidates"].filter(pl.col("candidate_id") != "b")
    with pytest.raises(DataError, match="has no row in table candidates"):
        build_pool(frames | {"candidates": fewer}, "pool")


def test_a_score_that_is_missing_is_not_a_null_score() -> None:
    frames = two_failures().frames()
    fewer = frames["scores"].filter(
        (pl.col("failure_id") != "f2") | (pl.col("candidate_id") != "a")
    )
    with pytest.raises(
        DataError, match="judge of pool pool has no score for failure f2, step 4, candidate a"
    ):
        build_pool(frames | {"scores": fewer}, "pool")


def test_means_of_rollouts_in_table_scores_are_not_read_back() -> None:
    frames = two_failures().frames()
    means = rollout_scores([build_pool(frames, "pool")])
    assert set(means["evaluator"]) == {"executor:other", "executor:near", "greedy"}
    again = build_pool(frames | {"scores": pl.concat([frames["scores"], means])}, "pool")
    assert [set(position.scores) for position in again.primary] == [{"judge"}, {"judge"}]


def test_a_primary_position_without_candidates_is_refused_and_another_left_out() -> None:
    world = World()
    world.failure("f")
    world.position("f", 0, {"a": wins(1)}, wins(1))
    world.position("f", 1, {}, wins(1), primary=False)
    assert [p.t for p in build_pool(world.frames(), "pool").positions] == [0]
    world.failure("g")
    world.position("g", 5, {}, wins(1))
    with pytest.raises(DataError, match="failure g of pool pool has no candidate at its primary"):
        build_pool(world.frames(), "pool")


def test_a_failure_has_one_primary_position() -> None:
    frames = two_failures().frames()
    none = frames["positions"].with_columns(is_primary=pl.lit(False))
    with pytest.raises(DataError, match="failure f1 of pool pool has 0 primary positions"):
        build_pool(frames | {"positions": none}, "pool")


def test_a_pool_of_two_deployed_executors_is_refused() -> None:
    frames = two_failures().frames()
    mixed = frames["trajectories"].with_columns(
        executor_id=pl.when(pl.col("task_id") == "k").then(pl.Series(["id-dep", "id-other"]))
    )
    with pytest.raises(DataError, match="failures of 2 executors"):
        build_pool(frames | {"trajectories": mixed}, "pool")
