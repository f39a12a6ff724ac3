"""`repairstudy pick` on a gridworld whose executor's exact values are known."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from repairstudy.cli.main import main
from repairstudy.cli.picking import running
from repairstudy.config import parse_study
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.environments.exact import action_values, enumerate_states, state_values
from repairstudy.environments.replay import replay
from repairstudy.errors import EngineError
from repairstudy.executors.decoding import action_probabilities
from repairstudy.rollouts import Collection, RolloutCache, collect_failures

ROOT = Path(__file__).parents[2]
TINY = "config/studies/tiny.yaml"


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def configured(folder, **changed):
    """The tiny study with a cache of its own: the file and the study."""
    content = yaml.safe_load(Path(TINY).read_text("utf-8"))
    content |= {"cache": f"{folder}/cache", "results": f"{folder}/results"}
    content["rollouts"] = content["rollouts"] | {"retries": 0}
    content |= changed
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path, parse_study(content, str(path))


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def picked(failures, study, *options):
    """The document of a run of the command."""
    out = Path(study).parent / "picked.json"
    words = [str(failures), "--study", str(study), "--json", str(out), *map(str, options)]
    assert main(["pick", *words]) == 0
    return json.loads(out.read_text("utf-8"))


def cached(study):
    return RolloutCache(f"{study.cache}/rollouts").read()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Failed runs of the pit-blind executor in 60 layouts, each with a step that has slack."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        folder = tmp_path_factory.mktemp("pick")
        content = yaml.safe_load(Path(TINY).read_text("utf-8"))
        options = content["environment"]["options"] | {"layouts": 60}
        path, study = configured(folder, environment=content["environment"] | {"options": options})
        executor = executor_of(study, "blind")
        engine = engine_of(study, "blind", folder / "log")
        collected = asyncio.run(
            collect_failures(
                actor_of(study, executor, engine),
                lambda: environment_of(study),
                RolloutCache(folder / "collected"),
                Collection(size=250, budget=study.environment.budget, seed=study.seed),
            )
        )
        failed = collected.trajectories.filter(~pl.col("success"))
        runs = collected.steps.sort("t").group_by("trajectory_id").agg("action")
        actions = dict(runs.iter_rows())
        rows = {}
        for task, run in failed.select("task_id", "trajectory_id").iter_rows():
            t = min(len(actions[run]) // 2, 12)
            rows.setdefault((task, *actions[run][: t + 1]), (task, actions[run], t))
        failures = [
            {"failure_id": f"run-{place}", "task_id": task, "actions": found, "t": t}
            for place, (task, found, t) in enumerate(rows.values())
        ]
        yield lines(folder / "failures.jsonl", failures), path, exact_values(study, failures)


def exact_values(study, failures):
    """By failure, the exact success probability of every admissible action under `blind`."""
    environment = environment_of(study)
    engine = SimulatedEngine(planted_policy(study.models["blind"].parameters))
    decoding = executor_of(study, "blind").decoding

    def policy(observation, admissible):
        scores = asyncio.run(engine.score(observation, [f" {one}" for one in admissible]))
        return action_probabilities(scores.logprobs, decoding)

    budget = study.environment.budget
    space = enumerate_states(environment, map(environment.initial, environment.tasks()))
    values = state_values(space, policy, budget)
    found = {}
    for row in failures:
        replay(environment, row["task_id"], row["actions"][: row["t"]])
        found[row["failure_id"]] = action_values(
            space, values, environment.state(), budget - row["t"]
        )
    return found


def gains(exact, document):
    """Exact net gains of the chosen actions, and of the best ones."""
    chosen, best = [], []
    for one in document["failures"]:
        values = exact[one["failure_id"]]
        original = values[one["original"]]
        others = [p for action, p in values.items() if action != one["original"]]
        chosen.append(values[one["action"]] - original)
        best.append(max(others) - original)
    return np.array(chosen), np.array(best)


def column(document, name):
    return np.array([one[name] for one in document["failures"]])


@pytest.mark.parametrize("method", ["perfect-information", "top-two", "successive-rejects"])
def test_choices_are_nearly_the_best_and_intervals_cover_their_exact_gains(world, method):
    failures, study, exact = world
    document = picked(failures, study, "--method", method)
    chosen, best = gains(exact, document)
    assert len(chosen) >= 70
    assert (best - chosen).mean() < 0.04
    assert (best - chosen).max() <= 0.45
    inside = (column(document, "low") <= chosen) & (chosen <= column(document, "high"))
    assert inside.mean() >= 0.93
    # What was confirmed has no selection in it.
    error = (column(document, "net_gain") - chosen).mean()
    assert abs(error) < 3 * np.sqrt(2 * 0.25 / 10 / len(chosen))
    for one, true in zip(document["failures"], chosen, strict=True):
        if one["decision"] == "replace":
            assert true > 0
        if one["decision"] == "keep_original":
            assert true < 0


def test_stopping_early_spends_fewer_rollouts_than_uniform_for_choices_as_good(world):
    failures, study, exact = world
    early, uniform = (picked(failures, study, "--method", one)
                      for one in ("perfect-information", "uniform"))  # fmt: skip
    spent = [one["summary"]["selection_rollouts"] for one in (early, uniform)]
    assert spent[0] < 0.7 * spent[1]
    assert spent[1] == 10 * sum(len(one["candidates"]) for one in uniform["failures"])
    loss = [np.mean(best - chosen) for chosen, best in (gains(exact, d) for d in (early, uniform))]
    assert loss[0] < loss[1] + 0.03


def test_a_naive_claim_exceeds_what_fresh_rollouts_and_exact_values_say(world):
    failures, study, exact = world
    document = picked(failures, study, "--method", "uniform", "--budget", 3)
    naive = np.array([one["naive"]["net_gain"] for one in document["failures"]])
    chosen, _ = gains(exact, document)
    assert naive.mean() > column(document, "net_gain").mean() + 0.03
    assert naive.mean() > chosen.mean() + 0.03
    assert abs(column(document, "net_gain").mean() - chosen.mean()) < 0.03


def test_a_second_run_asks_for_no_new_rollout_and_says_the_same(tmp_path, capsys):
    failures = lines(tmp_path / "failures.jsonl", FAILED)
    path, study = configured(tmp_path)
    first = picked(failures, path)
    rows = cached(study)
    assert rows.height == first["summary"]["distinct_rollouts"]
    table = capsys.readouterr().out
    assert picked(failures, path) == first
    again = capsys.readouterr()
    assert again.out == table
    assert again.err == f"{rows.height:,} rollouts, 0 of them run now\n"
    assert cached(study).equals(rows)
    # More confirmation adds to the draws that are there, and selection stays as it was.
    more = picked(failures, path, "--confirm", 20)
    assert cached(study).height == rows.height + 10 * 2 * len(FAILED)
    assert [one["action"] for one in more["failures"]] == [
        one["action"] for one in first["failures"]
    ]


def test_selection_and_confirmation_are_different_draws_and_none_is_a_study_s(tmp_path):
    failures = lines(tmp_path / "failures.jsonl", FAILED)
    path, study = configured(tmp_path)
    summary = picked(failures, path, "--method", "uniform", "--budget", 10)["summary"]
    together = summary["selection_rollouts"] + summary["confirmation_rollouts"]
    assert summary["distinct_rollouts"] == together == cached(study).height
    assert cached(study)["seed"].n_unique() == together


def test_failures_that_share_task_actions_and_step_share_draws(tmp_path):
    path, study = configured(tmp_path)
    twice = [GOOD, GOOD | {"failure_id": "again"}]
    document = picked(lines(tmp_path / "f.jsonl", twice), path, "--method", "uniform")
    first, again = (one | {"failure_id": ""} for one in document["failures"])
    assert first == again
    summary = document["summary"]
    spent = summary["selection_rollouts"] + summary["confirmation_rollouts"]
    assert 2 * summary["distinct_rollouts"] == spent == 2 * cached(study).height


class Dying:
    """An engine that answers so many requests and then no more."""

    def __init__(self, engine, answers):
        self._engine, self._left = engine, answers

    async def score(self, prompt, choices):
        self._left -= 1
        if self._left < 0:
            raise EngineError("the server is gone")
        return await self._engine.score(prompt, choices)

    async def close(self):
        await self._engine.close()


@pytest.mark.parametrize("answers", [0, 7, 150])
def test_a_dead_engine_loses_nothing_and_the_same_command_goes_on(
    tmp_path, monkeypatch, capsys, answers
):
    folders = [tmp_path / name for name in ("whole", "broken")]
    for folder in folders:
        folder.mkdir()
        lines(folder / "failures.jsonl", FAILED)
    whole, _ = configured(folders[0])
    expected = picked(folders[0] / "failures.jsonl", whole)
    path, study = configured(folders[1])

    def dying(config, model, log):
        return Dying(SimulatedEngine(planted_policy(config.models[model].parameters)), answers)

    with monkeypatch.context() as patch:
        patch.setattr(running, "engine_of", dying)
        capsys.readouterr()
        assert main(["pick", str(folders[1] / "failures.jsonl"), "--study", str(path)]) == 1
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("error: ")
    assert "the server is gone" in told
    assert told.endswith("What had finished is in the cache; the same command goes on from there.")
    before = cached(study)
    finished = before.filter(pl.col("status") != "infrastructure_error")
    assert 0 < finished.height < expected["summary"]["distinct_rollouts"]  # a pit ends some at once
    assert picked(folders[1] / "failures.jsonl", path) == expected
    after = cached(study)
    assert after.height == expected["summary"]["distinct_rollouts"]
    assert after.join(finished, on=finished.columns, how="semi", nulls_equal=True).height == (
        finished.height  # not one of them was run again
    )


KILLED = """
import os, signal, sys
from repairstudy.cli.main import main
from repairstudy.cli.picking import running
from repairstudy.engines.simulated import SimulatedEngine, planted_policy

class Fatal(SimulatedEngine):
    left = 120

    async def score(self, prompt, choices):
        Fatal.left -= 1
        if Fatal.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().score(prompt, choices)

running.engine_of = lambda study, model, log: Fatal(planted_policy(study.models[model].parameters))
main(["pick", *sys.argv[1:]])
"""


def test_a_killed_command_goes_on_where_it_was(tmp_path):
    """SIGKILL in the middle of a round: those before are in the cache."""
    failures = lines(tmp_path / "failures.jsonl", FAILED)
    path, study = configured(tmp_path)
    words = [sys.executable, "-c", KILLED, str(failures), "--study", str(path)]
    killed = subprocess.run(words, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    before = cached(study)
    document = picked(failures, path)
    after = cached(study)
    assert 11 <= before.height < after.height == document["summary"]["distinct_rollouts"]
    assert after.join(before, on="rollout_key", how="semi").equals(before)


def test_candidates_of_several_steps_compete_and_each_gains_over_its_own_original(tmp_path):
    run = {
        "failure_id": "steps", "task_id": "layout-010",
        "actions": ["down", "down", "up", "down", "down", "right", "right"],
        "candidates": [{"t": 0, "action": "right"}, {"t": 3, "action": "up"}],
    }  # fmt: skip
    path, _ = configured(tmp_path)
    document = picked(lines(tmp_path / "f.jsonl", [run]), path)
    (one,) = document["failures"]
    arms = [(arm["t"], arm["action"], arm["is_original"]) for arm in one["candidates"]]
    assert arms == [(0, "down", True), (3, "down", True), (0, "right", False), (3, "up", False)]
    fresh = [arm for arm in one["candidates"] if arm["confirmation_rollouts"]]
    assert [arm["t"] for arm in fresh] == [one["t"]] * 2
    assert one["net_gain"] == pytest.approx(
        fresh[1]["confirmation_mean"] - fresh[0]["confirmation_mean"], abs=1e-8
    )


def test_rewards_are_compared_where_the_study_measures_rewards(tmp_path):
    path, _ = configured(tmp_path, metric="reward")
    document = picked(lines(tmp_path / "f.jsonl", FAILED), path, "--budget", 3)
    assert document["metric"] == "reward"
    assert all(one["low"] < one["high"] for one in document["failures"])


def test_admissible_actions_beyond_the_most_are_drawn_once_and_for_all(tmp_path):
    path, _ = configured(tmp_path)
    failures = lines(tmp_path / "f.jsonl", FAILED[1:2])
    document = picked(failures, path, "--most", 1, "--budget", 1)
    assert len(document["failures"][0]["candidates"]) == 2
    assert picked(failures, path, "--most", 1, "--budget", 1) == document


def test_json_to_standard_output_leaves_the_table_out(tmp_path, capsys):
    path, _ = configured(tmp_path)
    failures = lines(tmp_path / "f.jsonl", FAILED[:1])
    words = [str(failures), "--study", str(path), "--pool", "blind", "--json", "-"]
    assert main(["pick", *words]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["executor"] == "blind"
    assert str(tmp_path) not in json.dumps(document)


FAILED = [
    {"failure_id": "a", "task_id": "layout-006", "actions": ["down", "down"], "t": 0},
    {"failure_id": "b", "task_id": "layout-010", "actions": ["right", "right", "down", "down"],
     "t": 1},
    {"failure_id": "c", "task_id": "layout-009", "actions": ["right"], "t": 0,
     "candidates": ["up", "left"]},
]  # fmt: skip
GOOD = FAILED[0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ({"task_id": "layout-006", "actions": ["up"], "t": 0}, "failure_id: required and missing"),
        (GOOD | {"step": 0}, "step: unknown key"),
        (GOOD | {"t": "0"}, "t: Input should be a valid integer"),
        (GOOD | {"t": 2}, "t: 2 is no step of 2 actions"),
        (GOOD | {"t": None}, "t: needed where candidates name no steps"),
        (GOOD | {"t": None, "candidates": ["up"]}, "t: needed, since"),
        (GOOD | {"actions": []}, "actions: List should have at least 1"),
        (GOOD | {"candidates": []}, "candidates: List should have at least 1"),
        (GOOD | {"candidates": ["up", 3]}, "candidates: number 1 is neither"),
        (GOOD | {"candidates": [{"t": 5, "action": "up"}]}, "t: 5 is no step"),
        (GOOD | {"candidates": ["dance"]}, "candidates: 'dance' is not admissible at step 0"),
        (GOOD | {"candidates": ["down"]}, "candidates: none is another action"),
        (GOOD | {"task_id": "layout-999"}, "task_id: environment gridworld has no task"),
        (GOOD | {"actions": ["up"] * 30, "t": 25}, "t: step 25 is beyond the study's budget of 20"),
        (GOOD | {"actions": ["down", "down", "up", "up"], "t": 3}, "actions: "),
        (GOOD | {"failure_id": "first"}, "failure_id: 'first' is that of"),
    ],
)
def test_a_bad_line_is_told_with_file_line_and_field(tmp_path, capsys, line, told):
    path, study = configured(tmp_path)
    first = json.dumps(GOOD | {"failure_id": "first"})
    bad = line if isinstance(line, str) else json.dumps(line)
    failures = tmp_path / "f.jsonl"
    failures.write_text(f"{first}\n\n{bad}\n", encoding="utf-8")
    assert main(["pick", str(failures), "--study", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {failures}, line 3: {told}")
    assert error.count("\n") == 1
    assert cached(study).is_empty()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--pool", "none"], "--pool: no pool 'none' (known: blind, blind-screened)"),
        (["--executor", "none"], "--executor: no executor 'none' (known: blind, careful)"),
        (["--budget", "0"], "--budget: 0 is below 1"),
        (["--confirm", "0"], "--confirm: 0 is below 1"),
        (["--level", "1"], "--level: 1.0 is not between 0 and 1"),
        (["--margin", "-1"], "--margin: -1.0 is not from 0 to 1"),
        (["--json", "/nowhere/out.json"], "--json /nowhere/out.json: cannot be written"),
    ],
)
def test_a_bad_option_is_told_before_any_rollout(tmp_path, capsys, options, told):
    path, study = configured(tmp_path)
    failures = lines(tmp_path / "f.jsonl", FAILED)
    assert main(["pick", str(failures), "--study", str(path), *options]) == 1
    assert capsys.readouterr().err == f"error: {told}\n"
    assert cached(study).is_empty()


def test_with_several_deployed_executors_one_must_be_named(tmp_path, capsys):
    pools = {"a": {"deployed": "blind", "size": 1}, "b": {"deployed": "careful", "size": 1}}
    path, _ = configured(tmp_path, pools=pools)
    failures = lines(tmp_path / "f.jsonl", FAILED[:1])
    assert main(["pick", str(failures), "--study", str(path)]) == 1
    assert "give --pool or --executor: the study deploys blind, careful" in capsys.readouterr().err
    assert picked(failures, path, "--pool", "b")["executor"] == "careful"


def test_an_empty_or_missing_file_is_told(tmp_path, capsys):
    path, _ = configured(tmp_path)
    empty = lines(tmp_path / "f.jsonl", [])
    assert main(["pick", str(empty), "--study", str(path)]) == 1
    assert capsys.readouterr().err == f"error: {empty}: no failed run in it\n"
    assert main(["pick", str(tmp_path / "no.jsonl"), "--study", str(path)]) == 1
    assert "no.jsonl: cannot be read" in capsys.readouterr().err


def test_the_example_of_the_documentation_says_what_the_command_says(tmp_path, capsys):
    page = (ROOT / "docs/pick.md").read_text("utf-8")
    failures, command, shown = (
        page.split(f"```{kind}\n")[1].split("```\n")[0] for kind in ("json", "sh", "text")
    )
    path, _ = configured(tmp_path)
    (tmp_path / "failures.jsonl").write_text(failures, encoding="utf-8")
    words = command.split()
    assert words[:2] == [".venv/bin/repairstudy", "pick"]
    named = {"failures.jsonl": tmp_path / "failures.jsonl", TINY: path,
             "picked.json": tmp_path / "picked.json"}  # fmt: skip
    assert main([str(named.pop(word, word)) for word in words[1:]]) == 0
    assert not named
    assert capsys.readouterr().out == shown
    assert json.loads((tmp_path / "picked.json").read_text("utf-8"))["summary"]["replace"] >= 1
