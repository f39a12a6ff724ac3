"""`repairstudy import-runs`: all formats in, verified failures out, the others with a reason."""

import json

import pytest
from imported_worlds import GOAL, LOGS, LOST, PIT, TINY, chat, run, walk, write_lines, written_study

from repairstudy.cli.main import main
from repairstudy.imported import read_runs, write_runs

STUDY = ("--study", str(TINY))


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(TINY.parents[2])


def command(capsys, *words, status=0):
    """Standard output and error of a call of the command."""
    assert main(["import-runs", *map(str, words)]) == status
    return capsys.readouterr()


def told(capsys, *words):
    """By run, what the command says of it as JSON."""
    out = command(capsys, *words, *STUDY, "--json").out
    return {row["failure_id"]: row for row in map(json.loads, out.splitlines())}


def mixed(path):
    """Runs of each verdict, as the project's own format."""
    shown, _ = walk(*LOST)
    rows = [
        {"failure_id": "pit", "task_id": PIT[0], "actions": PIT[1], "success": False},
        {"failure_id": "goal", "task_id": GOAL[0], "actions": GOAL[1]},
        {"failure_id": "other", "task_id": LOST[0], "actions": LOST[1],
         "observations": [*shown[:2], "A troll\x1b[31m.", shown[3]]},
        {"failure_id": "long", "task_id": "layout-009", "actions": ["up", "down"] * 12},
        {"failure_id": "where", "task_id": "layout-99", "actions": ["up"]},
        {"failure_id": "seen", "task_id": LOST[0], "actions": LOST[1], "observations": shown},
        {"failure_id": "typo", "task_id": "layout-009", "action": ["up"]},
    ]  # fmt: skip
    return write_lines(path, rows)


def test_failures_are_written_and_everything_else_is_explained(tmp_path, capsys):
    out = tmp_path / "own.jsonl"
    shown = command(capsys, mixed(tmp_path / "mixed.jsonl"), *STUDY, "--out", out)
    lines = shown.out.splitlines()
    counts = {line.split()[0]: [int(n) for n in line.split()[1:4]] for line in lines[1:6]}
    assert counts == {
        "failure": [2, 2, 4], "success": [1, 0, 0], "diverges": [1, 0, 2],
        "unusable": [1, 0, 0], "unreadable": [2, 0, 0],
    }  # fmt: skip
    assert "2 runs were replayed without any observation to compare with" in shown.out
    assert "line 3 (other): diverges: step 2: another observation than the log's" in shown.out
    assert "    in the log:  A troll\\x1b[31m.\n" in shown.out
    assert "line 4 (long): unusable: 24 actions, the study's budget is 20" in shown.out
    assert "line 5 (where): unreadable: task: environment gridworld has no task" in shown.out
    assert "line 7 (mixed-7): unreadable: actions: required and missing; action: unk" in shown.out
    assert "(goal)" not in shown.out
    assert shown.err == f"2 runs written to {out}\n"
    assert [line.run.failure_id for line in read_runs(out)] == ["pit", "seen"]


def test_json_says_the_same_of_each_run(tmp_path, capsys):
    rows = told(capsys, mixed(tmp_path / "mixed.jsonl"))
    assert [rows[name]["verdict"] for name in rows] == [
        "failure", "success", "diverges", "unusable", "unreadable", "failure", "unreadable",
    ]  # fmt: skip
    assert rows["other"]["divergence"]["step"] == 2
    assert rows["other"]["divergence"]["recorded"] == "A troll\x1b[31m."
    assert [row["written"] for row in rows.values()] == [True] + [False] * 4 + [True, False]
    assert (rows["pit"]["actions"], rows["pit"]["reward"], rows["pit"]["task_id"]) == (
        1,
        0.0,
        PIT[0],
    )


def test_successes_are_kept_if_that_is_asked_for(tmp_path, capsys):
    out = tmp_path / "own.jsonl"
    command(capsys, mixed(tmp_path / "m.jsonl"), *STUDY, "--out", out, "--keep", "replayed")
    assert [line.run.failure_id for line in read_runs(out)] == ["pit", "goal", "seen"]


def test_what_is_written_is_read_again_and_stays_what_it_is(tmp_path, capsys):
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    command(capsys, LOGS / "calls.eval", *STUDY, "--task-field", "metadata.layout", "--out", first)
    command(capsys, first, *STUDY, "--out", second)
    assert first.read_bytes() == second.read_bytes()
    rows = told(capsys, first)
    assert all(row["compared"] == row["actions"] + 1 for row in rows.values())


@pytest.mark.parametrize("words", ["{}", "I take {}", "Thought: go.\nAction: {}"])
def test_chat_messages_are_read_by_the_executor_s_protocol(tmp_path, capsys, words):
    rows = [chat(*PIT, words=words, id="pit"), chat(*GOAL, words=words, id="goal")]
    found = told(capsys, write_lines(tmp_path / "chat.jsonl", rows))
    assert {name: row["verdict"] for name, row in found.items()} == {
        "pit": "failure", "goal": "success"
    }  # fmt: skip
    assert found["pit"]["compared"] == 1


def test_calls_of_tools_are_mapped_as_the_options_say(tmp_path, capsys):
    shown, _ = walk(*LOST)
    messages = []
    for number, (action, after) in enumerate(zip(LOST[1], shown[1:], strict=True)):
        function = {"name": "step", "arguments": json.dumps({"to": action})}
        messages += [
            {"role": "assistant", "tool_calls": [{"id": str(number), "function": function}]},
            {"role": "tool", "tool_call_id": str(number), "content": after},
        ]
    stop = {"name": "stop", "arguments": "{}"}
    messages.append({"role": "assistant", "tool_calls": [{"id": "x", "function": stop}]})
    path = write_lines(
        tmp_path / "c.jsonl", [{"id": "a", "task_id": LOST[0], "messages": messages}]
    )
    assert told(capsys, path)["a"]["detail"].startswith("messages: call of step has no text argum")
    out = tmp_path / "own.jsonl"
    command(capsys, path, *STUDY, "--tool", "step={to}", "--skip-tool", "stop", "--out", out)
    (line,) = read_runs(out)
    assert line.run.actions == list(LOST[1])
    same = told(capsys, path, "--tool-argument", "to", "--skip-tool", "stop")
    assert same["a"]["verdict"] == "failure"


def test_several_files_of_several_formats_go_into_one(tmp_path, capsys):
    write_runs([run("own", *PIT)], tmp_path / "own.jsonl")
    write_lines(tmp_path / "chat.jsonl", [chat(*PIT)])
    (tmp_path / "one.json").write_text(json.dumps(chat(*LOST)))
    said = [{"role": "human", "text": walk(*PIT)[0][0]}, {"role": "gpt", "text": "Action: right"}]
    write_lines(tmp_path / "traj.jsonl", [{"messages": said, "task_id": PIT[0]}])
    names = ("own.jsonl", "chat.jsonl", "one.json", "traj.jsonl")
    found = told(capsys, *(tmp_path / name for name in names), LOGS / "calls.eval",
                 "--task-field", "task_id")  # fmt: skip
    assert [name for name, row in found.items() if row["verdict"] == "failure"] == [
        "own", "chat-1", "one-1", "traj-1"
    ]  # fmt: skip
    assert "no field 'task_id' names the task" in found["walk-0-1"]["detail"]


def test_the_failed_runs_of_an_exported_study_are_a_format_too(tmp_path, capsys):
    shown, _ = walk("layout-009", ["jump"])
    row = {
        "study": "s", "environment": "gridworld", "task_id": "layout-009", "instruction": None,
        "failure_id": "blind-000", "trajectory_id": "x", "deployed": "blind",
        "deployed_executor_id": "y", "reward": 0.0, "observations": shown[:1],
        "actions": ["jump"], "valid": [False],
    }  # fmt: skip
    path = write_lines(
        tmp_path / "failed_runs.jsonl", [row, row | {"failure_id": "b", "actions": 3}]
    )
    found = told(capsys, path)
    assert found["blind-000"]["verdict"] == "failure"
    assert found["failed_runs-2"]["detail"].startswith("actions: Input should be a valid list")


def test_two_runs_of_one_name_are_refused(tmp_path, capsys):
    write_lines(tmp_path / "a.jsonl", [chat(*PIT, id="x")])
    write_lines(tmp_path / "b.jsonl", [chat(*LOST, id="x")])
    err = command(capsys, tmp_path / "a.jsonl", tmp_path / "b.jsonl", *STUDY, status=1).err
    assert (
        f"{tmp_path / 'b.jsonl'}, line 1: failure_id: 'x' is that of {tmp_path / 'a.jsonl'}" in err
    )


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("", (), "no run in it"),
        ('{"x": 1}\n', (), "which format it has cannot be told (keys: x); give --format, one of"),
        ('{"messages": []}\n', ("--executor", "nobody"), "--executor: no executor 'nobody' (known"),
        ('{"messages": []}\n', ("--ignore", "("), "--ignore: '(' is no regular expression"),
        ('{"messages": []}\n', ("--tool", "x"), "--tool: 'x' is not NAME=TEMPLATE"),
        ('{"messages": []}\n', ("--format", "openai", "--protocol", "x"), "no protocol 'x'"),
        ("PK\x03\x04 but no archive", (), "truncated, or no zip archive"),
    ],
)
def test_what_cannot_be_done_is_told_without_a_traceback(tmp_path, capsys, content, options, said):
    path = tmp_path / "log.jsonl"
    path.write_text(content)
    err = command(capsys, path, *STUDY, *options, status=1).err
    assert err.startswith("error: ")
    assert said in err


def test_a_missing_file_and_a_folder_are_told(tmp_path, capsys):
    for path in (tmp_path / "none.jsonl", tmp_path):
        assert "there is no such file" in command(capsys, path, *STUDY, status=1).err


def test_a_study_that_deploys_several_asks_whose_runs_they_are(tmp_path, capsys):
    pools = {name: {"deployed": name, "size": 2} for name in ("blind", "careful")}
    path = written_study(tmp_path, pools=pools)
    log = write_lines(tmp_path / "chat.jsonl", [chat(*PIT)])
    err = command(capsys, log, "--study", path, status=1).err
    assert err == "error: give --executor: the study deploys blind, careful\n"
    assert "failure" in command(capsys, log, "--study", path, "--executor", "careful").out


def test_nothing_is_written_where_nothing_failed(tmp_path, capsys):
    log, out = write_lines(tmp_path / "chat.jsonl", [chat(*GOAL)]), tmp_path / "own.jsonl"
    assert command(capsys, log, *STUDY, "--out", out).err == f"no run to write to {out}\n"
    assert not out.exists()
