"""Whatever stands in a log, it is read, or said to be unreadable: never a traceback."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imported_worlds import PIT, replayed, run, walk, written_study

from repairstudy.cli.importing.shown import VERDICTS, lines, plain, summary
from repairstudy.cli.main import main
from repairstudy.errors import StudyError
from repairstudy.imported import write_runs
from repairstudy.imported.formats import FORMATS, logged_runs

# Keys and values that readers look for, in any place and of any type.
KEYS = """
    messages role content tool_calls function name arguments action id tool_call_id text type
    conversations from value loss item_id failure_id task_id actions observations valid metadata
    eval samples scores epoch error attachments sample dataset sample_ids deployed_executor_id
""".split()  # noqa: SIM905
WORDS = ["assistant", "user", "tool", "gpt", "human", "text", "right", "Action: up", "layout-009"]
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS) | st.text(max_size=5)
)  # fmt: skip
contents = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=25,
)
objects = st.dictionaries(st.sampled_from(KEYS), contents, max_size=6)


@pytest.mark.parametrize("form", ["auto", *FORMATS])
@settings(max_examples=30)
@given(rows=st.lists(objects, min_size=1, max_size=3), one=st.booleans())
def test_any_json_is_a_run_or_a_problem_in_words(tmp_path_factory, form, rows, one):
    path = tmp_path_factory.mktemp("any") / ("log.json" if one else "log.jsonl")
    text = json.dumps(rows) if one else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    try:
        found = logged_runs(path, form)
    except StudyError:
        return
    replays = [replayed(each) for each in found]
    assert {each.verdict for each in replays} <= set(VERDICTS)
    assert all(each.detail for each in replays if each.verdict != "failure")
    assert len(lines(replays, []).splitlines()) == len(replays)
    assert plain(summary(replays, []).replace("\n", " "), 10**6).isprintable()


@given(st.binary(max_size=300))
def test_any_bytes_are_a_run_or_a_problem_in_words(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "log.jsonl"
    path.write_bytes(content)
    try:
        found = logged_runs(path)
    except StudyError:
        return
    assert all(one.problem for one in found)


@given(st.text())
def test_a_text_of_unknown_origin_is_shown_on_one_line(text):
    assert plain(text).isprintable()
    assert len(plain("x" * 1_000)) == 300


def test_pick_sees_where_a_run_was_recorded_elsewhere(tmp_path, capsys):
    """It replays the steps before the one to be repaired, and compares what was seen there."""
    path, study = tmp_path / "runs.jsonl", written_study(tmp_path)
    words = ["pick", str(path), "--study", str(study), "--confirm", "1", "--budget", "1"]
    shown, _ = walk(*PIT)
    write_runs([run("a", *PIT, t=0, observations=shown)], path)
    assert main(words) == 0
    write_runs([run("a", *PIT, t=0, observations=["A cave.", None])], path)
    assert main(words) == 1
    assert (
        f"error: {path}, line 1: actions: step 0: replay shows 'Around" in capsys.readouterr().err
    )


def test_what_is_imported_costs_no_collecting(tmp_path, capsys):
    def stages(**changed):
        assert main(["cost", str(written_study(tmp_path, **changed)), "--json"]) == 0
        return {row["stage"] for row in json.loads(capsys.readouterr().out)["costs"]}

    write_runs([run("a", *PIT)], tmp_path / "runs.jsonl")
    imported = stages(collection={"runs": {"blind": str(tmp_path / "runs.jsonl")}})
    assert stages() - imported == {"collect"}
