"""Thoughts of reasoning models are counted; caches from before they were stay readable."""

from dataclasses import replace

import polars as pl
import pytest
from rollout_toys import HashEngine, actor, row, run, wanted

from repairstudy.analysis.costs import costs_of
from repairstudy.errors import DataError
from repairstudy.records.shards import list_shards, write_shard
from repairstudy.records.tables import CACHED_ROLLOUTS, ROLLOUTS
from repairstudy.report.cost_table import costs_grid
from repairstudy.rollouts import RolloutCache, gather
from repairstudy.store import read_table, write_table


class Thinking(HashEngine):
    """Half of what it writes, and one token more, are thoughts."""

    async def complete(self, request):
        said = await super().complete(request)
        thought = said.tokens_out + 1
        return replace(said, tokens_out=said.tokens_out + thought, tokens_thought=thought)


def as_before(rows):
    """Rows as an earlier version wrote them."""
    frame = pl.DataFrame(rows, schema=CACHED_ROLLOUTS.schema, orient="row")
    return frame.drop("tokens_thought")


def test_a_rollout_counts_the_thoughts_of_all_its_decisions(tmp_path):
    cache, acting = RolloutCache(tmp_path), actor(Thinking(), mode="text")
    run(wanted(3, acting), cache, acting)
    found = cache.read()
    decisions = found["steps"] - 1  # the first action is forced
    assert (
        found["tokens_out"] - found["tokens_thought"] == found["tokens_thought"] - decisions
    ).all()
    assert found["tokens_thought"].sum() > 0


def test_an_executor_that_does_not_think_has_no_thoughts(tmp_path):
    cache, acting = RolloutCache(tmp_path), actor()
    run(wanted(3, acting), cache, acting)
    assert cache.read()["tokens_thought"].to_list() == [0] * 9


def test_a_cache_of_an_earlier_version_is_read_merged_and_added_to(tmp_path):
    cache = RolloutCache(tmp_path)
    for number in range(20):
        write_shard(tmp_path / "e0", as_before([row(rollout_key=f"k{number:02}")]))
    with cache.writer() as writer:
        writer.add(row(rollout_key="new", tokens_thought=1))
        writer.add(row(rollout_key="k00", tokens_thought=1))  # the same rollout, counted now
    before = cache.read()
    assert before.filter(rollout_key="new")["tokens_thought"].to_list() == [1]
    assert before["tokens_thought"].null_count() == 20
    assert cache.compact() > 0
    assert len(list_shards(tmp_path / "e0")) == 1
    assert cache.read().equals(before)


@pytest.mark.parametrize("thought", [-1, 3])
def test_more_thoughts_than_tokens_are_refused(tmp_path, thought):
    cache = RolloutCache(tmp_path)
    with cache.writer() as writer:
        writer.add(row(tokens_thought=thought))
    with pytest.raises(DataError, match=r"tokens_thought is .*, must be null, or within \[0, tok"):
        cache.read()


def test_another_missing_column_is_still_an_error(tmp_path):
    write_shard(tmp_path / "e0", as_before([row()]).drop("tokens_out"))
    with pytest.raises(DataError, match="column 'tokens_out' is missing"):
        RolloutCache(tmp_path).read()


def test_costs_are_unknown_where_a_rollout_was_not_counted(tmp_path):
    cache, acting = RolloutCache(tmp_path), actor(Thinking(), mode="text")
    todo = wanted(3, acting)
    run(todo, cache, acting)
    rollouts = gather(todo, cache)
    (costs,) = costs_of(rollouts).to_dicts()
    assert costs["tokens_thought"] == rollouts["tokens_thought"].sum()
    one_unknown = rollouts.with_columns(
        tokens_thought=pl.when(pl.int_range(pl.len()) > 0).then("tokens_thought")
    )
    assert costs_of(one_unknown)["tokens_thought"].to_list() == [None]


def test_a_table_of_an_earlier_version_is_read(tmp_path):
    cache, acting = RolloutCache(tmp_path), actor()
    todo = wanted(3, acting)
    run(todo, cache, acting)
    write_table(gather(todo, cache), tmp_path / "now.parquet", ROLLOUTS)
    old = pl.read_parquet(tmp_path / "now.parquet").drop("tokens_thought")
    old.write_parquet(tmp_path / "old.parquet")
    found = read_table(tmp_path / "old.parquet", ROLLOUTS)
    assert found["tokens_thought"].null_count() == found.height == 9
    assert found.drop("tokens_thought").equals(old)


@pytest.mark.parametrize("thought", [None, 0, 40])
def test_the_report_shows_thoughts_where_there_are_any(thought):
    costs = {"executor_id": "e", "role": "label", "rollouts": 1, "steps": 5, "tokens_in": 9}
    costs |= {"tokens_out": 50, "tokens_thought": thought}
    grid = costs_grid(
        {"costs": pl.DataFrame([costs], schema_overrides={"tokens_thought": pl.Int64})}
    )
    assert ("of them thoughts" in grid.columns) == bool(thought)
