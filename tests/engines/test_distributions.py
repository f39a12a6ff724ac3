"""The store of action distributions: nothing is asked twice, nothing half-written is believed."""

import asyncio
import multiprocessing
from pathlib import Path

import polars as pl
import pytest
from engine_fakes import CountingEngine

from repairstudy.engines import Request
from repairstudy.engines.distributions import Distributions, read_distributions
from repairstudy.engines.shards import SCHEMA, list_shards, write_shard
from repairstudy.errors import DataError, EngineError
from repairstudy.executors import ModelIdentity

MODEL = ModelIdentity("small", "r1", "w")
MOVES = (" up", " down")


def run(folder, call, engine=None, model=MODEL, **options):
    """Open the store, do `call(store)`, close it; the result and the engine behind."""
    engine = engine or CountingEngine()

    async def go():
        store = Distributions(folder, model, engine, **options)
        try:
            return await call(store)
        finally:
            await store.close()

    return asyncio.run(go()), engine


def ask(*prompts, choices=MOVES):
    return lambda store: asyncio.gather(*(store.score(prompt, choices) for prompt in prompts))


def test_a_second_run_asks_nothing(tmp_path):
    first, engine = run(tmp_path, ask("a", "b", "a"))
    assert sorted(engine.prompts) == ["a", "b"]
    again, engine = run(tmp_path, ask("a", "b", "a"), CountingEngine(logprobs=(-9, -9)))
    assert engine.prompts == []
    assert again == first


def test_the_same_question_asked_at_once_is_asked_once(tmp_path):
    answers, engine = run(tmp_path, ask(*["a"] * 50), CountingEngine(wait_s=0.01))
    assert engine.prompts == ["a"]
    assert len(set(answers)) == 1


@pytest.mark.parametrize(
    ("model", "choices"),
    [
        (ModelIdentity("small", "r2", "w"), MOVES),
        (ModelIdentity("small", "r1", "x"), MOVES),
        (MODEL, (" down", " up")),
        (MODEL, (" up",)),
    ],
)
def test_another_question_is_another_answer(tmp_path, model, choices):
    run(tmp_path, ask("a"))
    _, engine = run(tmp_path, ask("a", choices=choices), model=model)
    assert engine.prompts == ["a"]


def test_completions_pass_through(tmp_path):
    request = Request("hello", 1.0, 1.0, 0, 1, 0)
    completion, engine = run(tmp_path, lambda store: store.complete(request))
    assert completion.text == "HELLO"
    assert engine.closed
    assert list_shards(tmp_path) == []


def test_prefetch_asks_what_is_missing_so_many_at_a_time(tmp_path):
    run(tmp_path, ask("p0", "p1"))
    prompts = [f"p{i}" for i in range(20)] * 2
    engine = CountingEngine(wait_s=0.005)
    number, _ = run(tmp_path, lambda s: s.prefetch(prompts, MOVES, concurrency=4), engine)
    assert number == 18
    assert engine.most_at_once == 4


def test_a_failure_is_the_askers_and_is_not_stored(tmp_path):
    engine = CountingEngine(failures=[EngineError("down")])

    async def twice(store):
        with pytest.raises(EngineError, match="down"):
            await store.prefetch(["a"], MOVES)
        return await store.score("a", MOVES)

    scores, _ = run(tmp_path, twice, engine)
    assert scores.logprobs == (-1.0, -0.5)
    assert engine.prompts == ["a", "a"]


def test_a_cancelled_asker_does_not_take_the_answer_from_others(tmp_path):
    async def race(store):
        first = asyncio.create_task(store.score("a", MOVES))
        second = asyncio.create_task(store.score("a", MOVES))
        await asyncio.sleep(0.01)
        first.cancel()
        return await second

    scores, engine = run(tmp_path, race, CountingEngine(wait_s=0.05))
    assert scores.logprobs == (-1.0, -0.5)
    assert engine.prompts == ["a"]


def test_written_after_a_while_without_being_closed(tmp_path):
    async def wait(store):
        await store.score("a", MOVES)
        assert list_shards(store.folder) == []
        await asyncio.sleep(0.1)
        return len(list_shards(store.folder))

    written, _ = run(tmp_path, wait, flush_s=0.02)
    assert written == 1


def test_written_when_many_have_come(tmp_path):
    async def many(store):
        await ask(*"abcdefg")(store)
        return len(list_shards(store.folder))

    written, _ = run(tmp_path, many, flush_rows=3, flush_s=60)
    assert written == 2


def test_what_is_stored_can_be_read(tmp_path):
    run(tmp_path, ask("a", "b"))
    rows = read_distributions(tmp_path, MODEL)
    assert rows.schema == SCHEMA
    assert rows.sort("prompt").select("prompt", "choices", "logprobs", "tokens_in").rows() == [
        ("a", list(MOVES), [-1.0, -0.5], 1),
        ("b", list(MOVES), [-1.0, -0.5], 1),
    ]
    assert read_distributions(tmp_path, ModelIdentity("other", "", "")).is_empty()


def shard_of(folder):
    (shard,) = folder.rglob("*.parquet")
    return shard


@pytest.mark.parametrize("keep", [0, 5, 400])
def test_a_truncated_shard_is_named(tmp_path, keep):
    run(tmp_path, ask("a"))
    shard = shard_of(tmp_path)
    shard.write_bytes(shard.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"truncated or damaged.*Delete the file") as error:
        run(tmp_path, ask("a"))
    assert error.value.path == str(shard)


def test_a_flipped_bit_is_noticed(tmp_path):
    run(tmp_path, ask("a"))
    shard = shard_of(tmp_path)
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    with pytest.raises(DataError, match="truncated or damaged"):
        run(tmp_path, ask("a"))


def test_a_shard_of_other_columns_is_named(tmp_path):
    run(tmp_path, ask("a"))
    write_shard(shard_of(tmp_path).parent, pl.DataFrame({"key": ["k"]}))
    with pytest.raises(DataError, match="column 'prompt' is missing"):
        run(tmp_path, ask("a"))


def test_unfinished_files_are_ignored(tmp_path):
    run(tmp_path, ask("a"))
    (shard_of(tmp_path).parent / ".half.parquet.tmp").write_bytes(b"half")
    _, engine = run(tmp_path, ask("a"))
    assert engine.prompts == []


def two_answers(folder, second):
    """Two writers that asked the same at once."""

    async def go():
        one = Distributions(folder, MODEL, CountingEngine())
        two = Distributions(folder, MODEL, CountingEngine(second))
        first = await one.score("a", MOVES)
        await two.score("a", MOVES)
        await one.close()
        await two.close()
        return first

    return asyncio.run(go())


def test_of_equal_questions_the_oldest_answer_counts(tmp_path):
    first = two_answers(tmp_path, (-1.01, -0.5))
    (again,), _ = run(tmp_path, ask("a"))
    assert again == first


def test_another_model_under_the_same_identity_is_noticed(tmp_path):
    two_answers(tmp_path, (-0.2, -2.0))
    with pytest.raises(DataError, match="Two models wrote under one identity"):
        run(tmp_path, ask("a"))


def write_some(folder, writer):
    prompts = [f"shared {i}" for i in range(20)] + [f"{writer}-{i}" for i in range(20)]
    run(Path(folder), ask(*prompts), flush_rows=3)


def test_many_writers_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_some, args=(tmp_path, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert read_distributions(tmp_path, MODEL).height == 20 + 3 * 20
