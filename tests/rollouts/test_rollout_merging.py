"""Small shards become larger ones, beside readers, writers and other jobs, and no row is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from rollout_toys import put, row

from repairstudy.errors import DataError
from repairstudy.records import shards
from repairstudy.rollouts import RolloutCache
from repairstudy.rollouts.cache import MANY_SMALL
from repairstudy.rollouts.shards import read_shard
from repairstudy.rollouts.writer import OWN_SMALL


@pytest.fixture
def cache(tmp_path: Path) -> RolloutCache:
    return RolloutCache(tmp_path / "rollouts")


def many(cache: RolloutCache, number: int = MANY_SMALL) -> None:
    for index in range(number):
        put(cache, row(rollout_key=f"k{index:02d}", tokens_in=index), row(rollout_key="shared"))


def test_compaction_merges_many_small_shards_and_changes_no_record(cache):
    many(cache)
    before = cache.read()
    assert cache.compact() == MANY_SMALL
    assert len(shards.list_shards(cache.folder / "e0")) == 1
    assert cache.read().equals(before)
    assert cache.compact() == 0


def test_few_shards_are_left_alone(cache):
    many(cache, MANY_SMALL - 1)
    assert cache.compact() == 0
    assert len(shards.list_shards(cache.folder / "e0")) == MANY_SMALL - 1


@pytest.mark.parametrize("survivors", [1, 7, MANY_SMALL])
def test_compaction_killed_between_its_steps_loses_and_doubles_nothing(
    cache, survivors, monkeypatch
):
    many(cache)
    before = cache.read()
    deleted, unlink = [], Path.unlink

    def die(path, missing_ok=False):
        if len(deleted) == MANY_SMALL - survivors:
            raise KeyboardInterrupt
        deleted.append(path)
        unlink(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", die)
        with pytest.raises(KeyboardInterrupt):
            cache.compact()
    assert len(shards.list_shards(cache.folder / "e0")) == survivors + 1
    assert cache.read().equals(before)


def test_compaction_refuses_a_contradiction_and_deletes_nothing(cache):
    many(cache)
    put(cache, row(rollout_key="shared", tokens_in=99))
    with pytest.raises(DataError, match="rollout shared"):
        cache.compact()
    assert len(shards.list_shards(cache.folder / "e0")) == MANY_SMALL + 1


def test_a_reader_that_meets_a_compaction_reads_again(cache, monkeypatch):
    many(cache)
    before = cache.read()
    compacted = []

    def read_during_compaction(path, columns=None):
        if not compacted:
            compacted.append(True)
            RolloutCache(cache.folder).compact()
        return read_shard(path, columns)

    monkeypatch.setattr("repairstudy.rollouts.merging.read_shard", read_during_compaction)
    assert cache.read().equals(before)
    assert compacted


def test_a_merged_shard_has_a_bound(cache, monkeypatch):
    """So has the memory of merging, however many small shards there are."""
    many(cache)
    before = cache.read()
    size = shards.list_shards(cache.folder / "e0")[0].stat().st_size
    monkeypatch.setattr("repairstudy.rollouts.merging.MERGED_BYTES", 4 * size)
    assert cache.compact() == MANY_SMALL
    assert 2 <= len(shards.list_shards(cache.folder / "e0")) <= 5
    assert cache.read().equals(before)


def test_a_writer_of_days_leaves_few_shards_behind(cache):
    with cache.writer(flush_rows=1) as writer:
        for number in range(3 * OWN_SMALL):
            writer.add(row(rollout_key=f"k{number:03d}"))
            assert len(shards.list_shards(cache.folder / "e0")) <= OWN_SMALL
    assert cache.read()["rollout_key"].to_list() == [f"k{n:03d}" for n in range(3 * OWN_SMALL)]


def test_a_writer_leaves_the_shards_of_others_alone(cache):
    others = [put(cache, row(rollout_key=f"other{number}")) for number in range(2)]
    with cache.writer(flush_rows=1) as writer:
        for number in range(OWN_SMALL):
            writer.add(row(rollout_key=f"k{number}"))
    assert {*others} < {*shards.list_shards(cache.folder / "e0")}
    assert cache.index()["rollout_key"].n_unique() == OWN_SMALL + 2


def test_a_writer_whose_shards_another_job_has_merged_goes_on(cache):
    with cache.writer(flush_rows=1) as writer:
        for number in range(OWN_SMALL + 3):
            writer.add(row(rollout_key=f"k{number}"))
            if number == OWN_SMALL - 5:
                RolloutCache(cache.folder).compact()
    assert cache.read()["rollout_key"].n_unique() == OWN_SMALL + 3


def test_shards_that_another_job_is_merging_are_left_to_it(cache, monkeypatch):
    paths = [put(cache, row(rollout_key=f"k{number}")) for number in range(MANY_SMALL)]
    before = cache.read()
    merged = cache.folder / before["executor_id"][0] / "gone.parquet"
    monkeypatch.setattr("repairstudy.rollouts.cache.list_shards", lambda _: [*paths, merged])
    assert cache.compact() == 0
    monkeypatch.undo()
    assert cache.read().equals(before)
