"""Losses among the failures that share a label."""

from __future__ import annotations

import polars as pl
from analysis_worlds import World, approx, estimate, frozen, row, wins

from repairstudy.analysis import analyse, build_pool, select
from repairstudy.records import TABLES


def labelled_world():
    """Ten failures: `judge` is right in the six that loop, and wrong in the others."""
    world = World()
    for i in range(10):
        name, looped = f"f{i}", i < 6
        world.failure(name)
        world.position(name, 0, {"a": wins(10), "b": wins(0)}, wins(0))
        world.score("judge", name, 0, {"a": float(looped), "b": float(not looped)})
    return world


def by_label(labels, **plan):
    frames = labelled_world().frames()
    pool = build_pool(frames, "pool")
    table = pl.DataFrame(
        [(failure, "failure_type", label, "") for failure, label in labels],
        TABLES["failure_labels"].schema,
        orient="row",
    )
    results = analyse([pool], select(pool).values, frozen(**plan), failure_labels=table)
    return results.filter(analysis="by_label")


LABELS = [(f"f{i}", "loop" if i < 6 else "rare") for i in range(10)]
FAMILY = {"name": "all", "pool": "pool", "evaluators": ["judge"]}


def test_losses_are_means_over_the_failures_with_the_label():
    frame = by_label(LABELS, families=[FAMILY])
    loop = "failure_type: loop"
    assert estimate(frame, "by_label", f"{loop}|judge", "loss") == approx(0.0)
    assert estimate(frame, "by_label", f"{loop}|random", "loss") == approx(0.5)
    found = row(frame, "by_label", f"{loop}|random", "loss")
    assert (found["n_failures"], found["n_rollouts"], found["confirmatory"]) == (6, 6 * 20, False)
    assert "axis = 'failure_type' AND label = 'loop'" in str(found["rollouts_query"])
    assert "clusters" in str(found["note"])


def test_labels_of_few_failures_are_left_out():
    assert set(by_label(LABELS)["evaluator"]) == {"failure_type: loop|random"}


def test_a_label_that_all_share_says_nothing_new():
    assert by_label([(f"f{i}", "loop") for i in range(10)], families=[FAMILY]).is_empty()
    most = by_label([(f"f{i}", "loop") for i in range(9)], families=[FAMILY])
    assert estimate(most, "by_label", "failure_type: loop|judge", "loss") == approx(3 / 9)


def test_without_labels_there_are_no_rows():
    assert by_label([]).is_empty()
