"""A study's failures out of a file of runs: what is taken, what is refused, what is recorded."""

import io
import json

import polars as pl
import pytest
from imported_worlds import GOAL, LOST, PIT, content, run, study, walk, write_lines

from repairstudy.candidates.positions import number_failures
from repairstudy.candidates.situation import situations
from repairstudy.cli.importing.failures import imported_failures
from repairstudy.config import parse_study
from repairstudy.config.build import environment_of, executor_of
from repairstudy.config.frozen import frozen_settings, sha256
from repairstudy.errors import ConfigError, PlanError, StudyError
from repairstudy.executors import make_protocol
from repairstudy.imported import write_runs
from repairstudy.records import TABLES
from repairstudy.report.imported import imported_notes, left_out
from repairstudy.store import check

RUNS = [run("pit", *PIT), run("lost", *LOST), run("again", *PIT)]


def imported(path, runs=None, dropping=False, settings=None, **collection):
    """Trajectories, steps and rows of the runs in a file, for the executor `blind`."""
    if runs is not None:
        write_runs(runs, path)
    one = study(
        collection={"runs": {"blind": str(path)}, "drop_unusable": dropping, **collection},
        pools={"blind": {"deployed": "blind", "size": 2}},
    )
    out = io.StringIO()
    collected, rows = imported_failures(one, "blind", settings or frozen_settings(one), out)
    assert out.getvalue().startswith(f"importing for blind: {rows.height} runs in {path} (SHA-256")
    return collected.trajectories, collected.steps, rows


def refused(path, runs, error=StudyError, **options):
    with pytest.raises(error) as caught:
        imported(path, runs, **options)
    return str(caught.value)


def test_failures_are_taken_in_the_order_of_the_file_until_there_are_enough(tmp_path):
    trajectories, steps, rows = imported(tmp_path / "own.jsonl", RUNS, dropping=True)
    assert trajectories["task_id"].to_list() == [PIT[0], LOST[0]]
    assert trajectories["order"].to_list() == [0, 1]
    assert rows["verdict"].to_list() == ["failure", "failure", "unusable"]
    assert rows["detail"].to_list()[2] == "not needed: the pools hold 2 failures"
    assert rows["trajectory_id"].to_list() == [*trajectories["trajectory_id"], None]
    assert rows["sha256"].unique().to_list() == [sha256(tmp_path / "own.jsonl")]
    for frame, name in ((trajectories, "trajectories"), (steps, "steps"), (rows, "imported_runs")):
        check(frame, TABLES[name], name)
    assert number_failures(trajectories, "blind")["failure_id"].to_list() == [
        "blind-000",
        "blind-001",
    ]


def test_more_failures_than_are_needed_are_no_fault_of_the_file(tmp_path):
    assert imported(tmp_path / "own.jsonl", RUNS)[0].height == 2


def test_a_run_is_as_if_it_had_been_collected(tmp_path):
    """Every step restores to its recorded state, and the protocol's prompt is the same."""
    trajectories, steps, _ = imported(tmp_path / "own.jsonl", RUNS)
    one = study()
    environment, failures = environment_of(one), number_failures(trajectories, "blind")
    positions = pl.DataFrame(
        {"failure_id": ["blind-001"] * 3, "t": [0, 1, 2], "slack": [20, 19, 18],
         "is_primary": [True, False, False]},
    )  # fmt: skip
    found = list(situations(environment, positions, failures, trajectories, steps))
    shown, _ = walk(*LOST)
    protocol, template = make_protocol("transcript/1"), "Go.\n\n{observation}\nmove:{action}"
    for t, situation in enumerate(found):
        assert situation.observations == tuple(shown[: t + 1])
        assert (situation.prefix, situation.original) == (LOST[1][:t], LOST[1][t])
        turns = [
            f"{text}\nmove: {action}" for text, action in zip(shown, LOST[1][:t], strict=False)
        ]
        prompt = protocol.prompt(template, situation.view())
        assert prompt == "Go.\n\n" + "\n".join([*turns, f"{shown[t]}\nmove:"])
    assert trajectories["executor_id"].unique().to_list() == [executor_of(one, "blind").executor_id]


def test_no_more_failures_of_a_cluster_than_the_study_wants(tmp_path):
    alike = [run("a", *PIT), run("b", *PIT), run("c", *LOST)]
    trajectories, _, rows = imported(tmp_path / "own.jsonl", alike, max_per_cluster=1)
    assert trajectories["task_id"].to_list() == [PIT[0], LOST[0]]
    assert "layout-009 has 1 failures already (collection.max_per_cluster)" in rows["detail"][1]


def test_runs_that_went_alike_are_two_runs(tmp_path):
    trajectories, _, _ = imported(tmp_path / "own.jsonl", [run("a", *PIT), run("b", *PIT)])
    assert trajectories["trajectory_id"].n_unique() == 2


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (run("bad", *GOAL), "success: it solved the task"),
        (run("bad", "layout-99", ["up"]), "unreadable: task: environment gridworld has no task"),
        (run("bad", *PIT, observations=["A cave."]), "diverges: step 0: another observation"),
        (run("bad", "layout-009", ["jump"]), "diverges: step 0: 'jump' is not admissible"),
        (run("bad", "layout-009", ["right", "up"]), "diverges: step 1: the episode is over"),
        (run("bad", "layout-009", ["up", "down"] * 11), "unusable: 22 actions, the study's budget"),
        (run("bad", *PIT, success=True), "diverges: end: the log says success"),
        (run("bad\x1b[2J", *GOAL), "run 'bad\\x1b[2J': success"),
    ],
)
def test_a_run_that_is_no_failure_of_the_study_is_refused_and_named(tmp_path, bad, said):
    path = tmp_path / "own.jsonl"
    message = refused(path, [run("good", *LOST), bad])
    assert message.startswith(f"{path}: 1 of 2 runs are no failures of this study:\n")
    assert f"{path}, line 2, run 'bad" in message
    assert said in message
    assert "collection.drop_unusable" in message


@pytest.mark.parametrize(
    ("bad", "verdict"),
    [(run("bad", *GOAL), "success"), (run("bad", *PIT, observations=["A cave."]), "diverges"),
     (run("bad", "layout-009", ["up", "down"] * 11), "unusable")],
)  # fmt: skip
def test_it_is_left_out_and_recorded_where_the_study_says_so(tmp_path, bad, verdict):
    runs = [bad, run("pit", *PIT), run("lost", *LOST)]
    trajectories, _, rows = imported(tmp_path / "own.jsonl", runs, dropping=True)
    assert trajectories["order"].to_list() == [1, 2]
    assert rows["verdict"].to_list() == [verdict, "failure", "failure"]
    [note] = imported_notes({"imported_runs": rows})
    assert f"own.jsonl, SHA-256 {sha256(tmp_path / 'own.jsonl')}. Of its 3 runs 2 replay" in note
    assert "Left out: 1 (" in note
    [out] = left_out({"imported_runs": rows})
    assert (out["run"], out["verdict"], out["detail"]) == ("bad", verdict, rows["detail"][0])


def test_an_unknown_task_is_refused_even_then(tmp_path):
    runs = [run("bad", "layout-99", ["up"]), run("pit", *PIT)]
    assert "has no task 'layout-99'" in refused(tmp_path / "own.jsonl", runs, dropping=True)


def test_a_file_with_too_few_failures_is_refused_even_then(tmp_path):
    path, runs = tmp_path / "own.jsonl", [run("bad", *GOAL), run("pit", *PIT)]
    message = refused(path, runs, dropping=True)
    assert f"{path}: 1 of its 2 runs can be taken as failures, the pools want 2." in message
    assert "1 of its 2 runs can be" in refused(path, [*RUNS[::2]], max_per_cluster=1)


def test_faults_of_the_file_are_told_as_anywhere(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text("")
    assert refused(path, None, ConfigError) == f"{path}: no failed run in it"
    write_lines(path, [json.loads(run("a", *PIT).model_dump_json())] * 2)
    assert "line 2: failure_id: 'a' is that of" in refused(path, None, ConfigError)


def test_a_file_that_changed_after_the_plan_was_frozen_is_refused(tmp_path):
    path = tmp_path / "own.jsonl"
    write_runs(RUNS, path)
    frozen = frozen_settings(study(collection={"runs": {"blind": str(path)}}))
    write_runs(RUNS[1:], path)
    message = refused(path, None, PlanError, settings=frozen)
    assert (
        f"{sha256(path)[:16]}, but {frozen['shared']['collection']['runs']['blind'][:16]} is"
        in message
    )
    path.unlink()
    assert "there is no such file (collection.runs)" in refused(path, None, settings=frozen)


def test_what_is_frozen_is_the_content_of_the_file_and_not_its_place(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        write_runs(RUNS, tmp_path / name)

    def frozen(name, **more):
        section = {"runs": {"blind": str(tmp_path / name)}, **more}
        return frozen_settings(study(collection=section))["shared"]["collection"]

    assert frozen("a.jsonl") == frozen("b.jsonl")
    assert frozen("a.jsonl") != frozen("a.jsonl", drop_unusable=True)
    write_runs(RUNS[:2], tmp_path / "b.jsonl")
    assert frozen("a.jsonl") != frozen("b.jsonl")
    # A study that collects is frozen as it always was.
    plain = frozen_settings(study())["shared"]["collection"]
    assert plain == {"max_episodes": 20_000, "max_per_cluster": None}


def test_runs_of_an_executor_that_no_pool_deploys_are_refused():
    with pytest.raises(ConfigError, match=r"collection\.runs\.careful: no pool deploys it \(dep"):
        parse_study(content(collection={"runs": {"careful": "x.jsonl"}}), "tiny.yaml")


def test_a_study_that_collects_says_nothing_of_imports():
    assert imported_notes({}) == left_out({}) == []
