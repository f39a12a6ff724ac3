"""The cache: its union, its checks, and what survives damage, a full disk, and other jobs."""

from __future__ import annotations

import errno
import itertools
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_toys import error_row, put, row, temporary_files

from repairstudy.errors import DataError
from repairstudy.records import shards
from repairstudy.records.tables import CACHED_ROLLOUTS
from repairstudy.rollouts import RolloutCache

LATER = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture
def cache(tmp_path: Path) -> RolloutCache:
    return RolloutCache(tmp_path / "rollouts")


def put_raw(cache: RolloutCache, frame: pl.DataFrame, name: str = "made-elsewhere") -> Path:
    path = cache.folder / "e0" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(path)
    return path


def frame(*rows: dict) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=CACHED_ROLLOUTS.schema, orient="row")


def test_an_absent_or_empty_cache_has_no_rollouts(cache):
    assert cache.read().equals(CACHED_ROLLOUTS.empty())
    assert cache.read(["e0"]).schema == CACHED_ROLLOUTS.schema
    assert cache.index(["e0"]).is_empty()
    assert (cache.executor_ids(), cache.prune(), cache.compact()) == ((), 0, 0)


def test_rows_come_back_as_they_went_in_by_key(cache):
    rows = [row(rollout_key=key, reward=0.25, success=False, status="failure") for key in "cab"]
    put(cache, *rows)
    assert cache.read().equals(frame(*rows).sort("rollout_key"))


def test_a_read_is_the_union_of_all_shards_of_the_executors_asked_for(cache):
    put(cache, row(rollout_key="a"))
    put(cache, row(rollout_key="b"))
    with cache.writer() as writer:
        writer.add(row(rollout_key="c", executor_id="e1"))
        writer.add(row(rollout_key="d", executor_id="e2"))
    assert cache.executor_ids() == ("e0", "e1", "e2")
    assert cache.read()["rollout_key"].to_list() == ["a", "b", "c", "d"]
    assert cache.read(["e2", "e0"])["rollout_key"].to_list() == ["a", "b", "d"]
    assert sorted(cache.index(["e2", "e0"])["rollout_key"]) == ["a", "b", "d"]


def test_identical_duplicates_count_once_whenever_they_finished(cache):
    put(cache, row())
    put(cache, row(finished=LATER))
    put(cache, row(attempt=2, finished=LATER))
    for found in (cache.read(), cache.index()):
        assert found.height == 1
        assert found["attempt"].item() == 0
        assert found["finished"].item() == row()["finished"]


@pytest.mark.parametrize(
    "change",
    [
        {"reward": 0.5},
        {"success": False, "status": "failure"},
        {"actions": ["left", "wait"]},
        {"tokens_in": 21},
        {"seed": 2},
        {"invalid_actions": 1},
    ],
)
def test_a_duplicate_with_another_outcome_names_both_shards_and_the_key(cache, change):
    first = put(cache, row(), row(rollout_key="other"))
    second = put(cache, row(**change, finished=LATER))
    for look in (cache.read, cache.index):
        with pytest.raises(DataError, match="rollout k0 has") as caught:
            look()
        assert str(first) in str(caught.value)
        assert str(second) in str(caught.value)
        assert any(f"has {name} " in str(caught.value) for name in change)


def test_a_contradiction_within_one_shard_is_found_too(cache):
    put(cache, row(), row(tokens_in=21))
    with pytest.raises(DataError, match="rollout k0 has tokens_in 21 here, but 20 in"):
        cache.read()


def test_a_finished_rollout_supersedes_infrastructure_errors_and_later_ones_earlier(cache):
    put(cache, error_row(attempt=5, finished=LATER), error_row(rollout_key="k1", cause="early"))
    put(cache, row(attempt=3), error_row(rollout_key="k1", attempt=5, cause="late"))
    found = {each["rollout_key"]: each for each in cache.read().iter_rows(named=True)}
    assert found["k0"] == row(attempt=3)
    assert (found["k1"]["attempt"], found["k1"]["cause"]) == (5, "late")
    index = dict(cache.index().select("rollout_key", "status").iter_rows())
    assert index == {"k0": "success", "k1": "infrastructure_error"}


def test_two_infrastructure_errors_of_one_rollout_do_not_contradict(cache):
    put(cache, error_row(cause="time-out"))
    put(cache, error_row(cause="broken pipe", finished=LATER))
    assert cache.read().height == 1


@pytest.mark.parametrize("where", [0.0, 0.3, 0.7, 0.99])
def test_a_shard_truncated_at_any_byte_is_named(cache, where):
    put(cache, row(rollout_key="whole"))
    path = put(cache, row())
    size = path.stat().st_size
    for cut in {int(size * where), size - 1, 3}:
        data = path.read_bytes()
        path.write_bytes(data[:cut])
        for look in (cache.read, cache.index):
            with pytest.raises(DataError, match=r"truncated or damaged.*Delete the file") as caught:
                look()
            assert caught.value.path == str(path)
        path.write_bytes(data)


def test_a_damaged_byte_anywhere_is_noticed(cache):
    path = put(cache, row())
    data = path.read_bytes()
    for position in range(0, len(data), 97):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        with pytest.raises(DataError, match="damaged"):
            cache.index()


def test_a_file_that_is_no_parquet_is_named_whatever_it_is_called(cache):
    path = put_raw(cache, frame(row()))
    for data in (b"", b"PAR1", b"hello world, this is no table", path.read_bytes()[:-9]):
        path.write_bytes(data)
        with pytest.raises(DataError, match="not a readable Parquet file") as caught:
            cache.read()
        assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("drift", "message"),
    [
        (lambda f: f.drop("tokens_in"), "column 'tokens_in' is missing"),
        (lambda f: f.with_columns(speed=pl.lit(1.0)), "column 'speed' is unknown"),
        (
            lambda f: f.with_columns(pl.col("steps").cast(pl.Float64)),
            "column 'steps' is Float64, expected Int64",
        ),
    ],
)
def test_schema_drift_names_file_and_column(cache, drift, message):
    path = put_raw(cache, drift(frame(row())))
    for look in (cache.read, cache.index):
        with pytest.raises(DataError, match=re.escape(message)) as caught:
            look()
        assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"reward": 1.01}, "reward is 1.01, must be within [0, 1]"),
        ({"reward": float("nan")}, "reward is nan, must be within [0, 1]"),
        ({"reward": None}, "reward is None, must be null exactly if status is infra"),
        ({"success": None}, "success is None, must be null exactly if"),
        ({"success": False}, "success is False, must be true exactly if status is success"),
        ({"status": "done"}, "status is 'done', must be one of success, failure"),
        ({"steps": 3}, "steps is 3, must be the number of actions"),
        ({"invalid_actions": 3}, "invalid_actions is 3, must be within [0, steps]"),
        ({"tokens_in": -1}, "tokens_in is -1, must be at least 0"),
        ({"attempt": -1}, "attempt is -1, must be at least 0"),
        ({"executor_id": "e9"}, "executor_id is 'e9', must be that of the folder"),
        ({"seed": None}, "column 'seed' has nulls"),
    ],
)
def test_a_value_out_of_range_names_file_rollout_and_column(cache, values, message):
    path = put_raw(cache, frame(row(rollout_key="fine"), row(**values)))
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        cache.read()
    assert caught.value.path == str(path)
    assert "k0" in str(caught.value) or "nulls" in message


def test_an_infrastructure_error_has_no_outcome(cache):
    put_raw(cache, frame({**error_row(), "reward": 0.0}))
    with pytest.raises(DataError, match=r"reward is 0\.0, must be null exactly if"):
        cache.read()


def test_columns_in_another_order_are_the_same_table(cache):
    put_raw(cache, frame(row()).select(reversed(list(CACHED_ROLLOUTS.schema))))
    assert cache.read().equals(frame(row()))


def test_temporary_files_are_ignored_and_pruned_when_stale(cache):
    put(cache, row())
    folder = cache.folder / "e0"
    fresh, stale = folder / ".a.parquet.tmp", folder / ".b.parquet.tmp"
    for path in (fresh, stale):
        path.write_bytes(b"half a sh")
    os.utime(stale, (time.time() - 7200,) * 2)
    assert cache.read().height == 1
    assert cache.prune() == 1
    assert temporary_files(folder) == [fresh]


def test_the_writer_flushes_by_number_and_by_age(cache):
    writer = cache.writer(flush_rows=3, flush_s=0.0)
    writer.add(row(rollout_key="a"))
    writer.add(row(rollout_key="b"))
    assert cache.read().is_empty()
    writer.add(row(rollout_key="c"))
    assert cache.read().height == 3
    writer.add(row(rollout_key="d"))
    assert cache.read().height == 3
    writer.flush_if_due()
    assert cache.read().height == 4
    writer.flush_if_due()
    assert len(shards.list_shards(cache.folder / "e0")) == 2


def test_the_writer_waits_for_the_age_it_was_given(cache):
    writer = cache.writer(flush_s=60.0)
    writer.add(row())
    writer.flush_if_due()
    assert cache.read().is_empty()


def test_leaving_the_writer_by_an_error_keeps_what_was_added(cache):
    def job():
        with cache.writer() as writer:
            writer.add(row())
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        job()
    assert cache.read().height == 1


@pytest.mark.parametrize("failing", ["fsync", "replace", "open"])
def test_a_full_disk_loses_nothing_and_the_rows_can_be_written_later(cache, failing, monkeypatch):
    put(cache, row(rollout_key="before"))

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    writer = cache.writer()
    writer.add(row(rollout_key="a"))
    writer.add(row(rollout_key="b", executor_id="e1"))
    with monkeypatch.context() as patch:
        patch.setattr(*{
            "fsync": (shards.os, "fsync"), "replace": (Path, "replace"), "open": (Path, "open"),
        }[failing], full)  # fmt: skip
        with pytest.raises(DataError, match=r"1 finished rollouts cannot be written \(No space"):
            writer.flush()
    assert cache.read()["rollout_key"].to_list() == ["before"]
    assert temporary_files(cache.folder) == []
    writer.flush()
    assert cache.read()["rollout_key"].to_list() == ["a", "b", "before"]


@settings(max_examples=25, deadline=None)
@given(
    shards_of=st.lists(
        st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2)), min_size=1, max_size=6),
        max_size=5,
    )
)
def test_any_division_into_shards_gives_one_row_a_rollout(shards_of):
    """Shards hold finished rollouts (of an even letter) and errors by key and attempt."""
    with TemporaryDirectory() as folder:
        cache = RolloutCache(folder)
        for rows in shards_of:
            put(cache, *(row(rollout_key=key, attempt=attempt) if key in "ace"
                         else error_row(rollout_key=key, attempt=attempt)
                         for key, attempt in rows))  # fmt: skip
        attempts: dict[str, list[int]] = {}
        for key, attempt in itertools.chain.from_iterable(shards_of):
            attempts.setdefault(key, []).append(attempt)
        expected = [
            (key, min(found) if key in "ace" else max(found))
            for key, found in sorted(attempts.items())
        ]
        for look in (cache.read, cache.index):
            found = look().select("rollout_key", "attempt").sort("rollout_key")
            assert found.rows() == expected


def test_shards_that_keep_vanishing_are_an_error(cache, monkeypatch):
    path = put(cache, row())
    monkeypatch.setattr("repairstudy.rollouts.cache.list_shards", lambda _: [path / "gone"])
    monkeypatch.setattr("repairstudy.rollouts.cache.LONGEST_WAIT_S", 0.0)
    path.unlink()
    path.mkdir()
    with pytest.raises(DataError, match="vanish"):
        cache.read()


def test_a_listing_is_repeated_until_nothing_it_showed_has_gone(monkeypatch):
    passes = iter([{"a", "b"}, {"b"}, {"b", "merged"}])
    monkeypatch.setattr(shards, "_scan", lambda _: next(passes))
    assert [path.name for path in shards.list_shards(Path("x"))] == ["b", "merged"]
