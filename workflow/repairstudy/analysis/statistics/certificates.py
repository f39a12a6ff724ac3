"""Certificates of evaluators: is its loss at most eps, and which is the cheapest that shows it?

Exploratory, whatever the plan names. eps is the plan's threshold of the positive control (a loss
as large as what makes a pool worth reading) and delta its alpha, so neither is chosen late.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from repairstudy.analysis.choices import ACCEPTANCE
from repairstudy.analysis.pool import MATCHED, RANDOM
from repairstudy.analysis.statistics.budget import evaluator_budget
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.losses import control, is_informative
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.certificates import (
    betting_bounds,
    certify,
    cluster_means,
    fallback,
    losses_to_certify,
)

ANALYSIS = "certificate"
UNINFORMATIVE = "uninformative pool: a small loss may only say that no choice matters here"
NAN = float("nan")
_OWN = re.compile(r"own_(\d+)")


class _Certificate(NamedTuple):
    """An evaluator, its rollouts a candidate, its p-value, and its rows of the results."""

    name: str
    cost: int
    p_value: float
    rows: tuple[Row, Row]


def certificates(study: PoolStudy) -> Iterator[Row]:
    """`loss_bounds` and `failures_to_certify` of every evaluator, and `cheapest_certified`.

    The bounds of each evaluator hold for it alone. The choice tests all evaluators that run fewer
    rollouts than matched selection, cheapest first, and is wrong with probability delta at most;
    `matched` remains where none is certified.
    """
    found = [_certificate(study, name) for name in study.losses["position"] if name != MATCHED]
    cheaper = [
        one for one in found if one.name != RANDOM and one.cost < study.plan.matched_rollouts
    ]
    cheaper.sort(key=lambda one: (one.cost, one.name))
    certified = fallback([one.p_value for one in cheaper], study.plan.alpha)
    for one, holds in zip(cheaper, certified, strict=True):
        one.rows[0].notes.append("certified among all" if holds else "not certified among all")
    for one in found:
        yield from one.rows
    yield _choice(study, cheaper, [bool(holds) for holds in certified])


def _certificate(study: PoolStudy, name: str) -> _Certificate:
    eps, delta = study.plan.positive_control.threshold, study.plan.alpha
    # Always over clusters: a certificate has no assumption but independence to rest on.
    losses = cluster_means(study.losses["position"][name], study.pool.clusters)
    bounds, evidence = betting_bounds(losses, delta), certify(losses, eps, delta)
    behind = study.behind((name,), "primary", original=False)
    mean = float(losses.mean())
    row = study.row(
        ANALYSIS, name, "loss_bounds", Estimate(mean, bounds.low, bounds.high, NAN, NAN),
        behind=behind, note=_words(int(evidence.losses), len(losses), eps),
    )  # fmt: skip
    row.p_value = float(evidence.p_value)
    if len(losses) < len(study.pool.failures):
        row.notes.append("mean over clusters, each by the mean of its failures")
    needed = Estimate(losses_to_certify(losses, eps, delta), NAN, NAN, NAN, NAN)
    note = None if np.isfinite(needed.estimate) else f"its mean loss is not below {eps:g}"
    further = study.row(ANALYSIS, name, "failures_to_certify", needed, behind=behind, note=note)
    return _Certificate(name, _cost(study, name), float(evidence.p_value), (row, further))


def _choice(study: PoolStudy, cheaper: list[_Certificate], certified: list[bool]) -> Row:
    """The cheapest evaluator that is certified, with the bound that was certified."""
    eps = study.plan.positive_control.threshold
    behind = study.behind(tuple(one.name for one in cheaper), "primary", original=False)
    chosen = next((one for one, holds in zip(cheaper, certified, strict=True) if holds), None)
    if chosen is None:
        name, found = MATCHED, Estimate(0.0, NAN, NAN, NAN, NAN)
        note = f"none of {len(cheaper)} cheaper evaluators is certified to lose at most {eps:g}"
    else:
        mean = chosen.rows[0].estimate
        assert mean is not None
        name, found = chosen.name, Estimate(mean, NAN, eps, NAN, NAN)
        note = f"{chosen.cost} rollouts a candidate; the first certified of {len(cheaper)}"
    row = study.row(ANALYSIS, name, "cheapest_certified", found, behind=behind, note=note)
    if not is_informative(list(control(study)), study.pool.name):
        row.notes.append(UNINFORMATIVE)
    return row


def _words(stopped: int, losses: int, eps: float) -> str:
    if stopped:
        return f"loss at most {eps:g} certified after {stopped} of {losses}"
    return f"{losses} do not certify {eps:g}"


def _cost(study: PoolStudy, name: str) -> int:
    """Rollouts a candidate, of whichever executor; 0 where the evaluator runs none."""
    own = _OWN.fullmatch(name)
    if own:
        return int(own[1])
    if name in ACCEPTANCE:
        return ACCEPTANCE[name][1]
    return evaluator_budget(study, name) or 0
