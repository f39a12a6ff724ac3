"""What is still to be run, and what a study gets when all of it has been."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_toys import BUDGET, Corridor, HashEngine, actor, run, spec, wanted

from repairstudy.errors import DataError, EngineError, MissingRollouts
from repairstudy.records.tables import ROLLOUTS, WORKLIST
from repairstudy.rollouts import (
    Limits,
    RolloutCache,
    gather,
    missing,
    pending,
    pending_of,
    work_list,
)


@pytest.fixture
def cache(tmp_path):
    return RolloutCache(tmp_path)


def fails_always(call):
    raise EngineError("server gone")


def test_everything_is_missing_from_an_empty_cache(cache):
    rows = wanted()
    todo = missing(rows, cache)
    assert todo.drop("attempt").equals(rows)
    assert todo["attempt"].to_list() == [0] * 30
    assert list(todo.schema) == [*WORKLIST.schema, "attempt"]


def test_what_is_pending_is_made_when_it_is_reached(cache):
    rows = missing(wanted(), cache)
    items = pending(rows, Corridor(), BUDGET)
    keys = rows["rollout_key"].to_list()
    assert len(items) == rows.height
    assert [item.spec.key for item in items] == keys
    other = rows["rollout_key"].reverse()
    half = rows.with_row_index().with_columns(
        pl.when(pl.col("index") < 2).then("rollout_key").otherwise(other).alias("rollout_key")
    )
    reached = iter(pending(half.drop("index"), Corridor(), BUDGET, source="list.parquet"))
    assert [next(reached).spec.key, next(reached).spec.key] == keys[:2]
    with pytest.raises(DataError, match=r"list\.parquet: rollout_key"):
        next(reached)


@given(
    cuts=st.lists(st.integers(0, 30), max_size=8).map(sorted),
    kept=st.sets(st.integers(0, 29)),
)
def test_any_division_of_a_work_list_into_parts_gives_the_same_rollouts(cuts, kept):
    rows = wanted()
    places = pl.DataFrame(
        {"place": sorted(kept), "attempt": [place % 3 for place in sorted(kept)]},
        schema={"place": pl.UInt32, "attempt": pl.Int64},
    )
    parts = [rows[start:end] for start, end in itertools.pairwise([0, *cuts, 30])]
    items = pending_of(lambda: parts, places, Corridor(), BUDGET)
    expected = [(rows["rollout_key"][place], place % 3) for place in sorted(kept)]
    assert len(items) == len(expected)
    for _ in range(2):  # it can be gone through again
        assert [(item.spec.key, item.attempt) for item in items] == expected


def test_keys_alone_tell_what_is_missing_and_where(cache):
    rows = wanted()
    run(rows.filter(pl.col("replicate") < 4), cache)
    todo = missing(rows.select("rollout_key", "executor_id").with_row_index("place"), cache)
    assert rows[todo["place"]].equals(missing(rows, cache).drop("attempt"))


def test_extending_ten_replicates_to_twenty_costs_ten(cache):
    engine = HashEngine()
    run(wanted(10), cache, actor(engine))
    first_ten, calls = cache.read(), engine.calls
    assert missing(wanted(10), cache).is_empty()
    todo = missing(wanted(20), cache)
    assert sorted(todo["replicate"].to_list()) == sorted([*range(10, 20)] * 3)
    assert run(todo, cache, actor(engine)).done == 30
    assert engine.calls > calls
    kept = cache.read().join(first_ten, on="rollout_key", how="semi")
    assert kept.equals(first_ten)


def test_other_roles_and_executors_share_no_rollouts(cache):
    run(wanted(2), cache)
    assert missing(wanted(2, role="evaluate"), cache).height == 6
    assert missing(wanted(2, actor(temperature=0.3)), cache).height == 6


def test_infrastructure_errors_are_missing_with_the_number_of_their_next_attempt(cache):
    run(wanted(1), cache, actor(HashEngine(fault=fails_always)), limits=Limits(retries=0))
    assert missing(wanted(1), cache)["attempt"].to_list() == [1, 1, 1]
    run(wanted(1), cache)
    assert missing(wanted(1), cache).is_empty()
    assert cache.read()["attempt"].to_list() == [1, 1, 1]


def test_two_failures_that_share_a_rollout_run_it_once_and_both_get_it(cache):
    rows = work_list(
        [spec().to_row("toy", failure, 2, f"{failure}-2-wait") for failure in ("f0", "f1")]
    )
    assert missing(rows, cache).height == 1
    run(rows, cache)
    found = gather(rows, cache)
    assert found["failure_id"].to_list() == ["f0", "f1"]
    assert found["rollout_key"].n_unique() == 1


def test_gather_gives_the_outcomes_in_the_order_of_the_work_list(cache):
    rows = wanted(3).sample(fraction=1.0, shuffle=True, seed=1)
    run(rows, cache)
    found = gather(rows, cache)
    assert dict(found.schema) == ROLLOUTS.schema
    names = ["rollout_key", "failure_id", "t", "candidate_id", "replicate", "executor_id"]
    assert found.select(names).equals(rows.select(names))
    outcomes = cache.read().select("rollout_key", "success", "reward", "steps", "actions")
    assert found.select(outcomes.columns).sort("rollout_key").equals(outcomes)


def test_gather_leaves_collected_runs_to_the_trajectories(cache):
    collected = spec(prefix=(), forced=None, role="collect").to_row("toy")
    run(wanted(1), cache)
    rows = work_list([collected, *wanted(1).iter_rows(named=True)])
    assert gather(rows, cache).height == 3


def test_missing_rollouts_are_counted_by_executor_and_role_with_the_command(cache):
    run(wanted(1), cache)
    rows = wanted(4).vstack(wanted(2, role="evaluate"))
    with pytest.raises(MissingRollouts) as caught:
        gather(rows, cache, command="snakemake --cores 2 all")
    assert str(caught.value) == (
        "15 of 18 rollouts are missing (toy, role evaluate: 6; toy, role label: 9). "
        "To run them: snakemake --cores 2 all"
    )


def test_infrastructure_errors_are_missing_and_their_cause_is_told(cache):
    run(wanted(1), cache, actor(HashEngine(fault=fails_always)), limits=Limits(retries=0))
    with pytest.raises(MissingRollouts) as caught:
        gather(wanted(1), cache)
    assert str(caught.value) == (
        "3 of 3 rollouts are missing (toy, role label: 3). 3 of them ended in infrastructure "
        "errors, the last: EngineError: server gone. To run them: snakemake --cores all"
    )
