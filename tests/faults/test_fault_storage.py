"""Faults of the disk and of what lies on it: nothing is lost, and nothing foreign is believed."""

import ast
import asyncio
import errno
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from fault_runs import REPLICATES, finished
from hypothesis import given, settings
from hypothesis import strategies as st
from rollout_toys import HashEngine, actor, row, run, temporary_files, wanted

from repairstudy.config.servers import read_record
from repairstudy.engines.distributions import Distributions, read_distributions
from repairstudy.engines.shards import write_shard
from repairstudy.errors import DataError, MissingRollouts
from repairstudy.executors import ModelIdentity
from repairstudy.records import shards
from repairstudy.rollouts import Limits, RolloutCache, gather

JOB = Path(__file__).with_name("fault_job.py")
LIBRARY = Path(__file__).parents[2] / "workflow"


def fill(cache, **options):
    """Run what the cache lacks, in small shards."""
    acting = actor(HashEngine(), mode="text")
    run(
        wanted(REPLICATES, acting),
        cache,
        acting,
        limits=Limits(max_in_flight=4, retry_wait_s=0.0),
        writer=cache.writer(flush_rows=5),
        **options,
    )


def shards_in(cache):
    return sorted(cache.folder.glob("*/*.parquet"))


@pytest.fixture
def cache(tmp_path):
    return RolloutCache(tmp_path / "rollouts")


@pytest.fixture
def filled(cache):
    fill(cache)
    return cache


def broken(cache, undisturbed, problem, path=None):
    """One error names the file; without the file the same run mends the cache."""
    for look in (cache.read, cache.index, lambda: fill(cache)):
        with pytest.raises(DataError, match=problem) as error:
            look()
        if path is not None:
            assert error.value.path == str(path)
    if path is not None:
        path.unlink() if path.is_file() else path.rmdir()
        fill(cache)
        assert finished(cache).equals(undisturbed)


@pytest.mark.parametrize("largest", [0, 1000])
def test_a_disk_without_room(undisturbed, tmp_path, largest):
    """The kernel refuses to write more, as it does with a quota."""
    job = [sys.executable, str(JOB), str(tmp_path)]
    ended = subprocess.run([*job, str(largest)], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert re.fullmatch(
        r"error: .*: \d+ finished rollouts cannot be written \(File too large\)\. "
        r"Earlier ones are safe\. Make room and start the same run again\.\n",
        ended.stderr,
    )
    assert temporary_files(tmp_path) == []
    subprocess.run(job, check=True, stdout=subprocess.DEVNULL)
    assert finished(RolloutCache(tmp_path)).equals(undisturbed)


@pytest.mark.parametrize("call", ["fsync", "replace", "open", "mkdir"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_disk_that_fails_in_the_middle(undisturbed, cache, monkeypatch, call, number):
    owner = os if call == "fsync" else Path
    real, calls = getattr(owner, call), []

    def failing(*arguments, **options):
        calls.append(call)
        if len(calls) > (0 if call == "mkdir" else 3):
            raise OSError(number, os.strerror(number))
        return real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, call, failing)
        with pytest.raises(DataError, match=re.escape(os.strerror(number))):
            fill(cache)
    kept = cache.read().height
    assert (kept > 0) == (call != "mkdir")
    assert temporary_files(cache.folder) == []
    fill(cache)
    assert finished(cache).equals(undisturbed)


def test_a_cache_that_may_only_be_read(undisturbed, filled, tmp_path, monkeypatch):
    """Everything after the rollouts works on it; a run that needs more says what is wrong."""

    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    acting = actor(HashEngine(), mode="text")
    (filled.folder / acting.executor_id / ".old.parquet.tmp").write_bytes(b"half")
    for name in ("mkdir", "unlink", "replace"):
        monkeypatch.setattr(Path, name, refuse)
    fill(filled)  # nothing is missing
    filled.prune(older_than_s=-1.0)
    assert gather(wanted(REPLICATES, acting), filled).height == 3 * REPLICATES
    with pytest.raises(DataError, match="Read-only file system"):
        run(wanted(REPLICATES + 1, acting), filled, acting)
    monkeypatch.undo()
    assert finished(filled).equals(undisturbed)


@settings(max_examples=40)
@given(which=st.integers(0, 99), where=st.floats(0, 1, exclude_max=True))
def test_a_shard_truncated_at_any_byte(undisturbed, which, where):
    with TemporaryDirectory() as folder:
        cache = RolloutCache(folder)
        fill(cache)
        path = shards_in(cache)[which % len(shards_in(cache))]
        content = path.read_bytes()
        path.write_bytes(content[: int(where * len(content))])
        broken(cache, undisturbed, "truncated or damaged.*Delete the file", path)


@settings(max_examples=40)
@given(which=st.integers(0, 99), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_shard_with_one_flipped_bit(undisturbed, which, where, bit):
    with TemporaryDirectory() as folder:
        cache = RolloutCache(folder)
        fill(cache)
        path = shards_in(cache)[which % len(shards_in(cache))]
        content = bytearray(path.read_bytes())
        content[int(where * len(content))] ^= 1 << bit
        path.write_bytes(content)
        broken(cache, undisturbed, "truncated or damaged.*Delete the file", path)


def put_beside(cache, content, name="made-elsewhere.parquet"):
    path = shards_in(cache)[0].with_name(name)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"not a table at all" * 99])
def test_an_empty_or_foreign_file_in_the_cache(undisturbed, filled, content):
    path = put_beside(filled, content)
    broken(filled, undisturbed, "not a readable Parquet file", path)


def test_a_folder_called_like_a_shard(undisturbed, filled):
    path = shards_in(filled)[0].with_name("odd.parquet")
    path.mkdir()
    broken(filled, undisturbed, "cannot be read", path)


def test_a_shard_without_rows(undisturbed, filled):
    shards.write_shard(shards_in(filled)[0].parent, filled.read().clear())
    assert finished(filled).equals(undisturbed)


@pytest.mark.parametrize(
    "drift",
    [
        lambda f: f.drop("reward"),
        lambda f: f.with_columns(speed=1.0),
        lambda f: f.with_columns(pl.col("steps").cast(pl.Int32)),
        lambda f: f.with_columns(pl.col("actions").list.join(" ")),
        lambda f: pl.DataFrame({"hello": ["world"]}),
    ],
)
def test_a_shard_with_another_schema(undisturbed, filled, drift):
    path = shards.write_shard(shards_in(filled)[0].parent, drift(filled.read()))
    broken(filled, undisturbed, "column '.*' is .*It was written by another version", path)


def test_rollouts_of_another_executor_in_the_folder(undisturbed, filled):
    rows = filled.read().with_columns(executor_id=pl.lit("somebody"))
    path = shards.write_shard(shards_in(filled)[0].parent, rows)
    with pytest.raises(DataError, match="executor_id is 'somebody', must be that of the folder"):
        filled.read()
    path.unlink()
    assert finished(filled).equals(undisturbed)


def test_two_writers_of_one_rollout_that_agree(undisturbed, filled):
    shards.write_shard(shards_in(filled)[0].parent, filled.read().sample(fraction=0.5, seed=1))
    assert finished(filled).equals(undisturbed)


def test_two_writers_of_one_rollout_that_disagree(undisturbed, filled):
    rows = filled.read().filter(pl.col("status") == "success").head(1)
    other = rows.with_columns(pl.col("tokens_in") + 1)
    path = shards.write_shard(shards_in(filled)[0].parent, other)
    for look in (filled.read, filled.index, lambda: fill(filled)):
        with pytest.raises(
            DataError, match=r"has tokens_in \d+ here, but \d+ in .*delete its"
        ) as e:
            look()
        assert str(path) in str(e.value)
    path.unlink()
    assert finished(filled).equals(undisturbed)


def test_two_jobs_that_do_the_same_work_at_once(undisturbed, cache):
    failed = []

    def work():
        try:
            fill(cache)
        except Exception as error:
            failed.append(error)

    jobs = [threading.Thread(target=work) for _ in range(3)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert failed == []
    assert finished(cache).equals(undisturbed)


def test_stale_temporary_files_and_locks(undisturbed, cache):
    acting = actor(HashEngine(), mode="text")
    folder = cache.folder / acting.executor_id
    folder.mkdir(parents=True)
    for name in (".a.parquet.tmp", ".b.parquet.tmp", ".lock", "x.parquet.lock", "nfs.0001"):
        (folder / name).write_bytes(b"half a sh")
    old = time.time() - 7200
    os.utime(folder / ".a.parquet.tmp", (old, old))
    fill(cache)
    assert finished(cache).equals(undisturbed)
    names = {path.name for path in folder.iterdir()}
    assert ".a.parquet.tmp" not in names  # of a job that was killed long ago
    assert ".b.parquet.tmp" in names  # perhaps being written


def test_a_clock_that_was_set_back(undisturbed, cache, monkeypatch):
    """Half of the work is done before, half after the clock jumps back by years."""
    acting = actor(HashEngine(), mode="text")
    run(wanted(REPLICATES // 2, acting), cache, acting)

    class Past(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(1980, 1, 1, tzinfo=UTC)

    monkeypatch.setattr("repairstudy.rollouts.attempts.datetime", Past)
    real = time.time_ns()
    monkeypatch.setattr(time, "time", lambda: 3e8)
    monkeypatch.setattr(time, "time_ns", lambda: 3 * 10**17 + time.monotonic_ns())
    fill(cache)
    assert cache.read()["finished"].min().year == 1980
    assert finished(cache).equals(undisturbed)
    assert real > time.time_ns()


async def ask_twice(store, prompt):
    await store.score(prompt, [" up", " down"])
    await store.close()


def test_a_clock_that_was_set_back_between_two_answers(tmp_path, monkeypatch):
    """The first answer to a question stays the first, whatever the clock says later."""
    model = ModelIdentity("m", "1", "w")
    asyncio.run(ask_twice(Distributions(tmp_path, model, HashEngine()), "a"))
    first = read_distributions(tmp_path, model)
    monkeypatch.setattr(time, "time_ns", lambda: 10**9)
    late = Distributions(tmp_path, model, HashEngine())
    later = first.with_columns(pl.lit(999).cast(pl.Int64).alias("tokens_in"))
    write_shard(late.folder, later)
    assert read_distributions(tmp_path, model).equals(first)


@pytest.mark.parametrize(
    "name", ["../outside", "/etc", "a/b", "..", ".", "", ".hidden", "a\0b", "a\nb", "~root"]
)
def test_a_name_in_the_data_that_would_leave_the_folder(cache, name):
    with pytest.raises(DataError, match="no name of a folder here"):
        cache.writer().add(row(executor_id=name))
    for look in (cache.read, cache.index, cache.compact):
        with pytest.raises(DataError, match="no name of a folder here"):
            look([name])
    assert not cache.folder.exists()


class Bomb:
    def __reduce__(self):
        return (os.mkdir, (os.environ["BOMB"],))


def test_pickled_data_in_the_cache_is_never_unpickled(undisturbed, filled, tmp_path, monkeypatch):
    monkeypatch.setenv("BOMB", str(tmp_path / "exploded"))
    path = put_beside(filled, pickle.dumps(Bomb()))
    broken(filled, undisturbed, "not a readable Parquet file", path)
    assert not (tmp_path / "exploded").exists()


def test_nothing_in_the_library_can_unpickle():
    """Neither by name nor through a reader that would.

    One module talks to a child process of its own over a pipe, and reads no file.
    """
    forbidden = {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
    for path in set(LIBRARY.rglob("*.py")) - {LIBRARY / "repairstudy/conformance/elsewhere.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & forbidden, path
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in forbidden, path
            elif isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                given = {keyword.arg for keyword in node.keywords}
                assert called not in ("eval", "exec", "yaml.load", "pd.read_pickle"), path
                assert "allow_pickle" not in given, path
                assert called != "torch.load" or "weights_only" in given, path


def test_a_shard_that_somebody_deleted_is_run_again(undisturbed, filled):
    shards_in(filled)[0].unlink()
    acting = actor(HashEngine(), mode="text")
    with pytest.raises(MissingRollouts, match=r"rollouts are missing .*To run them: snakemake"):
        gather(wanted(REPLICATES, acting), filled)
    fill(filled)
    assert finished(filled).equals(undisturbed)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"fingerprint": "x", "card": {}}'])
def test_a_damaged_record_of_a_server(tmp_path, content):
    path = tmp_path / "m.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="the record is damaged") as error:
        read_record(path)
    assert error.value.path == str(path)
