"""What each replacement was worth, and to which executor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import polars as pl

from repairstudy.analysis.export.runs import failures_of
from repairstudy.analysis.export.tables import REPAIR_LABELS

ARM = ("failure_id", "t", "candidate_id")
BY = ("executor_id", "role")
OUTCOMES = ("rollouts", "successes", "errors", "mean_reward")


def repair_labels(frames: Mapping[str, pl.DataFrame], level: float = 0.95) -> pl.DataFrame:
    """Rows of REPAIR_LABELS: outcomes of each candidate under each executor and role.

    A failure that no pool holds has no labels. The net gain compares with the original action's
    rollouts of the same executor and role. It is null where there are none, and for the original
    itself, whose two sides would be the same rollouts.

    Args:
        frames: tables of a finished study.
        level: two-sided level of the intervals.
    """
    counted = _outcomes(frames["rollouts"])
    candidates = frames["candidates"]
    originals = candidates.filter("is_original").select(*ARM, original_action="action")
    of_original = counted.join(originals, on=ARM).select(
        "failure_id", "t", *BY,
        original_rollouts="rollouts", original_successes="successes", original_reward="mean_reward",
    )  # fmt: skip
    # A failure's position has one original action at most, or its counts would double.
    labels = (
        counted.join(failures_of(frames).drop("success", "reward", "steps"), on="failure_id")
        .join(frames["positions"], on=["failure_id", "t"], validate="m:1")
        .join(candidates, on=ARM, validate="m:1")
        .join(originals.drop("candidate_id"), on=["failure_id", "t"], how="left", validate="m:1")
        .join(of_original, on=["failure_id", "t", *BY], how="left", validate="m:1")
        .join(_executors(frames["executors"]), on="executor_id", validate="m:1")
        .join(_exact(frames), on=[*ARM, "executor"], how="left", validate="m:1")
        .with_columns(pl.col("original_rollouts", "original_successes").fill_null(0))
        .with_columns(
            net_gain=_replaced(
                _share("successes", "rollouts") - _share("original_successes", "original_rollouts")
            ),
            reward_gain=_replaced(pl.col("mean_reward") - pl.col("original_reward")),
        )
        .sort(REPAIR_LABELS.key)
    )
    return labels.with_columns(_intervals(labels, level)).select(REPAIR_LABELS.names)


def newcombe(
    successes: int, rollouts: int, original_successes: int, original_rollouts: int, level: float
) -> tuple[float, float]:
    """Newcombe's hybrid score interval of a difference of two shares (statsmodels).

    Honest for ten rollouts, and of a width above 0 where all of them end alike.
    """
    from statsmodels.stats.proportion import confint_proportions_2indep  # two seconds, only here

    low, high = confint_proportions_2indep(
        successes, rollouts, original_successes, original_rollouts,
        method="newcomb", compare="diff", alpha=1.0 - level,
    )  # fmt: skip
    return max(-1.0, float(low)), min(1.0, float(high))


def _outcomes(rollouts: pl.DataFrame) -> pl.DataFrame:
    finished = pl.col("success").is_not_null()
    return rollouts.group_by(*ARM, *BY).agg(
        rollouts=finished.sum().cast(pl.Int64),
        successes=pl.col("success").sum().cast(pl.Int64),
        errors=(~finished).sum().cast(pl.Int64),
        mean_reward=pl.col("reward").mean(),
    )


def _executors(executors: pl.DataFrame) -> pl.DataFrame:
    return executors.select("executor_id", "model", "identity", executor="name")


def _exact(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return frames["exact_values"].select(*ARM, "executor", exact_value="value")


def _replaced(gain: pl.Expr) -> pl.Expr:
    return pl.when(~pl.col("is_original")).then(gain)


def _share(count: str, of: str) -> pl.Expr:
    return pl.when(pl.col(of) > 0).then(pl.col(count) / pl.col(of))


def _intervals(labels: pl.DataFrame, level: float) -> list[pl.Series]:
    """Both ends for each row; null where there is no net gain. Few counts are distinct."""
    interval = cache(newcombe)
    counts = labels.select(
        "net_gain", "successes", "rollouts", "original_successes", "original_rollouts"
    )
    ends = [
        (None, None) if gain is None else interval(*row, level) for gain, *row in counts.iter_rows()
    ]
    return [
        pl.Series(name, [pair[place] for pair in ends], pl.Float64)
        for place, name in enumerate(("net_gain_low", "net_gain_high"))
    ]
