"""Table `scores`: what each evaluator that is not the deployed executor gave each candidate."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from repairstudy.analysis.pool import PoolData, evaluator_name
from repairstudy.records.tables import SCORES


def external_scores(
    failures: pl.DataFrame, reachability: pl.DataFrame, judgements: pl.DataFrame
) -> pl.DataFrame:
    """Scores that need no rollouts, for each pool that a failure is in.

    Args:
        failures: FAILURES rows.
        reachability: columns evaluator, failure_id, t, candidate_id, score.
        judgements: the same columns but evaluator, which is `judge`; the original included or
            not.
    """
    columns = ["evaluator", "failure_id", "t", "candidate_id", "score"]
    judged = judgements.with_columns(evaluator=pl.lit("judge")).select(columns)
    scores = pl.concat([reachability.select(columns), judged])
    return failures.select("pool", "failure_id").join(scores, on="failure_id").select(SCORES.names)


def rollout_scores(pools: Iterable[PoolData]) -> pl.DataFrame:
    """Mean outcomes of the rollouts by which other executors and decodings score candidates."""
    rows = [
        (pool.name, evaluator_name(executor, pool.deployed), p.failure_id, p.t, candidate, score)
        for pool in pools
        for p in pool.positions
        for executor, outcomes in p.others.items()
        for candidate, score in zip(p.candidates, outcomes.mean(axis=1).tolist(), strict=True)
    ]
    return pl.DataFrame(rows, schema=SCORES.schema, orient="row")
