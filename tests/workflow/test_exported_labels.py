"""`snakemake export`: the labels of the miniature study against its own rollouts."""

import duckdb
import polars as pl
import pytest

from repairstudy.analysis.export import FAILED_RUNS, REPAIR_LABELS
from repairstudy.store import read_table
from repairstudy.store.jsonl import read_jsonl

pytestmark = pytest.mark.workflow


def read(tiny, table):
    with duckdb.connect(tiny.path("results/tiny/study.duckdb"), read_only=True) as database:
        return database.sql(f'SELECT * FROM "{table}"').pl()


@pytest.fixture(scope="module")
def folder(tiny):
    tiny.run("export")
    return tiny.path("results/tiny/export")


def test_both_formats_hold_the_same(folder):
    for table in (REPAIR_LABELS, FAILED_RUNS):
        rows = read_table(folder / f"{table.name}.parquet", table)
        assert rows.height
        assert rows.equals(read_jsonl(folder / f"{table.name}.jsonl", table))
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("---\n")


def test_every_label_names_its_executor(folder, tiny):
    labels = read_table(folder / "repair_labels.parquet", REPAIR_LABELS)
    executors = read(tiny, "executors")
    joined = labels.join(executors, on=["executor_id", "identity", "model"])
    assert joined.height == labels.height
    assert (joined["executor"] == joined["name"]).all()


def test_counts_are_those_of_the_rollouts(folder, tiny):
    labels = read_table(folder / "repair_labels.parquet", REPAIR_LABELS)
    rollouts = read(tiny, "rollouts").join(read(tiny, "failures"), on="failure_id", how="semi")
    key = ["failure_id", "t", "candidate_id", "executor_id", "role"]
    counted = rollouts.group_by(key).agg(
        n=pl.col("success").count(), wins=pl.col("success").sum(), all=pl.len()
    )
    joined = labels.join(counted, on=key, how="full")
    assert joined["n"].null_count() == joined["rollouts"].null_count() == 0
    assert (joined["rollouts"] == joined["n"]).all()
    assert (joined["successes"] == joined["wins"]).all()
    assert (joined["rollouts"] + joined["errors"] == joined["all"]).all()


def test_failures_are_labelled_and_the_labels_are_what_their_steps_show(tiny):
    """The planted executor is blind to pits: it must be seen to enter them, at its last step."""
    labels = read(tiny, "failure_labels")
    assert set(labels["failure_id"]) == set(read(tiny, "failures")["failure_id"])
    pits = labels.filter(label="entered_pit")
    runs = read(tiny, "failures").select("failure_id", "trajectory_id").unique()
    last = (
        read(tiny, "steps")
        .join(runs, on="trajectory_id")
        .sort("t")
        .group_by("failure_id")
        .agg(pl.col("t", "observation", "action").last())
    )
    fell = last.filter(pl.col("observation").str.contains(pl.format("{} pit", "action")))
    assert fell.height
    assert set(pits["failure_id"]) == set(fell["failure_id"])
    for failure, t in fell.select("failure_id", "t").iter_rows():
        [evidence] = pits.filter(failure_id=failure)["evidence"]
        assert evidence.startswith(f"step {t}: ")


def test_results_are_broken_down_by_label_and_certified(tiny):
    results = read(tiny, "results")
    assert results.filter(analysis="by_label").height
    assert results.filter(analysis="certificate", estimand="cheapest_certified").height == len(
        results.filter(analysis="positive_control")["pool"].unique()
    )
