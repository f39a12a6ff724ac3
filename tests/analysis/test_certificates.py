"""Certificates of a study: who is certified, who is chosen, and what is said where nobody is."""

from __future__ import annotations

import pytest
from analysis_worlds import World, approx, results, row, wins

from repairstudy.estimators.certificates import betting_bounds


def clear_world(failures: int, clusters: int | None = None) -> World:
    """a always succeeds, b never. `good` always picks a; `bad` picks b."""
    world = World()
    for i in range(failures):
        name = f"f{i:03}"
        world.failure(name, cluster=f"task{i % clusters}" if clusters else None)
        world.position(name, 0, {"a": wins(10), "b": wins(0)}, wins(0))
        world.score("good", name, 0, {"a": 1.0, "b": 0.0})
        world.score("bad", name, 0, {"a": 0.0, "b": 1.0})
    return world


def test_the_cheapest_certified_evaluator_is_chosen():
    """No rollouts and no loss: `good` beats one own rollout, which loses nothing here either."""
    frame = results(clear_world(100))
    choice = row(frame, "certificate", "good", "cheapest_certified")
    assert (choice["estimate"], choice["ci_high"]) == (0.0, 0.1)
    assert str(choice["note"]).startswith("0 rollouts a candidate")
    assert frame.filter(analysis="certificate", estimand="cheapest_certified").height == 1
    assert not frame.filter(analysis="certificate")["confirmatory"].any()


def test_rows_say_bounds_and_when_they_were_reached():
    frame = results(clear_world(100))
    found = row(frame, "certificate", "good", "loss_bounds")
    bounds = betting_bounds([0.0] * 100, 0.05)
    assert (found["ci_low"], found["ci_high"]) == (approx(bounds.low), approx(bounds.high))
    note = str(found["note"])
    assert note.startswith("loss at most 0.1 certified after ")
    assert note.endswith("certified among all")
    assert row(frame, "certificate", "bad", "loss_bounds")["note"] == (
        "100 do not certify 0.1; not certified among all"
    )
    needed = row(frame, "certificate", "bad", "failures_to_certify")
    assert needed["estimate"] == float("inf")
    assert row(frame, "certificate", "good", "failures_to_certify")["estimate"] == 38


def test_few_failures_leave_matched_selection():
    frame = results(clear_world(20))
    choice = row(frame, "certificate", "matched", "cheapest_certified")
    assert choice["estimate"] == 0.0
    assert "cheaper evaluators is certified to lose at most 0.1" in str(choice["note"])


@pytest.mark.parametrize("unit", ["cluster", "failure"])
def test_failures_of_one_task_count_once(unit):
    """100 failures of 20 tasks certify no more than 20 do, whatever the bootstrap draws."""
    many = results(clear_world(100, clusters=20), bootstrap={"unit": unit})
    few = results(clear_world(20))
    found = row(many, "certificate", "good", "loss_bounds")
    assert found["ci_high"] == row(few, "certificate", "good", "loss_bounds")["ci_high"]
    assert "20 do not certify 0.1" in str(found["note"])
    assert "mean over clusters" in str(found["note"])


@pytest.mark.parametrize("threshold", [0.05, 0.3])
def test_what_is_certified_is_the_threshold_of_the_plan(threshold):
    frame = results(clear_world(100), positive_control={"threshold": threshold})
    choices = frame.filter(analysis="certificate", estimand="cheapest_certified")
    assert choices["evaluator"].to_list() == (["matched"] if threshold == 0.05 else ["good"])


def test_an_uninformative_pool_says_that_a_small_loss_means_little():
    world = World()
    for i in range(100):
        world.failure(f"f{i:03}")
        world.position(f"f{i:03}", 0, {"a": wins(5), "b": wins(5)}, wins(0))
        world.score("any", f"f{i:03}", 0, {"a": 1.0, "b": 0.0})
    choice = row(results(world), "certificate", "any", "cheapest_certified")
    assert "uninformative pool" in str(choice["note"])
