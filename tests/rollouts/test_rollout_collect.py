"""Collecting failures: the first in an order that only the seed decides."""

from __future__ import annotations

import asyncio
import io
import itertools
from dataclasses import replace

import polars as pl
import pytest
from rollout_toys import BUDGET, STARTS, Corridor, HashEngine, actor

from repairstudy.environments import replay
from repairstudy.errors import EngineError, ReplayMismatch, StudyError
from repairstudy.records.tables import STEPS, TRAJECTORIES
from repairstudy.rollouts import Collection, Limits, RolloutCache, RolloutSpec, collect_failures
from repairstudy.rollouts.order import CollectionOrder
from repairstudy.rollouts.recording import record_steps

WANTED = Collection(size=7, budget=BUDGET, seed=5, window=8)


def collect(folder, collection=WANTED, engine=None, environments=Corridor, **options):
    limits = options.pop("limits", Limits(retries=0))
    acting = options.pop("acting", None) or actor(engine)
    return asyncio.run(
        collect_failures(acting, environments, RolloutCache(folder), collection, limits, **options)
    )


def changed(**fields):
    return replace(WANTED, **fields)


def test_every_pass_is_a_seeded_permutation_of_all_tasks():
    order = CollectionOrder(list("abcde"), seed=3)
    places = [order[index] for index in range(50)]
    passes = [tuple(place.task_id for place in places[at : at + 5]) for at in range(0, 50, 5)]
    assert all(sorted(each) == list("abcde") for each in passes)
    assert len(set(passes)) > 5
    assert [place.replicate for place in places] == [index // 5 for index in range(50)]
    assert [order[index] for index in (49, 0, 27)] == [places[index] for index in (49, 0, 27)]
    other = CollectionOrder(list("abcde"), seed=4)
    assert [other[index] for index in range(50)] != places


def test_the_run_ends_with_the_last_failure_needed(tmp_path):
    found = collect(tmp_path).trajectories
    assert dict(found.schema) == TRAJECTORIES.schema
    assert (~found["success"]).sum() == 7
    assert not found["success"][-1]
    assert found["order"].to_list() == list(range(found.height))
    assert found["success"].sum() > 0


def test_runs_are_rollouts_of_role_collect_in_collection_order(tmp_path):
    found = collect(tmp_path).trajectories
    order = CollectionOrder(tuple(STARTS), WANTED.seed)
    for index, row in enumerate(found.iter_rows(named=True)):
        place = order[index]
        made = RolloutSpec(
            executor_id=actor().executor_id, environment="corridor", environment_version="1",
            task_id=place.task_id, prefix=(), forced=None, budget=BUDGET, role="collect",
            replicate=place.replicate,
        )  # fmt: skip
        assert (row["trajectory_id"], row["seed"], row["task_id"]) == (
            made.key, made.seed, place.task_id,
        )  # fmt: skip
        assert row["cluster"] == Corridor().cluster(place.task_id)


def test_neither_window_nor_concurrency_nor_speed_chooses_the_failures(tmp_path):
    reference = collect(tmp_path / "reference")
    fast_failures = HashEngine(delay_s=lambda call: call % 7 * 0.0005)
    variants = [(1, None, 1), (3, None, 2), (1000, fast_failures, 40), (8, fast_failures, 5)]
    for number, (window, engine, in_flight) in enumerate(variants):
        found = collect(
            tmp_path / str(number), changed(window=window), engine,
            limits=Limits(max_in_flight=in_flight),
        )  # fmt: skip
        assert found.trajectories.equals(reference.trajectories)
        assert found.steps.equals(reference.steps)


def test_more_failures_extend_the_same_sequence_and_use_the_cache(tmp_path):
    first = collect(tmp_path)
    engine = HashEngine()
    again = collect(tmp_path, engine=engine)
    assert engine.calls == 0
    assert again.trajectories.equals(first.trajectories)
    more = collect(tmp_path, changed(size=12)).trajectories
    assert more.head(first.trajectories.height).equals(first.trajectories)
    assert (~more["success"]).sum() == 12


def test_another_seed_gives_another_order(tmp_path):
    tasks = collect(tmp_path).trajectories["task_id"].to_list()
    assert collect(tmp_path, changed(seed=6)).trajectories["task_id"].to_list() != tasks


def test_steps_hold_what_was_seen_and_replay_to_the_same_states(tmp_path):
    found = collect(tmp_path)
    assert dict(found.steps.schema) == STEPS.schema
    for run in found.trajectories.iter_rows(named=True):
        steps = found.steps.filter(pl.col("trajectory_id") == run["trajectory_id"])
        assert steps["t"].to_list() == list(range(run["steps"]))
        environment = Corridor()
        actions = steps["action"].to_list()
        for step in steps.iter_rows(named=True):
            replay(
                environment, run["task_id"], actions[: step["t"]],
                expected_signature=step["signature"], expected_observation=step["observation"],
            )  # fmt: skip
            assert step["drawing"] == environment.describe()
            assert step["valid"] == (step["action"] in environment.admissible_actions())
        assert environment.step(actions[-1]).done == (run["reward"] in (0.0, 1.0))


def test_invalid_actions_are_steps_too(tmp_path):
    acting = actor(HashEngine(texts=("right", "dance")), mode="text")
    steps = collect(tmp_path, changed(size=2), acting=acting).steps
    assert steps.filter(~pl.col("valid"))["action"].unique().to_list() == ["dance"]


def test_a_cap_passes_over_full_clusters_whatever_the_window(tmp_path):
    capped = changed(size=8, max_per_cluster=4)
    found = collect(tmp_path / "a", capped).trajectories
    failures = found.filter(~pl.col("success"))
    assert failures.height == 8
    assert max(failures["cluster"].value_counts()["count"]) == 4
    uncapped = collect(tmp_path / "b", changed(size=30)).trajectories
    expected, full = [], {"easy": 0, "hard": 0}
    for run in uncapped.iter_rows(named=True):
        if full[run["cluster"]] < 4 and sum(full.values()) < 8:
            full[run["cluster"]] += not run["success"]
            expected.append(run["order"])
    assert found["order"].to_list() == expected
    assert expected != list(range(len(expected))), "no run was passed over"
    for window in (1, 100):
        other = collect(tmp_path / f"w{window}", replace(capped, window=window))
        assert other.trajectories.equals(found)
    assert RolloutCache(tmp_path / "w1").read().height == found.height, "others were run in vain"


def test_too_few_failures_are_an_error_that_says_how_many(tmp_path):
    with pytest.raises(
        StudyError, match=r"executor toy: \d+ of 700 failures in 40 runs .*first 40"
    ):
        collect(tmp_path, changed(size=700, max_episodes=40))
    with pytest.raises(StudyError, match=r"2 of 7 failures .* max_per_cluster is 1"):
        collect(tmp_path, changed(max_episodes=200, max_per_cluster=1))


def test_an_infrastructure_error_stops_the_collection_and_the_next_try_mends_it(tmp_path):
    def fails_once(call):
        if call == 30:
            raise EngineError("502 bad gateway")

    with pytest.raises(EngineError, match=r"collected run \w+ ended in an infra.* 502 bad gateway"):
        collect(tmp_path / "a", engine=HashEngine(fault=fails_once))
    mended = collect(tmp_path / "a")
    undisturbed = collect(tmp_path / "b")
    assert mended.trajectories.equals(undisturbed.trajectories)


def test_an_environment_that_changed_under_its_version_is_noticed(tmp_path):
    class Changed(Corridor):
        def outcome(self):
            return Corridor.outcome(self) if self.cell == 6 else super().outcome()

        def reset(self, task_id, seed=0):
            super().reset(task_id, seed)
            self.cell += 1 if task_id == "far" else 0
            return self.observation()

    collect(tmp_path)
    with pytest.raises(ReplayMismatch, match="changed without its version"):
        collect(tmp_path, environments=Changed)


def test_recording_stops_at_an_outcome_that_the_actions_do_not_give():
    row = {"trajectory_id": "r", "task_id": "near", "success": False, "reward": 0.5}
    with pytest.raises(ReplayMismatch, match="run r of task near"):
        record_steps(Corridor(), row, ["right"])


def test_progress_is_told_window_by_window(tmp_path):
    stream = io.StringIO()
    collect(tmp_path, stream=stream)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 2
    assert lines[-1].startswith("collecting for toy: 7 of 7 failures in ")


def test_tasks_are_needed():
    with pytest.raises(ValueError, match="tasks"):
        CollectionOrder([], seed=1)


def test_two_seeds_share_the_runs_of_a_task_and_pass(tmp_path):
    """The seed decides the order, not the outcome of a place: a change of it costs little."""
    first = collect(tmp_path, changed(size=20)).trajectories
    second = collect(tmp_path, changed(size=20, seed=6)).trajectories
    shared = set(first["trajectory_id"]) & set(second["trajectory_id"])
    assert len(shared) > 0.8 * first.height
    pairs = itertools.product(first.iter_rows(named=True), second.iter_rows(named=True))
    assert all(
        a["success"] == b["success"] for a, b in pairs if a["trajectory_id"] == b["trajectory_id"]
    )
