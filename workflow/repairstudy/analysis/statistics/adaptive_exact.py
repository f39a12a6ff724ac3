"""Allocation where exact values are known: what it saves at the value of ten rollouts of each.

Exploratory, whatever the plan names. Outcomes are drawn from the exact values, so rules are bound
by no store of rollouts, and a choice is valued without noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import polars as pl

from repairstudy.analysis.behind import NOTHING
from repairstudy.analysis.pool import Array
from repairstudy.analysis.statistics.adaptive import (
    ANALYSIS,
    COSTS,
    PRIOR,
    RULES,
    STOPPING,
)
from repairstudy.analysis.statistics.exact import truth_of
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.allocation_replay import Stop, replay_known
from repairstudy.estimators.exact import exact_value
from repairstudy.records import generator

UNIFORM_ROLLOUTS = 10  # a candidate
STRICTER = (*COSTS, 0.005, 0.002)
# ASSUME: a value so little below is the same one; more than that no replay of this size can tell.
CLOSE = 0.002
REPLAYS, MOST_REPLAYS = 3000, 100  # of a pool, and of one position


def adaptive_exact(study: PoolStudy, values: pl.DataFrame) -> Iterator[Row]:
    """`exact_rollouts_saved` of each rule that stops: a share of uniform allocation's 10 each.

    The rule stops at less and less expected opportunity cost. Where the curve of its exact value
    over its rollouts first comes within .002 of the exact value of 10 rollouts of each candidate,
    the rollouts are read off, linear between the stops; unknown if it never does.

    Args:
        values: EXACT_VALUES rows.
    """
    truth = truth_of(study.pool, values)
    if study.pool.deployed not in truth or study.pool.metric != "success":
        return
    rates = [p for p, _ in truth[study.pool.deployed]]
    uniform = np.array([exact_value(p, UNIFORM_ROLLOUTS).value for p in rates])
    fixed = np.array([UNIFORM_ROLLOUTS * len(p) for p in rates], dtype=np.float64)
    for name in STOPPING:
        columns = np.column_stack([*_curve(study, name, rates), uniform - CLOSE, fixed])
        found = study.inference.function(columns, saved)
        note = f"within {CLOSE} of the exact value of {UNIFORM_ROLLOUTS} rollouts of each candidate"
        if np.isnan(found.estimate):
            note += ", which no stop reaches"
        yield study.row(ANALYSIS, name, "exact_rollouts_saved", found, behind=NOTHING, note=note)


def saved(means: Array) -> Array:
    """(B,) shares saved, from means (B, 2 C + 2): spent and value of each of C stops, two totals.

    NaN where no stop reaches the value.
    """
    spent, values = means[:, 0:-2:2], means[:, 1:-2:2]
    reached = values >= means[:, -2:-1]
    last = np.maximum(reached.argmax(axis=1), 1)
    rows = np.arange(len(means))
    rise = values[rows, last] - values[rows, last - 1]
    part = (means[:, -2] - values[rows, last - 1]) / np.where(rise > 0.0, rise, np.inf)
    before = spent[rows, last - 1]
    needed = before + np.clip(part, 0.0, 1.0) * (spent[rows, last] - before)
    return np.where(reached.any(axis=1), 1.0 - needed / means[:, -1], np.nan)


def _curve(study: PoolStudy, name: str, rates: list[Array]) -> list[Array]:
    """(F,) rollouts and values in turn, by falling cost."""
    splits = int(np.clip(REPLAYS // len(rates), 1, MOST_REPLAYS))
    found = np.empty((2 * len(STRICTER), len(rates)))
    order = sorted(range(len(rates)), key=lambda place: len(rates[place]))
    for arms, group in groupby(order, key=lambda place: len(rates[place])):
        places = list(group)
        p = np.repeat(np.stack([rates[place] for place in places]), splits, axis=0)
        rng = generator(
            study.plan.bootstrap.seed, "adaptive, exact", study.pool.name, name, str(arms)
        )
        stop = Stop(UNIFORM_ROLLOUTS * arms, cost=STRICTER[-1])
        trace = replay_known(RULES[name], p, stop, rng, prior=PRIOR)
        for i, cost in enumerate(STRICTER):
            for j, column in enumerate(trace.at(Stop(cost=cost))):
                found[2 * i + j, places] = column.reshape(len(places), splits).mean(axis=1)
    return list(found)
