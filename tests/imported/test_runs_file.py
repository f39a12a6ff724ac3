"""The format: what a file of runs may hold, and what each fault of it is called."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported_worlds import run, write_lines

from repairstudy.errors import StudyError
from repairstudy.imported import Run, read_runs, write_runs
from repairstudy.imported import documents as documents_module

GOOD = {"failure_id": "a", "task_id": "layout-009", "actions": ["right"]}
texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@st.composite
def runs(draw):
    actions = draw(st.lists(texts, min_size=1, max_size=4))
    n = len(actions)
    some = st.none() | st.text(st.characters(codec="utf-8"), max_size=12)
    shown = draw(st.sampled_from([n, n + 1]))
    return Run(
        failure_id=draw(texts),
        task_id=draw(texts),
        actions=actions,
        observations=draw(st.none() | st.lists(some, min_size=shown, max_size=shown)),
        valid=draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n)),
        texts=draw(st.none() | st.lists(some, min_size=n, max_size=n)),
        success=draw(st.none() | st.booleans()),
        reward=draw(st.none() | st.floats(0.0, 1.0)),
        source=draw(st.none() | st.dictionaries(texts, texts | st.integers(), max_size=2)),
        t=draw(st.none() | st.integers(0, 3)),
    )  # fmt: skip


@given(st.lists(runs(), min_size=1, max_size=4, unique_by=lambda one: one.failure_id))
def test_what_is_written_is_read_again(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    write_runs(found, path)
    assert path.read_bytes().isascii()
    lines = read_runs(path)
    assert [line.run for line in lines] == found
    assert [line.number for line in lines] == list(range(1, len(found) + 1))


def test_empty_lines_and_a_byte_order_mark_are_passed_over(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\n  \n")
    assert [line.run for line in read_runs(path)] == [run()]


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    path = tmp_path / "runs.jsonl"
    odd = GOOD | {"actions": ["left\u2028\x85\x0bright"]}
    path.write_text(json.dumps(odd, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_runs(path)[0].run.actions == odd["actions"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: not JSON (Expecting property name"),
        ("[1]", "line 2: not an object"),
        ("null", "line 2: not an object"),
        ('{"failure_id": "b", "task_id": "x"}', "line 2: actions: required and missing"),
        ('{"failure_id": "b", "task_id": "x", "actions": []}', "line 2: actions: List should have"),
        ('{"failure_id": "", "task_id": "x", "actions": ["a"]}', "line 2: failure_id: String sho"),
        ('{"failure_id": 3, "task_id": "x", "actions": ["a"]}', "line 2: failure_id: Input should"),
        ('{"failure_id": "b", "task_id": "x", "actions": ["a", 1]}', "line 2: actions.1: Input"),
        ('{"failure_id": "b", "task_id": "x", "actions": ["a"], "acts": 1}', "acts: unknown key"),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a"], "observations": []}',
            "line 2: observations: 0 for 1 actions",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a"], "valid": [true, true]}',
            "line 2: valid: 2 for 1 actions",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a"], "reward": 1.5}',
            "line 2: reward: Input should be less than or equal to 1",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a"], "reward": NaN}',
            "line 2: not JSON (NaN is no number)",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a"], "success": 1}',
            "line 2: success: Input should be a valid boolean",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "task_id": "y", "actions": ["a"]}',
            "line 2: not JSON ('task_id' is given twice)",
        ),
        (
            '{"failure_id": "b", "task_id": "x", "actions": ["a \\ud800"]}',
            "line 2: actions.0: half of a surrogate pair, no text",
        ),
        (
            '{"failure_id": "a", "task_id": "x", "actions": ["a"]}',
            "line 2: failure_id: 'a' is that of ",
        ),
        ("[" * 100_000, "line 2: not JSON (nested too deeply)"),
        ('{"t": ' + "9" * 5_000 + "}", "line 2: not JSON (Exceeds the limit"),
    ],
)  # fmt: skip
def test_a_fault_names_the_file_the_line_and_the_field(tmp_path, line, said):
    path = tmp_path / "runs.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        read_runs(path)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


def test_bytes_that_are_no_text_are_told(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"failure_id": "\xff"}\n')
    with pytest.raises(StudyError, match=r"line 1: not JSON .*can't decode"):
        read_runs(path)


@pytest.mark.parametrize("there", ["empty", "blank", "missing", "folder"])
def test_a_file_without_a_run_is_told(tmp_path, there):
    path = tmp_path / "runs.jsonl"
    if there == "folder":
        path.mkdir()
    elif there != "missing":
        path.write_text("" if there == "empty" else "\n \n")
    said = "cannot be read" if there in ("missing", "folder") else "no failed run in it"
    with pytest.raises(StudyError, match=said):
        read_runs(path)


def test_a_huge_line_is_refused_without_being_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "LONGEST", 2**20)
    path = write_lines(tmp_path / "runs.jsonl", [GOOD, GOOD | {"task_id": "x" * 2**21}, GOOD])
    found = list(documents_module.read_lines(path))
    assert [one.problem for one in found] == [None, "longer than 1 MiB", None]
    assert [one.number for one in found] == [1, 2, 3]
    with pytest.raises(StudyError, match="line 2: longer than 1 MiB"):
        read_runs(path)


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="cannot be written"):
        write_runs([run()], tmp_path / "file" / "runs.jsonl")
