"""Every analysis of every pool, and the plan applied to them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from repairstudy.analysis.planned import deviations
from repairstudy.analysis.pool import PoolData
from repairstudy.analysis.registration import Registration
from repairstudy.analysis.statistics.adaptive import adaptive
from repairstudy.analysis.statistics.adaptive_exact import adaptive_exact
from repairstudy.analysis.statistics.budget import budget_curve, decomposition, equivalent_budget
from repairstudy.analysis.statistics.by_label import by_label
from repairstudy.analysis.statistics.candidate_set import candidate_set
from repairstudy.analysis.statistics.certificates import certificates
from repairstudy.analysis.statistics.controls import (
    greedy_replay,
    judge_controls,
    negative_controls,
    planted,
    validity,
)
from repairstudy.analysis.statistics.disagreement import disagreement
from repairstudy.analysis.statistics.exact import exact
from repairstudy.analysis.statistics.hybrid import hybrid
from repairstudy.analysis.statistics.hypotheses import apply_plan
from repairstudy.analysis.statistics.label_agreement import label_agreement
from repairstudy.analysis.statistics.locations import location_labels
from repairstudy.analysis.statistics.losses import control, failure_scope, losses, sensitivity
from repairstudy.analysis.statistics.ranking import method_ranking
from repairstudy.analysis.statistics.rows import Row, results_frame
from repairstudy.analysis.statistics.splits import split_scheme
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.errors import PlanError
from repairstudy.records import TABLES

ANALYSES = (
    losses,
    failure_scope,
    control,
    sensitivity,
    budget_curve,
    equivalent_budget,
    decomposition,
    split_scheme,
    location_labels,
    method_ranking,
    disagreement,
    candidate_set,
    negative_controls,
    greedy_replay,
    certificates,
    adaptive,
    hybrid,
)


def analyse(
    pools: Iterable[PoolData],
    values: pl.DataFrame,
    registration: Registration,
    *,
    exact_values: pl.DataFrame | None = None,
    executors: pl.DataFrame | None = None,
    failure_labels: pl.DataFrame | None = None,
    llm_labels: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Table `results`: every statistic of the study.

    Settings (alpha, intervals, bootstrap, positive control) are those of the first frozen plan,
    also for exploratory rows. Confirmatory are its hypotheses and nothing else.

    Args:
        pools: the pools, as `build_pool` makes them.
        values: table `values` of these pools.
        registration: the frozen plan.
        exact_values: table `exact_values`, where action probabilities are known.
        executors: table `executors`, for the validity of each.
        failure_labels: table `failure_labels`, to break losses down by.
        llm_labels: table `llm_labels`, to compare with the detectors' labels.

    Raises:
        PlanError: the plan names something that was not measured, or more rollouts of it, or
            another metric.
        MissingRollouts, DataError: an analysis lacks rollouts or values.
    """
    truth = TABLES["exact_values"].empty() if exact_values is None else exact_values
    known = TABLES["executors"].empty() if executors is None else executors
    labels = TABLES["failure_labels"].empty() if failure_labels is None else failure_labels
    read = TABLES["llm_labels"].empty() if llm_labels is None else llm_labels
    rows: list[Row] = []
    deviating, deployed = {}, {}
    for pool in pools:
        if pool.metric != registration.plan.metric:
            raise PlanError(
                f"pool {pool.name} is measured in {pool.metric}, the frozen plan says "
                f"{registration.plan.metric}."
            )
        deviating[pool.name] = deviations(pool, registration.plan)
        deployed[pool.name] = pool.deployed
        study = PoolStudy.of(pool, values, registration.plan)
        for analysis in ANALYSES:
            rows += analysis(study)
        rows += exact(study, truth)
        rows += planted(study, truth)
        rows += adaptive_exact(study, truth)
        rows += validity(study, known)
        rows += by_label(study, labels)
        rows += label_agreement(study, labels, read)
    judge_controls(rows, registration.plan.interval.level)
    apply_plan(rows, registration, deviating, deployed)
    return results_frame(rows)
