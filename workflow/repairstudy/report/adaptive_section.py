"""Fewer rollouts: what the section on allocation and hybrid evaluators says and is made from."""

from __future__ import annotations

import polars as pl

from repairstudy.report.frames import Frames, statistics

UNIFORM = "uniform"
LEAD = (
    "Rollouts of the deployed executor are what a study costs. Two ways to need fewer: give the "
    "next rollout to the candidate where it tells most, and stop when little can be gained; or "
    "start from cheap scores, calibrated on other failures, and let a few own rollouts correct "
    "them. Nothing here takes part in the tests of the plan."
)


def has_fewer_rollouts(frames: Frames) -> bool:
    """Whether the study has either."""
    return any(statistics(frames, name).height for name in ("adaptive", "hybrid"))


def gains(frames: Frames) -> pl.DataFrame:
    """Net gains of every way of allocating rollouts, hybrid evaluators among them."""
    rows = [statistics(frames, name, "net_gain") for name in ("adaptive", "hybrid")]
    return pl.concat(rows).drop_nulls("estimate")


def spending(frames: Frames) -> pl.DataFrame:
    """Rollouts and net gain of each way of allocating them, hybrid evaluators among them.

    Columns pool, rule, stops (by cost, or at a fixed budget), setting (the cost, or the rollouts a
    candidate), spent (a position, on average), estimate, ci_low, ci_high, confirmatory.
    """
    spent = statistics(frames, "adaptive", "rollouts").select("pool", "evaluator", spent="estimate")
    # A hybrid at r has spent what uniform allocation at r has; its scores are not counted.
    hybrid = spent.filter(pl.col("evaluator").str.starts_with(f"{UNIFORM}@")).with_columns(
        pl.col("evaluator").str.replace(UNIFORM, "hybrid")
    )
    parts = pl.col("evaluator").str.extract_groups(r"^(?<rule>\w+)@(?<stops>cost_)?(?<setting>.+)$")
    return (
        gains(frames)
        .join(pl.concat([spent, hybrid]), on=["pool", "evaluator"])
        .with_columns(parts=parts)
        .unnest("parts")
        .with_columns(stops=pl.col("stops").is_not_null(), setting=pl.col("setting").cast(float))
        .select(
            "pool", "rule", "stops", "setting", "spent", "estimate", "ci_low", "ci_high",
            "confirmatory",
        )
        .sort("pool", "rule", "stops", "spent")
    )  # fmt: skip
