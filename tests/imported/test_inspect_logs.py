"""Logs that Inspect AI 0.3.285 wrote (tests/data/logs), and what may be wrong with one."""

import json
import random
import shutil
import zipfile

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_worlds import LOGS, study, walk, world

from repairstudy.cli.importing.replays import study_of
from repairstudy.errors import DataError
from repairstudy.imported import zipped
from repairstudy.imported.formats import Reading, logged_runs
from repairstudy.imported.replaying import replay_run
from repairstudy.imported.tasks import Tasks
from repairstudy.imported.zipped import Archive

EXPECTED = json.loads((LOGS / "expected.json").read_text("utf-8"))


def replays(name, protocol=None):
    environment = world()
    tasks, wanted = (
        Tasks(environment, "metadata.layout"),
        study_of(study(), "blind", protocol=protocol),
    )
    return [replay_run(environment, tasks, one, wanted) for one in logged_runs(LOGS / name)]


@pytest.mark.parametrize(("name", "log"), [("calls", "calls.eval"), ("words", "words.json")])
def test_the_runs_are_what_the_worlds_in_inspect_saw(name, log):
    found = {one.logged.name: one for one in replays(log, "react/1")}
    assert list(found) == [f"{row['sample']}-{row['epoch']}" for row in EXPECTED[name]]
    for row in EXPECTED[name]:
        one = found[f"{row['sample']}-{row['epoch']}"]
        if "actions" not in row:
            assert one.verdict == "unreadable"
            assert "ended in an error, which is not the agent's: RuntimeError" in one.detail
            continue
        assert one.verdict == ("success" if row["success"] else "failure")
        assert one.run.actions == row["actions"]
        assert one.run.observations == walk(row["layout"], row["actions"])[0]
        assert one.compared == len(row["actions"])
        assert one.invalid == row["actions"].count("jump")
    assert {one.verdict for one in found.values()} >= {"failure", "success"}


def test_another_protocol_reads_other_actions_and_the_observations_betray_it():
    """The policies' protocol takes the first move that is named, here one of a thought."""
    found = replays("words.json")
    assert {one.verdict for one in found} == {"diverges"}
    assert found[0].divergence.step == 1
    assert found[0].divergence.recorded != found[0].divergence.replayed


def test_an_archive_as_inspect_writes_it_is_one_that_python_cannot_read():
    with zipfile.ZipFile(LOGS / "calls.eval") as archive:
        info = archive.getinfo("header.json")
        assert info.compress_type == zipped.ZSTANDARD
        with pytest.raises(NotImplementedError):
            archive.read(info)
    header = json.loads(Archive(LOGS / "calls.eval").read("header.json"))
    assert header["eval"]["packages"]["inspect_ai"] == "0.3.285"


def rewritten(tmp_path, change):
    """The archive with its samples changed, stored without compression."""
    source, path = Archive(LOGS / "calls.eval"), tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name in source.names:
            text = source.read(name)
            if name.startswith("samples/"):
                sample = json.loads(text)
                change(sample)
                text = json.dumps(sample).encode()
            archive.writestr(name, text)
    return path


def test_texts_that_are_stored_apart_are_put_back(tmp_path):
    name = "0123456789abcdef0123456789abcdef"

    def apart(sample):
        sample["attachments"] = {name: sample["messages"][-2]["content"]}
        sample["messages"][-2]["content"] = f"attachment://{name}"

    plain = logged_runs(rewritten(tmp_path, lambda sample: None))
    assert logged_runs(rewritten(tmp_path, apart)) == plain


def test_scores_say_who_succeeded(tmp_path):
    def scored(*scores):
        def change(sample):
            sample["scores"] = {f"s{n}": {"value": value} for n, value in enumerate(scores)}

        return rewritten(tmp_path, change)

    def claims(path, score=None):
        return {
            (one.success, one.reward)
            for one in logged_runs(path, "inspect", Reading(score=score))
            if one.problem is None
        }

    assert claims(scored("C")) == {(True, None)}
    assert claims(scored("I")) == {(False, None)}
    assert claims(scored(True)) == {(True, None)}
    assert claims(scored(0.25)) == {(None, 0.25)}
    assert (
        claims(scored(7)) == claims(scored("A")) == claims(scored(float("nan"))) == {(None, None)}
    )
    assert claims(scored("C", "I")) == {(None, None)}  # which of them?
    assert claims(scored("C", "I"), "s1") == {(False, None)}
    problems = {one.problem for one in logged_runs(scored("C"), "inspect", Reading(score="s9"))}
    assert "messages: no score 's9' (there are: s0)" in problems


def test_a_score_that_the_replay_contradicts_is_a_divergence(tmp_path):
    def change(sample):
        sample["scores"] = {"s": {"value": "C"}}

    environment = world()
    tasks, wanted = Tasks(environment, "metadata.layout"), study_of(study(), "blind")
    found = [
        replay_run(environment, tasks, one, wanted)
        for one in logged_runs(rewritten(tmp_path, change))
    ]
    details = {one.detail for one in found if one.verdict == "diverges"}
    assert details == {"end: the log says success, the replay ends in failure"}


@pytest.mark.parametrize("size", [0, 3, 200, 5_000, 50_000, -30, -1])
def test_a_cut_archive_is_told(tmp_path, size):
    path = tmp_path / "cut.eval"
    path.write_bytes((LOGS / "calls.eval").read_bytes()[:size])
    with pytest.raises(DataError) as caught:
        logged_runs(path, "inspect")
    assert str(path) in str(caught.value)


@given(place=st.integers(0), byte=st.integers(1, 255))
def test_a_spoilt_byte_is_told_or_changes_nothing(tmp_path_factory, place, byte):
    """Names and times in the directory may change; no text of a sample does."""
    whole = bytearray((LOGS / "calls.eval").read_bytes())
    whole[place % len(whole)] ^= byte
    path = tmp_path_factory.mktemp("spoilt") / "calls.eval"
    path.write_bytes(whole)
    plain = {one.turns for one in logged_runs(LOGS / "calls.eval")}
    try:
        found = logged_runs(path, "inspect")
    except DataError:
        return
    assert {one.turns for one in found} <= plain


def test_an_entry_that_expands_beyond_what_it_claims_is_cut_off(tmp_path):
    path = tmp_path / "bomb.eval"
    packed = pa.Codec("zstd").compress(bytes(50_000_000)).to_pybytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", packed)
        info = archive.getinfo("header.json")
        info.compress_type, info.file_size = zipped.ZSTANDARD, 100
    with pytest.raises(DataError, match=r"header\.json: broken"):
        Archive(path).read("header.json")


def test_an_entry_larger_than_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(zipped, "LARGEST", 10)
    with pytest.raises(DataError, match="at most"):
        Archive(LOGS / "calls.eval").read("header.json")


def test_a_stream_of_several_frames_is_one_text(tmp_path):
    """Inspect begins a new frame every 200 MiB."""
    texts = [random.Random(n).randbytes(1_000).hex().encode() for n in range(3)]
    path = tmp_path / "frames.zip"
    packed = b"".join(pa.Codec("zstd").compress(text).to_pybytes() for text in texts)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"".join(texts))
        info = archive.getinfo("a")
        checksum, size = info.CRC, info.file_size
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", packed)
        info = archive.getinfo("a")
        info.compress_type, info.CRC, info.file_size = zipped.ZSTANDARD, checksum, size
    assert Archive(path).read("a") == b"".join(texts)


def test_other_archives_and_documents_are_no_logs(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "hello")
    with pytest.raises(DataError, match="no log of Inspect AI: neither header"):
        logged_runs(path)
    document = tmp_path / "other.json"
    document.write_text('{"a": 1}')
    with pytest.raises(DataError, match="no log of Inspect AI: it has no section `eval`"):
        logged_runs(document, "inspect")


def test_samples_in_pieces_are_told_apart(tmp_path):
    path = tmp_path / "pieces.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", '{"eval": {}}')
        archive.writestr("samples/a_epoch_1/sample.json", "{}")
    with pytest.raises(DataError, match=r"in pieces.*inspect log convert"):
        logged_runs(path)


def test_samples_come_in_the_order_of_the_data_set_and_not_of_their_ends(tmp_path):
    source, path = Archive(LOGS / "calls.eval"), tmp_path / "late.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name in reversed(source.names):
            archive.writestr(name, source.read(name))
    assert [one.name for one in logged_runs(path)] == [
        one.name for one in logged_runs(LOGS / "calls.eval")
    ]
    shutil.copy(path, tmp_path / "again.zip")  # an archive is known by its content
    assert len(logged_runs(tmp_path / "again.zip")) == len(EXPECTED["calls"])
