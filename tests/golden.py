"""Outcome tables with exact values from an independent implementation, where they are at hand."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("REPAIRSTUDY_DATA", Path(__file__).parents[1] / "../shared/data"))


def golden_file(name: str) -> Path:
    """A file of the golden tables; skips the test where they are not."""
    path = DATA / "golden" / name
    if not path.is_file():
        pytest.skip(f"no golden tables in {DATA}; set REPAIRSTUDY_DATA")
    return path
