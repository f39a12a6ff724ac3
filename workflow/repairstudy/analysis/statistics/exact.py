"""The truth where action probabilities are known: exact values of every evaluator's choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from repairstudy.analysis.behind import NOTHING
from repairstudy.analysis.choices import ACCEPTANCE, OWN_BUDGETS
from repairstudy.analysis.pool import MATCHED, Array, PoolData, PositionData
from repairstudy.analysis.statistics.budget import evaluator_budget
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.acceptance import verdict_law
from repairstudy.estimators.exact import exact_external, exact_value
from repairstudy.estimators.laws import binomial_law
from repairstudy.estimators.tournament import tournament

# By executor, at each primary position: probabilities of the candidates, and of the original.
Truth = Mapping[str, list[tuple[Array, float]]]


def exact(study: PoolStudy, values: pl.DataFrame) -> Iterator[Row]:
    """Exact counterparts of the losses, over the pool's failures.

    `exact_net_gain` and `exact_loss` are what an infinite number of label rollouts would show;
    `true_target_loss` is the loss of the evaluator with unlimited rollouts of its own, and
    `evaluator_noise` what its limited number adds.

    Args:
        values: EXACT_VALUES rows; nothing is computed for executors without any.
    """
    truth = truth_of(study.pool, values)
    if study.pool.deployed not in truth or study.pool.metric != "success":
        return
    own = truth[study.pool.deployed]
    bases = np.array([original for _, original in own])
    matched = np.array([exact_value(p, study.plan.matched_rollouts).value for p, _ in own])
    for name in study.losses["position"]:
        chosen = _limited(study, name, truth)
        if chosen is None:
            continue
        columns = {"exact_net_gain": chosen - bases}
        if name != MATCHED:
            columns["exact_loss"] = matched - chosen
            unlimited = _unlimited(study, name, truth)
            if unlimited is not None:
                columns["true_target_loss"] = matched - unlimited
                columns["evaluator_noise"] = unlimited - chosen
        found = study.inference.means(np.column_stack(list(columns.values())))
        for estimand, estimate in zip(columns, found, strict=True):
            yield study.row("exact", name, estimand, estimate, behind=NOTHING)


def truth_of(pool: PoolData, values: pl.DataFrame) -> Truth:
    """Executors whose probabilities are known at every primary position."""
    known = {
        (failure, t, candidate, executor): value
        for failure, t, candidate, executor, value in values.filter(
            pl.col("failure_id").is_in(pool.failures)
        )
        .select("failure_id", "t", "candidate_id", "executor", "value")
        .iter_rows()
    }
    found = {}
    for executor in values["executor"].unique().sort():
        rows = [_known(position, executor, known) for position in pool.primary]
        if all(row is not None for row in rows):
            found[executor] = [row for row in rows if row is not None]
    return found


def _known(
    position: PositionData, executor: str, known: Mapping[tuple[str, int, str, str], float]
) -> tuple[Array, float] | None:
    place = position.failure_id, position.t
    ids = [*position.candidates, position.original_id]
    found = [known.get((*place, str(candidate), executor)) for candidate in ids]
    if any(value is None for value in found):
        return None
    *values, original = np.clip(np.array(found, dtype=np.float64), 0.0, 1.0)
    return np.array(values), float(original)


def _limited(study: PoolStudy, name: str, truth: Truth) -> Array | None:
    """(F,) exact values of the evaluator's choice by the rollouts it has; None if not known."""
    if name in ACCEPTANCE:
        tried = [_accepted(p, *ACCEPTANCE[name]) for p, _ in truth[study.pool.deployed]]
        return np.array(tried)
    own = own_budget(name, study.plan.matched_rollouts)
    return _chosen(study, name, truth, evaluator_budget(study, name) if own is None else own)


def _unlimited(study: PoolStudy, name: str, truth: Truth) -> Array | None:
    """The same by unlimited rollouts; None for a rule whose few replays are part of it."""
    return None if name in ACCEPTANCE else _chosen(study, name, truth, None)


def _chosen(study: PoolStudy, name: str, truth: Truth, rollouts: int | None) -> Array | None:
    own, deployed = truth[study.pool.deployed], study.pool.deployed
    if own_budget(name, 0) is not None or name in study.executor_of:
        scoring = truth.get(study.executor_of.get(name, deployed))
        if scoring is None:
            return None
        pairs = zip(own, scoring, strict=True)
        return np.array([exact_external(p, q, rollouts).value for (p, _), (q, _) in pairs])
    weights = study.score_weights
    return np.array([row[name] @ p for row, (p, _) in zip(weights, own, strict=True)])


def own_budget(name: str, matched: int) -> int | None:
    """Own rollouts by which `matched` and `own_N` choose; None for other evaluators."""
    return {MATCHED: matched, **{f"own_{m}": m for m in OWN_BUDGETS}}.get(name)


def _accepted(p: Array, needed: int, tried: int) -> float:
    """The value of accepting arms by fresh rollouts, uniform among the accepted or among all."""
    laws = [verdict_law(binomial_law(float(rate), tried), needed) for rate in p]
    return tournament(laws).value
