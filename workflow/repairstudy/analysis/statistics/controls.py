"""Negative controls: what must come out as zero, and the validity of each executor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from repairstudy.analysis.pool import Array
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.batch import crossfit_many, subsample_weights_many
from repairstudy.estimators.external import fixed_value
from repairstudy.records import generator

ANALYSIS = "negative_control"


def negative_controls(study: PoolStudy) -> Iterator[Row]:
    """`shuffled`, `original`, and `executor:DEPLOYED@other_seeds`: true value 0 for each."""
    yield _shuffled(study)
    if study.pool.originals > 1:
        yield _original(study)
    if all(position.control is not None for position in study.pool.primary):
        yield _other_seeds(study)


def _shuffled(study: PoolStudy) -> Row:
    """`control_gap` when each position's rollouts are dealt out to its candidates at random.

    No candidate is better than another then. A gap would mean that a selection is scored on
    what selected it.
    """
    dealt = []
    for position in study.pool.primary:
        rng = _rng(study, "shuffle", position.failure_id, position.t)
        dealt.append(rng.permutation(position.outcomes.ravel()).reshape(position.outcomes.shape))
    chosen = crossfit_many(dealt, study.plan.matched_rollouts)
    gaps = np.array([c.value - table.mean() for c, table in zip(chosen, dealt, strict=True)])
    [found] = study.inference.means(gaps[:, None])
    count = study.rollouts((), "primary", original=False)
    return study.row(ANALYSIS, "shuffled", "control_gap", found, n_rollouts=count)


def _original(study: PoolStudy) -> Row:
    """`net_gain` of the original action against itself: one random half against the other."""
    gains = []
    for position in study.pool.primary:
        rng = _rng(study, "halves", position.failure_id, position.t)
        first, second = np.array_split(rng.permutation(position.original), 2)
        gains.append(first.mean() - second.mean())
    [found] = study.inference.means(np.array(gains)[:, None])
    count = study.pool.count("label", study.pool.deployed, "primary", original=True)
    return study.row(ANALYSIS, "original", "net_gain", found, n_rollouts=count)


def _other_seeds(study: PoolStudy) -> Row:
    """`loss` of the deployed executor as its own evaluator, with other seeds, at equal budget.

    It is not zero if the two share seeds or cached rollouts, or differ in the prompt.
    """
    primary = study.pool.primary
    tables: list[Array] = [p.control for p in primary if p.control is not None]
    r = min(study.plan.matched_rollouts, min(table.shape[1] for table in tables))
    weights = subsample_weights_many(tables, r)
    values = [fixed_value(w, p.outcomes) for w, p in zip(weights, primary, strict=True)]
    losses = study.curve[:, r] - (np.array(values) - study.bases)
    [found] = study.inference.means(losses[:, None])
    count = study.rollouts((), "primary", original=False)
    count += study.pool.count("control", study.pool.deployed, "primary")
    name = f"executor:{study.pool.deployed}@other_seeds"
    return study.row(ANALYSIS, name, "loss", found, n_rollouts=count, note=f"at r = {r}")


def validity(study: PoolStudy, executors: pl.DataFrame) -> Iterator[Row]:
    """`validity_mass`: unconstrained probability that an executor puts on admissible actions."""
    taking_part = {study.pool.deployed, *study.pool.executors}
    known = executors.filter(pl.col("validity").is_not_null()).sort("name")
    for name, mass in known.select("name", "validity").iter_rows():
        if name in taking_part:
            found = Estimate(mass, *[float("nan")] * 4)
            row = study.row("validity", name, "validity_mass", found, n_rollouts=0, n_failures=0)
            row.notes = ["mean over the distinct prompts that were asked"]
            yield row


def _rng(study: PoolStudy, *parts: object) -> np.random.Generator:
    return generator(study.plan.bootstrap.seed, "negative control", *parts)
