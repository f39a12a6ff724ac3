"""`repairstudy pick` on a gridworld whose executor's exact values are known."""

import asyncio
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from pick_runs import FAILED, GOOD, ROOT, TINY, cached, configured, lines, picked

from repairstudy.cli.main import main
from repairstudy.config.build import actor_of, engine_of, environment_of, executor_of
from repairstudy.engines.simulated import SimulatedEngine, planted_policy
from repairstudy.environments.exact import action_values, enumerate_states, state_values
from repairstudy.environments.replay import replay
from repairstudy.executors.decoding import action_probabilities
from repairstudy.rollouts import Collection, RolloutCache, collect_failures


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


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
