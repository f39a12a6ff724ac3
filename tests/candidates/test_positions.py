"""Pools are the first failures in collection order; positions are drawn by seed alone."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairstudy.candidates.positions import (
    make_pool,
    number_failures,
    passes_screen,
    sample_positions,
)
from repairstudy.errors import StudyError


def runs(successes):
    return pl.DataFrame(
        {
            "trajectory_id": [f"run{i}" for i in range(len(successes))],
            "success": successes,
            "order": list(range(len(successes))),
        }
    )


def test_failures_are_numbered_in_collection_order_whatever_the_order_of_the_rows():
    shuffled = runs([True, False, True, False, False]).sample(fraction=1.0, shuffle=True, seed=3)
    numbered = number_failures(shuffled, "agent")
    assert numbered["failure_id"].to_list() == ["agent-000", "agent-001", "agent-002"]
    assert numbered["trajectory_id"].to_list() == ["run1", "run3", "run4"]


def test_an_unscreened_pool_is_the_first_failures():
    failures = number_failures(runs([False] * 5), "agent")
    assert make_pool(failures, "pool", 3)["failure_id"].to_list() == [
        "agent-000",
        "agent-001",
        "agent-002",
    ]


def test_a_pool_that_lacks_failures_is_refused():
    failures = number_failures(runs([False] * 2), "agent")
    with pytest.raises(StudyError, match="pool p: 2 failures collected, 3 wanted"):
        make_pool(failures, "p", 3)


def test_a_screened_pool_keeps_the_first_that_passed_and_ranks_them_anew():
    failures = number_failures(runs([False] * 6), "agent")
    pool = make_pool(failures, "p", 2, passed={"agent-001", "agent-004", "agent-005"})
    assert pool["failure_id"].to_list() == ["agent-001", "agent-004"]
    assert pool["rank"].to_list() == [0, 1]


def test_a_screen_that_nothing_passes_is_an_error():
    failures = number_failures(runs([False]), "agent")
    with pytest.raises(StudyError, match=r"lower screen\.minimal_gain"):
        make_pool(failures, "p", 2, passed=set())


def test_the_screen_compares_the_best_candidate_with_the_rerun_original():
    outcomes = {"o": [0, 0, 1, 0, 0], "a": [1, 1, 1, 0, 0], "b": [0, 0, 0, 0, 0]}
    rows = [
        {"failure_id": "f", "candidate_id": c, "is_original": c == "o", "outcome": float(y)}
        for c, ys in outcomes.items()
        for y in ys
    ]
    assert passes_screen(pl.DataFrame(rows), minimal_gain=0.4) == {"f"}
    assert passes_screen(pl.DataFrame(rows), minimal_gain=0.5) == set()


@given(steps=st.integers(1, 20), slack=st.integers(1, 20), wanted=st.integers(1, 6))
def test_positions_have_slack_and_one_is_primary(steps, slack, wanted):
    positions = sample_positions("f", steps, 20, slack, wanted, seed=1)
    assert (positions["slack"] == 20 - positions["t"]).all()
    assert (positions["slack"] >= slack).all()
    assert positions["is_primary"].sum() == 1
    assert positions["t"].is_unique().all()
    assert positions.height == min(wanted, steps, 20 - slack + 1)


def test_asking_for_more_positions_moves_none():
    few = sample_positions("f", 15, 20, 5, 2, seed=1)
    many = sample_positions("f", 15, 20, 5, 4, seed=1)
    assert few.join(many, on=few.columns, how="semi").height == few.height


def test_a_failure_without_slack_is_named():
    with pytest.raises(StudyError, match="failure f: no step has 25 actions left of 20"):
        sample_positions("f", 15, 20, 25, 2, seed=1)


def test_the_primary_position_is_uniform_over_the_eligible():
    primaries = [sample_positions(f"f{i}", 4, 20, 5, 1, seed=1)["t"][0] for i in range(2000)]
    for t in range(4):
        assert 430 < primaries.count(t) < 570  # 500 expected, sd 19
