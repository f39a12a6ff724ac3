"""Negative controls: what must come out as zero; how firm greedy replay and each executor are."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

import numpy as np
import polars as pl

from repairstudy.analysis.behind import NOTHING, Condition, either, equals
from repairstudy.analysis.pool import GREEDY_VARIANT, Array
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import (
    AT_PRIMARY,
    LABELS,
    ORIGINALS,
    REPAIRS,
    PoolStudy,
)
from repairstudy.estimators.batch import crossfit_many, subsample_weights_many
from repairstudy.estimators.external import fixed_value
from repairstudy.estimators.hypotheses import p_sign_flip, p_t
from repairstudy.records import generator

ANALYSIS = "negative_control"
HOLDS, FAILED = "holds", "FAILED"
PLANTED = "exact_values"
SIGN_FLIPS = 20_000
DEALS = 20  # one deal is skewed: mostly a little below zero, rarely far above


def negative_controls(study: PoolStudy) -> Iterator[Row]:
    """`shuffled`, `original`, and `executor:DEPLOYED@other_seeds`: true value 0 for each.

    `planted` is the fourth. `judge_controls` says which of them failed.
    """
    yield _shuffled(study)
    if study.pool.originals > 1:
        yield _original(study)
    if all(position.control is not None for position in study.pool.primary):
        yield _other_seeds(study)


def _shuffled(study: PoolStudy) -> Row:
    """`control_gap` when each position's rollouts are dealt out to its candidates at random.

    No candidate is better than another then. A gap would mean that a selection is scored on
    what selected it. The mean of DEALS deals a position.
    """
    dealt: list[Array] = []
    for position in study.pool.primary:
        rng, table = _rng(study, "shuffle", position.failure_id, position.t), position.outcomes
        dealt += [rng.permutation(table.ravel()).reshape(table.shape) for _ in range(DEALS)]
    chosen = crossfit_many(dealt, study.plan.matched_rollouts)
    gaps = np.array([c.value - table.mean() for c, table in zip(chosen, dealt, strict=True)])
    gaps = gaps.reshape(-1, DEALS).mean(axis=1)
    behind = study.behind((), "primary", original=False)
    return _control(study, "shuffled", "control_gap", gaps, behind)


def _original(study: PoolStudy) -> Row:
    """`net_gain` of the original action against itself: one random half against the other."""
    gains = []
    for position in study.pool.primary:
        rng = _rng(study, "halves", position.failure_id, position.t)
        first, second = np.array_split(rng.permutation(position.original), 2)
        gains.append(first.mean() - second.mean())
    behind = AT_PRIMARY & LABELS & ORIGINALS
    return _control(study, "original", "net_gain", np.array(gains), behind)


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
    behind = AT_PRIMARY & REPAIRS & either([LABELS, equals("role", "control")])
    name = f"executor:{study.pool.deployed}@other_seeds"
    return _control(study, name, "loss", losses, behind, note=f"at r = {r}")


def planted(study: PoolStudy, truth: pl.DataFrame) -> Iterator[Row]:
    """`mean_error` of `exact_values`: mean outcome of the label rollouts minus the exact value.

    Over the candidates of the primary positions, where the deployed executor's exact values are
    known. It is not zero if rollouts do not follow the distributions that they are drawn from.

    Args:
        truth: EXACT_VALUES rows.
    """
    known = {
        (failure, t, candidate): value
        for failure, t, candidate, value in truth.filter(executor=study.pool.deployed)
        .select("failure_id", "t", "candidate_id", "value")
        .iter_rows()
    }
    primary = study.pool.primary
    arms = [[(p.failure_id, p.t, candidate) for candidate in p.candidates] for p in primary]
    if study.pool.metric != "success" or not all(arm in known for here in arms for arm in here):
        return
    errors = [
        float(p.outcomes.mean() - np.mean([known[arm] for arm in here]))
        for p, here in zip(primary, arms, strict=True)
    ]
    behind = study.behind((), "primary", original=False)
    yield _control(study, PLANTED, "mean_error", np.array(errors), behind)


def _control(
    study: PoolStudy,
    name: str,
    estimand: str,
    column: Array,
    behind: Condition,
    note: str | None = None,
) -> Row:
    """The row of a control with the values (F,) of its failures."""
    [found] = study.inference.means(column[:, None])
    row = study.row(ANALYSIS, name, estimand, found, behind=behind, note=note)
    row.p_zero = _p_zero(study, name, column)
    return row


def _p_zero(study: PoolStudy, name: str, column: Array) -> float:
    """Two-sided p-value of a mean of zero; NaN for one cluster.

    The larger of Student's t and sign flips: with few clusters percentile intervals are too short,
    and a false alarm at the top of a report costs its reader much.
    """
    clusters = study.inference.clusters
    if study.inference.n_clusters < 2:
        return float("nan")
    rng = _rng(study, "sign flips", name)
    sides = [
        max(p_t(values, clusters), p_sign_flip(values, clusters, SIGN_FLIPS, rng))
        for values in (column, -column)
    ]
    return float(min(1.0, 2.0 * min(sides)))


def judge_controls(rows: list[Row], level: float) -> None:
    """Write down which negative controls of the study failed, as the first of their notes.

    A control failed if its interval excludes zero and the tests of `_p_zero` say the same at a
    level that all controls of the study share (Bonferroni): of 20 intervals of 95% each one
    excludes zero by chance.
    """
    controls = [row for row in rows if row.analysis == ANALYSIS and row.p_zero is not None]
    for row in controls:
        row.notes.insert(0, _verdict(row, level, len(controls)))


def _verdict(row: Row, level: float, controls: int) -> str:
    if row.p_zero is None or row.ci_low is None or row.ci_high is None or isnan(row.p_zero):
        return "not decided: one cluster gives no interval"
    if row.ci_low <= 0.0 <= row.ci_high:
        return HOLDS
    if row.p_zero * controls < 1.0 - level:
        return f"{FAILED}: must be 0 and is not"
    return f"{HOLDS}; its interval alone excludes 0, one of {controls} controls"


def greedy_replay(study: PoolStudy) -> Iterator[Row]:
    """`disagreement_rate` of `greedy`: arms of which not all greedy runs ended alike.

    Over the candidates of the primary positions; unknown where each was run once. Greedy decoding
    is repeatable only as far as the engine is.
    """
    name = f"{study.pool.deployed}@{GREEDY_VARIANT}"
    if name not in study.pool.executors:
        return
    tables = [position.others[name] for position in study.pool.primary]
    behind = AT_PRIMARY & study.scored_by(name, original=False)
    if min(table.shape[1] for table in tables) < 2:
        unknown = Estimate(*[float("nan")] * 5)
        yield study.row(
            "greedy_replay", "greedy", "disagreement_rate", unknown, behind=behind,
            note="run once: unknown",
        )  # fmt: skip
        return
    rates = [float((table.min(axis=1) != table.max(axis=1)).mean()) for table in tables]
    [found] = study.inference.means(np.array(rates)[:, None])
    yield study.row("greedy_replay", "greedy", "disagreement_rate", found, behind=behind)


def validity(study: PoolStudy, executors: pl.DataFrame) -> Iterator[Row]:
    """`validity_mass`: unconstrained probability that an executor puts on admissible actions."""
    taking_part = {study.pool.deployed, *study.pool.executors}
    known = executors.filter(pl.col("validity").is_not_null()).sort("name")
    for name, mass in known.select("name", "validity").iter_rows():
        if name in taking_part:
            found = Estimate(mass, *[float("nan")] * 4)
            row = study.row("validity", name, "validity_mass", found, behind=NOTHING, n_failures=0)
            row.notes = ["mean over the distinct prompts that were asked"]
            yield row


def _rng(study: PoolStudy, *parts: object) -> np.random.Generator:
    return generator(study.plan.bootstrap.seed, "negative control", *parts)
