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
