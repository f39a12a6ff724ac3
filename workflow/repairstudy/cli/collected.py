"""Whether the collected runs of a study are those of the rollout cache."""

from __future__ import annotations

import polars as pl

from repairstudy.errors import DataError
from repairstudy.rollouts import RolloutCache

COMPARED = ("executor_id", "seed", "success", "reward", "steps", "actions")


def require_collected(trajectories: pl.DataFrame, steps: pl.DataFrame, cache: RolloutCache) -> None:
    """Compare runs with the cache: outcome, and every action.

    Args:
        trajectories: TRAJECTORIES rows; steps: STEPS rows.

    Raises:
        DataError: a run that the cache lacks, or that ended or went otherwise there.
    """
    actions = steps.sort("trajectory_id", "t").group_by("trajectory_id", maintain_order=True).agg(
        actions="action"
    )  # fmt: skip
    runs = trajectories.join(actions, on="trajectory_id", how="left")
    cached = cache.read(trajectories["executor_id"].unique()).select("rollout_key", *COMPARED)
    both = runs.join(
        cached, left_on="trajectory_id", right_on="rollout_key", how="left", suffix=" cached"
    ).sort("trajectory_id")
    for name in COMPARED:
        other = both.filter(pl.col(name).ne_missing(pl.col(f"{name} cached")))
        if not other.is_empty():
            row = other.row(0, named=True)
            raise DataError(
                "table trajectories",
                f"run {row['trajectory_id']} has {name} {row[name]!r:.200}, the cache has "
                f"{row[f'{name} cached']!r:.200}.",
            )
