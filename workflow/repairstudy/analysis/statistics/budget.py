"""Value by own rollouts, what an evaluator is worth in them, and the parts of its loss."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from repairstudy.analysis.pool import MATCHED, RANDOM, Array
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.budget import equivalent_budgets

_OWN = re.compile(r"own_\d+")


def budget_curve(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` of own_0 (random) to own_{n-1}: selection by so many own rollouts."""
    behind = study.behind((), "primary", original=True)
    for m, found in enumerate(study.inference.means(study.curve)):
        yield study.row("budget_curve", f"own_{m}", "net_gain", found, behind=behind, level=True)


def equivalent_budget(study: PoolStudy) -> Iterator[Row]:
    """`equivalent_budget` of evaluators: the own rollouts a candidate with the same value.

    Minus infinity: worse than random; infinity: better than the largest budget of the curve.
    """

    def statistic(means: Array) -> Array:
        return equivalent_budgets(means[:, :-1], means[:, -1])

    largest = study.curve.shape[1] - 1
    for name in study.losses["position"]:
        if name in (MATCHED, RANDOM) or _OWN.fullmatch(name):
            continue
        columns = np.column_stack([study.curve, study.gain(name)])
        found = study.inference.function(columns, statistic)
        note = None
        if np.isinf(found.estimate):
            note = "worse than random" if found.estimate < 0 else f"more than {largest} rollouts"
        yield study.row(
            "equivalent_budget",
            name,
            "equivalent_budget",
            found,
            behind=study.behind((name,), "primary", original=False),
            note=note,
        )


def decomposition(study: PoolStudy) -> Iterator[Row]:
    """`target_loss` V_r - V_w and `budget_loss` V_m - V_r at the evaluator's own budget r.

    They add up to the loss. Only for evaluators with so few rollouts that V_r is on the curve.
    """
    for name in study.losses["position"]:
        r = evaluator_budget(study, name)
        if r is None or r >= study.curve.shape[1]:
            continue
        same = study.curve[:, r]
        columns = np.column_stack([same - study.gain(name), study.matched - same])
        behind = study.behind((name,), "primary", original=False)
        parts = zip(("target_loss", "budget_loss"), study.inference.means(columns), strict=True)
        for estimand, found in parts:
            yield study.row(
                "decomposition", name, estimand, found, behind=behind, note=f"at r = {r}"
            )


def evaluator_budget(study: PoolStudy, name: str) -> int | None:
    """Rollouts a candidate by which an evaluator chooses; None if it runs none."""
    if name == "greedy":
        return 1  # its runs repeat one path
    executor = study.executor_of.get(name)
    if executor is None:
        return None
    if name.startswith("executor:") and name != f"executor:{executor}":
        return int(name.rpartition("@")[2])
    return min(position.others[executor].shape[1] for position in study.pool.primary)
