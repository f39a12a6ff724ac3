"""Agreement of a labelling model with the detectors."""

from __future__ import annotations

import polars as pl
import pytest
from analysis_worlds import World, approx, estimate, frozen, row, wins

from repairstudy.analysis import analyse, build_pool, select
from repairstudy.records import TABLES


def results(detected, said):
    """All results of ten failures f0 to f9, with these labels by failure's number."""
    world = World()
    for i in range(10):
        world.failure(f"f{i}")
        world.position(f"f{i}", 0, {"a": wins(10), "b": wins(0)}, wins(0))
    pool = build_pool(world.frames(), "pool")
    labels = pl.DataFrame(
        [(f"f{i}", "failure_type", label, "") for i, label in detected],
        TABLES["failure_labels"].schema,
        orient="row",
    )
    read = (
        None
        if said is None
        else pl.DataFrame(
            [(f"f{i}", "big", "failure_type", label) for i, label in said],
            TABLES["llm_labels"].schema,
            orient="row",
        )
    )
    return analyse([pool], select(pool).values, frozen(), failure_labels=labels, llm_labels=read)


def agreement(detected, said):
    return results(detected, said).filter(analysis="label_agreement")


# The detectors say loop of f0 to f5, the model of f0 to f3, f6 and f7.
DETECTED = [(i, "loop" if i < 6 else "rare") for i in range(10)]
SAID = [(i, "loop" if i in (0, 1, 2, 3, 6, 7) else "unexplained") for i in range(10)]
LOOP = "failure_type: loop|big"


def test_kappa_and_agreement_by_hand():
    """Alike in 4 + 2 of 10; by chance 0.6 * 0.6 + 0.4 * 0.4 = 0.52."""
    frame = agreement(DETECTED, SAID)
    assert estimate(frame, "label_agreement", LOOP, "exact_agreement") == approx(0.6)
    assert estimate(frame, "label_agreement", LOOP, "kappa") == approx((0.6 - 0.52) / 0.48)
    found = row(frame, "label_agreement", LOOP, "kappa")
    assert (found["n_failures"], found["n_rollouts"], found["confirmatory"]) == (10, 0, False)
    assert found["ci_low"] < found["estimate"] < found["ci_high"]


def test_labels_of_few_failures_by_either_are_left_out():
    """`rare` and `unexplained` are labels of four failures each."""
    assert set(agreement(DETECTED, SAID)["evaluator"]) == {LOOP}


def test_a_label_that_only_one_of_them_gives_counts():
    frame = agreement(DETECTED, [(i, "unexplained") for i in range(10)])
    assert estimate(frame, "label_agreement", LOOP, "exact_agreement") == approx(0.4)
    assert estimate(frame, "label_agreement", LOOP, "kappa") == approx(0.0)


def test_a_failure_without_an_answer_takes_no_part():
    """Without f6 and f7: alike in 4 + 2 of 8."""
    frame = agreement(DETECTED, [(i, label) for i, label in SAID if i not in (6, 7)])
    assert estimate(frame, "label_agreement", LOOP, "exact_agreement") == approx(0.75)
    assert set(frame["n_failures"]) == {8}


def test_where_both_say_it_of_all_kappa_is_unknown():
    everything = [(i, "loop") for i in range(10)]
    found = row(agreement(everything, everything), "label_agreement", LOOP, "kappa")
    assert found["estimate"] is None
    assert "same of every failure" in found["note"]


@pytest.mark.parametrize("said", [None, []])
def test_without_a_labeller_there_are_no_rows(said):
    assert agreement(DETECTED, said).is_empty()


def test_a_labeller_changes_no_other_row():
    without, beside = results(DETECTED, None), results(DETECTED, SAID)
    assert beside.filter(pl.col("analysis") != "label_agreement").equals(without)
