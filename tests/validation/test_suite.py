"""The parts run, cover what they promise, and give the same numbers again."""

import pytest
from validation_data import stored

from repairstudy.errors import DataError
from repairstudy.validation.measurement import validation_frame
from repairstudy.validation.parts import PARTS
from repairstudy.validation.suite import FUNCTIONS, measure

TINY = 1e-9  # the least that is possible: two replicates


@pytest.fixture(scope="module")
def everything():
    return {part: measure(part, stored(), TINY) for part in PARTS}


def test_the_workflow_knows_every_part():
    assert tuple(FUNCTIONS) == PARTS


def test_no_figure_is_measured_twice(everything):
    frame = validation_frame(m for found in everything.values() for m in found)
    key = ["check", "population", "method", "quantity", "own_rollouts", "failures", "clusters"]
    assert frame.n_unique(key) == frame.height
    assert set(frame["check"]) == {"bias", "coverage", "family-wise error", "power"}


def test_bias_covers_every_estimator(everything):
    for part in ("bias_simulated", "bias_rewards", "bias_real"):
        found = everything[part]
        curve = {m.own_rollouts for m in found if (m.method, m.quantity) == EXACT}
        assert curve == set(range(10))
        assert {"loss", "target loss", "budget loss", "control gap", "net gain"} <= {
            m.quantity for m in found
        }
        methods = {m.method for m in found}
        assert {
            "cross-fit, common splits",
            "cross-fit, 50 random splits",
            "accept 2 of 3",
        } < methods
        assert any(method.startswith("equivalent budget") for method in methods)
    for part in ("bias_across", "bias_across_real"):
        methods = {m.method for m in everything[part]}
        assert {"cross-fit, exact", "earliest success", "latest significant"} < methods


EXACT = ("cross-fit, exact", "value")


def test_coverage_has_every_kind_size_and_side(everything):
    found = everything["coverage_simulated_tasks"]
    cells = {(m.method, m.failures, m.clusters) for m in found if not m.contrast}
    shapes = [(30, 10), (60, 20), (120, 40)]
    assert cells == {(k, *s) for k in ("percentile", "bootstrap_t", "t") for s in shapes}
    sides = {m.quantity.rpartition(", ")[2] for m in found}
    assert sides == {"two-sided", "lower bound", "upper bound"}
    assert {(m.failures, m.clusters) for m in found if m.contrast} == {(n, n) for n, _ in shapes}


def test_a_study_of_half_the_size_is_measured_twice_as_often(everything):
    replicates = {m.failures: m.replicates for m in everything["coverage_real"]}
    assert replicates == {30: 8, 60: 4, 120: 2}


def test_the_same_numbers_again(everything):
    assert measure("errors_ties", stored(), TINY) == everything["errors_ties"]


def test_an_unknown_part_is_named():
    with pytest.raises(DataError, match="no part nonsense"):
        measure("nonsense", stored())
