"""Fixtures: one made-up study for the whole folder."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from made_up import study_frames


@pytest.fixture(scope="session")
def frames() -> dict[str, pl.DataFrame]:
    return study_frames()


@pytest.fixture(scope="session")
def elsewhere(frames: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """What is left of the study when it starts from a table of outcomes made elsewhere."""
    names = (
        "results", "values", "selections", "failures", "positions", "candidates", "executors",
        "trajectories", "rollouts", "preregistration",
    )  # fmt: skip
    kept = {name: frames[name] for name in names}
    levels = pl.col("estimand").is_in(["net_gain", "value"])
    unknown = [pl.lit(None, pl.Float64).alias(name) for name in ("estimate", "ci_low", "ci_high")]
    kept["results"] = pl.concat(
        [
            frames["results"].filter(~levels & (pl.col("analysis") != "exact")),
            frames["results"].filter(levels).with_columns(
                *unknown, note=pl.lit("no rollouts of the original action")
            ),
        ]
    )  # fmt: skip
    return kept
