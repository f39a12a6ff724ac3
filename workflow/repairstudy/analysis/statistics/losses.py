"""Net gain and selection loss of every evaluator, the positive control, and how robust they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repairstudy.analysis.pool import MATCHED, RANDOM
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.hypotheses import p_sign_flip, p_t, positive_control
from repairstudy.estimators.inference import t_interval
from repairstudy.records import generator

LOSSES, FAILURE_SCOPE, CONTROL = "losses", "failure_scope", "positive_control"
ANALYSIS_OF_SCOPE = {"position": LOSSES, "failure": FAILURE_SCOPE}
SENSITIVITY = "sensitivity"


def losses(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` and `loss` of every evaluator at the primary positions."""
    yield from _scope(study, "position", study.matched)


def failure_scope(study: PoolStudy) -> Iterator[Row]:
    """The same for evaluators that choose position and candidate together."""
    if study.matched_failure is not None:
        yield from _scope(study, "failure", study.matched_failure)


def _scope(study: PoolStudy, scope: str, matched: np.ndarray) -> Iterator[Row]:
    analysis, places = ANALYSIS_OF_SCOPE[scope], "primary" if scope == "position" else "all"
    table = study.losses[scope]
    names = list(table)
    columns = np.stack([table[name] for name in names], axis=1)
    gains = study.inference.means(matched[:, None] - columns)
    found = study.inference.means(columns)
    for name, gain, loss in zip(names, gains, found, strict=True):
        whole = study.behind((name,), places, original=True)
        yield study.row(analysis, name, "net_gain", gain, behind=whole, level=True)
        if name == MATCHED:
            continue
        # In scope failure the originals of different positions do not cancel.
        behind = study.behind((name,), places, original=scope == "failure")
        row = study.row(analysis, name, "loss", loss, behind=behind)
        row.p_value, row.p_less = loss.p_greater, loss.p_less
        row.notes = study.inference.warnings
        yield row


def control(study: PoolStudy) -> Iterator[Row]:
    """`control_gap`, matched minus random selection, with the verdict of the plan's gate.

    A second row gives the one-sided lower bound of the gap and what a gate on it would say.
    """
    settings, gap = study.plan.positive_control, study.losses["position"][RANDOM]
    [found] = study.inference.means(gap[:, None])
    bound = study.inference.lower_bound(gap)
    verdict = positive_control(found.estimate, bound, settings.threshold)
    passed = verdict.informative if settings.gate == "point" else verdict.certain
    behind = study.behind((), "primary", original=False)
    row = study.row(CONTROL, MATCHED, "control_gap", found, behind=behind, note=_words(passed))
    row.p_value = found.p_greater
    yield row
    alone = Estimate(bound, *[float("nan")] * 4)
    note = _words(verdict.certain)
    yield study.row(CONTROL, MATCHED, "control_gap_lower_bound", alone, behind=behind, note=note)


def is_informative(rows: list[Row], pool: str) -> bool:
    """The verdict of the positive control of a pool."""
    return any(
        row.pool == pool and row.estimand == "control_gap" and row.notes[0] == _words(True)
        for row in rows
        if row.analysis == CONTROL
    )


def _words(informative: bool) -> str:
    return "informative" if informative else "uninformative"


def sensitivity(study: PoolStudy) -> Iterator[Row]:
    """Losses by Student's t over clusters (`loss_t`) and by sign flips (`loss_sign_flip`).

    They stand beside the tests of the plan and decide nothing.
    """
    names = [name for name in study.losses["position"] if name != MATCHED]
    columns = np.stack([study.losses["position"][name] for name in names], axis=1)
    clusters, plan = study.inference.clusters, study.plan
    if study.inference.n_clusters < 2:
        return
    low, high = t_interval(columns, clusters, plan.interval.level)
    rng = generator(plan.bootstrap.seed, "sign flips", study.pool.name)
    student = p_t(columns, clusters)
    flips = p_sign_flip(columns, clusters, plan.bootstrap.replicates, rng)
    for i, name in enumerate(names):
        behind = study.behind((name,), "primary", original=False)
        mean, nan = float(columns[:, i].mean()), float("nan")
        with_t = Estimate(mean, float(low[i]), float(high[i]), nan, nan)
        for estimand, found, p in (
            ("loss_t", with_t, student[i]),
            ("loss_sign_flip", Estimate(mean, nan, nan, nan, nan), flips[i]),
        ):
            row = study.row(SENSITIVITY, name, estimand, found, behind=behind)
            row.p_value, row.notes = float(p), []
            yield row
