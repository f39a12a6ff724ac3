"""What `repairstudy cost` says of the miniature study, against what the study then used."""

import json

import polars as pl
import pytest

from repairstudy.cli.main import main

pytestmark = pytest.mark.workflow

CONFIG, DATABASE = "config/studies/tiny.yaml", "results/tiny/study.duckdb"
MAIN_ROLES = ("label", "control", "evaluate")


@pytest.fixture
def ask(tiny, monkeypatch, capsys):
    """Runs the command where the study is; its JSON document."""
    monkeypatch.chdir(tiny.folder)

    def asked(*options):
        assert main(["cost", CONFIG, "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    return asked


def true_shape(tiny):
    """Options that give the true number of positions, and of distinct repairs of each.

    Short runs have fewer positions, and failures that share task, prefix and action share rollouts.
    """
    labels = pl.read_parquet(tiny.path("results/tiny/rollouts.parquet")).filter(role="label")
    positions = labels.n_unique(["failure_id", "t"])
    arms = labels.filter(replicate=0)["rollout_key"].n_unique()
    return (
        *("--positions", str(positions / labels["failure_id"].n_unique())),
        *("--candidates", str(arms / positions - 1)),
    )


def test_with_the_true_number_of_positions_and_candidates_the_counts_are_exact(ask, tiny):
    rows = ask("--against", DATABASE, *true_shape(tiny))
    counts = {
        (row["executor"], row["role"]): row["rollouts"] for row in rows if row["role"] in MAIN_ROLES
    }
    assert set(counts) == {
        ("blind", "label"), ("blind", "control"), ("blind@greedy", "evaluate"),
        ("blind@0.3", "evaluate"), ("careful", "evaluate"),
    }  # fmt: skip
    for count in counts.values():
        assert count["predicted"] == count["used"] > 0


def test_from_the_configuration_alone_all_sums_are_right_within_a_factor_of_two_and_a_half(ask):
    total = ask("--against", DATABASE)[-1]
    assert total["executor"] == "all"
    for quantity in ("rollouts", "steps", "tokens_in", "tokens_out"):
        assert 1 / 2.5 < total[quantity]["ratio"] < 2.5


def test_known_lengths_bring_steps_and_tokens_closer(ask, tiny):
    """Each role by itself, with what a pilot study would have told."""
    rows = ask("--against", DATABASE)
    label = next(row for row in rows if (row["executor"], row["role"]) == ("blind", "label"))
    steps = label["steps"]["used"] / label["rollouts"]["used"] / (20 - 7.5)
    found = ask(
        "--against", DATABASE, *true_shape(tiny),
        "--assume", f"steps={steps}",
    )  # fmt: skip
    label = next(row for row in found if (row["executor"], row["role"]) == ("blind", "label"))
    assert label["steps"]["predicted"] == label["steps"]["used"]
    for quantity in ("tokens_in", "tokens_out"):  # the template, filled along random episodes
        assert label[quantity]["ratio"] == pytest.approx(1, abs=0.1)


def test_planned_rollouts_are_the_study_s_own_and_nothing_of_them_is_left(ask, tiny):
    costs = ask()["costs"]
    rollouts = pl.read_parquet(tiny.path("results/tiny/rollouts.parquet")).unique("rollout_key")
    planned = [cost for cost in costs if cost["stage"] in ("screen", "main", "fresh")]
    assert all(cost["planned"] for cost in planned)
    assert sum(cost["rollouts"] for cost in planned) == rollouts.height
    assert all(cost["cached"] == cost["rollouts"] for cost in costs)


def test_without_the_cache_all_is_left_and_a_part_of_it_counts(ask, tiny, monkeypatch, tmp_path):
    (tmp_path / "config").symlink_to(tiny.path("config"))
    (tmp_path / "resources").symlink_to(tiny.path("resources"))
    cache = tmp_path / "results/cache/rollouts"
    monkeypatch.chdir(tmp_path)
    assert not any(cost["cached"] for cost in ask()["costs"])
    cache.mkdir(parents=True)
    executors = pl.read_parquet(tiny.path("results/tiny/executors.parquet"))
    [executor_id] = executors.filter(name="careful")["executor_id"]
    (cache / executor_id).symlink_to(tiny.path(f"results/cache/rollouts/{executor_id}"))
    used = pl.read_parquet(tiny.path("results/tiny/rollouts.parquet"))
    known = used.filter(executor_id=executor_id)["rollout_key"].n_unique()
    cached = {cost["who"]: 0.0 for cost in ask()["costs"]}
    for cost in ask()["costs"]:
        cached[cost["who"]] += cost["cached"]
    assert {who: n for who, n in cached.items() if n} == {"careful": known}
