"""Candidates: proposals merged where they propose the same action, every source kept."""

from __future__ import annotations

import polars as pl

from repairstudy.records import digest
from repairstudy.records.tables import CANDIDATES


def candidate_id(failure_id: str, t: int, action: str) -> str:
    return digest([failure_id, t, action], length=16)


def merge_proposals(positions: pl.DataFrame, proposals: pl.DataFrame) -> pl.DataFrame:
    """The distinct candidates of each position, the original always among the rows.

    A proposal of the original action is no repair: it only adds its source to the original's
    row. Proposals without an action (unparsable) add nothing.

    Args:
        positions: columns failure_id, t, original (the action that was taken).
        proposals: PROPOSALS rows of those positions.

    Returns:
        CANDIDATES rows, sorted by failure, step and action.
    """
    originals = positions.select(
        "failure_id", "t", action="original", source=pl.lit(None, pl.String)
    )
    proposed = proposals.filter(pl.col("action").is_not_null()).select(
        "failure_id", "t", "action", "source"
    )
    merged = (
        pl.concat([originals, proposed])
        .group_by("failure_id", "t", "action")
        .agg(pl.col("source").drop_nulls().unique().sort().alias("sources"))
        .join(positions.select("failure_id", "t", "original"), on=["failure_id", "t"])
        .with_columns(is_original=pl.col("action") == pl.col("original"))
        .sort("failure_id", "t", "action")
    )
    ids = [candidate_id(*row) for row in merged.select("failure_id", "t", "action").iter_rows()]
    return merged.with_columns(candidate_id=pl.Series(ids, dtype=pl.String)).select(
        CANDIDATES.names
    )
