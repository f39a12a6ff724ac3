"""Which failures a pool holds, and which of their steps are repaired."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from repairstudy.errors import StudyError
from repairstudy.records import generator
from repairstudy.records.tables import COLLECTED_FAILURES, FAILURES, POSITIONS


def number_failures(trajectories: pl.DataFrame, deployed: str) -> pl.DataFrame:
    """The failures of an executor in collection order.

    Args:
        trajectories: TRAJECTORIES rows of one executor.
        deployed: its name, which begins each failure's id.

    Returns:
        COLLECTED_FAILURES rows.
    """
    failed = trajectories.filter(~pl.col("success")).sort("order")
    numbered = failed.select("trajectory_id").with_row_index("rank")
    return numbered.select(
        (pl.lit(f"{deployed}-") + pl.col("rank").cast(pl.String).str.zfill(3)).alias("failure_id"),
        pl.lit(deployed).alias("deployed"),
        "trajectory_id",
        pl.col("rank").cast(pl.Int64),
    ).select(COLLECTED_FAILURES.names)


def make_pool(
    failures: pl.DataFrame, pool: str, size: int, passed: Collection[str] | None = None
) -> pl.DataFrame:
    """The first `size` failures in collection order, as FAILURES rows.

    Args:
        failures: what `number_failures` gave.
        passed: for a screened pool, the failures that passed the screen; a screened pool may
            hold fewer than `size`, an unscreened one may not.

    Raises:
        StudyError: an unscreened pool lacks failures, or a screened one is empty.
    """
    kept = failures.sort("rank")
    if passed is not None:
        kept = kept.filter(pl.col("failure_id").is_in(sorted(passed)))
    kept = kept.head(size)
    if passed is None and kept.height < size:
        raise StudyError(f"pool {pool}: {kept.height} failures collected, {size} wanted")
    if kept.is_empty():
        raise StudyError(f"pool {pool}: no failure passed the screen; lower screen.minimal_gain")
    return kept.select(
        "failure_id",
        pl.lit(pool).alias("pool"),
        "trajectory_id",
        pl.int_range(pl.len(), dtype=pl.Int64).alias("rank"),
    ).select(FAILURES.names)


def sample_positions(
    failure_id: str, steps: int, budget: int, slack: int, per_failure: int, seed: int
) -> pl.DataFrame:
    """The positions of a failure, drawn uniformly without replacement among the eligible.

    A step t is eligible when budget - t >= slack. The primary position is the first drawn, so
    asking for more positions later moves none.

    Returns:
        POSITIONS rows.

    Raises:
        StudyError: no step has enough slack.
    """
    eligible = [t for t in range(steps) if budget - t >= slack]
    if not eligible:
        raise StudyError(f"failure {failure_id}: no step has {slack} actions left of {budget}")
    drawn = generator(seed, "positions", failure_id).permutation(eligible)[:per_failure]
    rows = [
        {"failure_id": failure_id, "t": int(t), "slack": budget - int(t), "is_primary": i == 0}
        for i, t in enumerate(drawn)
    ]
    return pl.DataFrame(rows, schema=POSITIONS.schema).sort("t")


def passes_screen(screening: pl.DataFrame, minimal_gain: float) -> set[str]:
    """The failures where some candidate has repair value at the screened position.

    Args:
        screening: columns failure_id, candidate_id, is_original, outcome; one row a rollout of
            the screening role.
        minimal_gain: smallest difference of means between a candidate and the original.
    """
    means = screening.group_by("failure_id", "candidate_id", "is_original").agg(
        pl.col("outcome").mean()
    )
    original = means.filter("is_original").select("failure_id", base="outcome")
    best = means.filter(~pl.col("is_original")).group_by("failure_id").agg(pl.col("outcome").max())
    gains = best.join(original, on="failure_id", validate="1:1")
    # Differences of means such as 0.8 - 0.4 fall just short of 0.4 in floating point.
    kept = gains.filter(pl.col("outcome") - pl.col("base") >= minimal_gain - 1e-9)
    return set(kept["failure_id"])
