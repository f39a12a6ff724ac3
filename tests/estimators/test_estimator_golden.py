"""Every value of an independent implementation is met to 1e-9."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from golden import golden_file
from numpy.typing import NDArray

from repairstudy.estimators import (
    argmax_weights,
    budget_curve,
    common_splits,
    crossfit,
    crossfit_many,
    fixed_value,
    subsample_weights,
)

KINDS = ("binary", "real")


@cache
def outcomes(kind: str) -> pl.DataFrame:
    return pl.read_parquet(golden_file(f"outcomes_{kind}.parquet"))


@cache
def expected(kind: str) -> list[dict[str, float]]:
    return json.loads(golden_file(f"expected_{kind}.json").read_text())


def table(kind: str, failure: str, executor: str, original: bool = False) -> NDArray[np.float64]:
    rows = outcomes(kind).filter(
        (pl.col("failure_id") == failure)
        & (pl.col("executor") == executor)
        & (pl.col("is_original") == original)
    )
    arms = rows.sort("candidate_id", "replicate").group_by("candidate_id", maintain_order=True)
    return np.array(arms.agg("outcome")["outcome"].to_list())


def net_gains(kind: str, failure: str) -> dict[str, float]:
    own, larger = table(kind, failure, "deployed"), table(kind, failure, "larger")
    original = float(table(kind, failure, "deployed", original=True).mean())
    values = {
        "random": crossfit(own, 0).value,
        "matched": crossfit(own, 5).value,
        "matched_common_splits": common_splits(own, 5).value,
        "executor:larger": fixed_value(argmax_weights(larger.mean(axis=1)), own),
        **{f"own_{r}": value for r, value in enumerate(budget_curve(own, 5)) if r},
    }
    if kind == "binary":
        values["executor:larger@5"] = fixed_value(subsample_weights(larger, 5), own)
    return {name: value - original for name, value in values.items()} | {"original": original}


@pytest.mark.parametrize("kind", KINDS)
def test_every_expected_number_is_met(kind: str) -> None:
    for row in expected(kind):
        failure = str(row["failure_id"])
        numbers = {name: value for name, value in row.items() if name != "failure_id"}
        assert net_gains(kind, failure) == pytest.approx(numbers, abs=1e-9, rel=0), failure


@pytest.mark.parametrize("kind", KINDS)
def test_positions_with_other_numbers_of_candidates_go_through_one_batch(kind: str) -> None:
    failures = [str(row["failure_id"]) for row in expected(kind)]
    tables = [table(kind, failure, "deployed") for failure in failures]
    assert len({len(own) for own in tables}) > 1
    got = [selected.value for selected in crossfit_many(tables, 5)]
    matched = [row["matched"] + row["original"] for row in expected(kind)]
    assert got == pytest.approx(matched, abs=1e-9, rel=0)
