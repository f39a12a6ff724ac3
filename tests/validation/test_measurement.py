"""When a target is met, missed, or cannot be told."""

import polars as pl
import pytest

from repairstudy.records import TABLES
from repairstudy.store import check
from repairstudy.validation.measurement import (
    BIAS,
    COVERAGE,
    FAMILY_WISE_ERROR,
    Measurement,
    rate_error,
    validation_frame,
)


def measured(value, mc_error, target, **more):
    return Measurement(
        check="bias", population="p", method="m", quantity="q", value=value, mc_error=mc_error,
        target=target, replicates=10, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "mc_error", "target", "verdict"),
    [
        (0.0, 0.0005, BIAS, "met"),
        (0.0, 0.0015, BIAS, "undecided"),  # inside, but the replicates do not carry it
        (0.0015, 0.0005, BIAS, "undecided"),
        (-0.0021, 0.0001, BIAS, "missed"),
        (0.0021, 0.5, BIAS, "missed"),  # outside is never excused by few replicates
        (0.95, 0.003, COVERAGE, "met"),
        (0.929, 0.003, COVERAGE, "missed"),
        (0.98, 0.001, COVERAGE, "missed"),  # too wide is off target too
        (0.0, 0.001, FAMILY_WISE_ERROR, "met"),
        (0.05, 0.002, FAMILY_WISE_ERROR, "met"),
        (0.056, 0.001, FAMILY_WISE_ERROR, "missed"),
        (0.4, 0.1, None, "reported"),
    ],
)
def test_verdicts(value, mc_error, target, verdict):
    assert measured(value, mc_error, target).verdict == verdict


def test_the_table_keeps_its_contract():
    frame = validation_frame(
        [
            measured(0.0, 0.0, BIAS, own_rollouts=5, note="n"),
            measured(0.1, 0.0, FAMILY_WISE_ERROR, contrast=True),
            measured(0.1, 0.0, None, failures=60, clusters=20),
        ]
    )
    assert check(frame, TABLES["validation"], "here").height == 3
    ends = frame.sort("target_high", nulls_last=True).select("target_low", "target_high").rows()
    assert ends == [(-0.002, 0.002), (None, 0.055), (None, None)]
    assert frame.filter(pl.col("contrast"))["verdict"].to_list() == ["missed"]


def test_a_rate_of_zero_still_has_an_error():
    assert rate_error(0.5, 100) == 0.05
    assert 0.0 < rate_error(0.0, 100) < 0.02
    assert rate_error(0.0, 100) == pytest.approx(rate_error(1.0, 100))
