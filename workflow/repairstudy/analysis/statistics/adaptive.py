"""Fewer rollouts by allocation: what each rule would have chosen, and after how many rollouts.

Exploratory, whatever the plan names. A rule is replayed on the label rollouts of each primary
position in many random orders: it may draw up to half of each candidate's, and the candidate that
it chooses is valued by those that it did not draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

import numpy as np

from repairstudy.analysis.pool import Array
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.allocation import PerfectInformation, Rule, SuccessiveRejects, TopTwo
from repairstudy.estimators.allocation_bounds import KlLucb
from repairstudy.estimators.allocation_posterior import Prior
from repairstudy.estimators.allocation_replay import Stop, Trace, replay_stored, shuffled
from repairstudy.records import generator

ANALYSIS = "adaptive"
UNIFORM = "uniform"
# ASSUME: rates spread as in docs/adaptive.md; one position in ten may be hopeless. Values are
# unbiased under any prior; a prior that is wrong only spends rollouts badly.
PRIOR = Prior(0.5, 0.9, hopeless=0.1)
RULES: Mapping[str, Rule] = {
    "top_two": TopTwo(),
    "perfect_information": PerfectInformation(),
    "kl_lucb": KlLucb(),
}
STOPPING = ("top_two", "perfect_information")
COSTS = (0.08, 0.05, 0.03, 0.02, 0.01)
# Of all positions of a pool together (at least one of each), and of one position. The random
# orders then add a standard error below .01 to the mean over 60 failures.
REPLAYS, MOST_REPLAYS = 1200, 20

Spent = tuple[Array, Array]  # (F,) rollouts and (F,) values


def adaptive(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` and `rollouts` (a position, on average) of RULE@m and RULE@cost_EPS.

    RULE@m spends m rollouts a candidate, as it likes; RULE@cost_EPS stops where the expected
    opportunity cost is at most EPS. `uniform@m` is own_m: m rollouts of every candidate.
    """
    n = study.pool.labels
    if n < 2:
        return
    sizes = np.array([len(position.candidates) for position in study.pool.primary], dtype=float)
    found: dict[str, Spent] = {
        f"{UNIFORM}@{m}": (m * sizes, study.curve[:, m])
        for m in range(min(n, study.curve.shape[1]))
    }
    for name, (spent, values) in _replays(study, n // 2).items():
        found[name] = spent, values - study.bases
    columns = np.stack([column for pair in found.values() for column in pair], axis=1)
    estimates = iter(study.inference.means(columns))
    levels = study.behind((), "primary", original=True)
    labels = study.behind((), "primary", original=False)
    for name in found:
        yield study.row(ANALYSIS, name, "rollouts", next(estimates), behind=labels)
        gain = next(estimates)
        yield study.row(ANALYSIS, name, "net_gain", gain, behind=levels, level=True)


def _replays(study: PoolStudy, cap: int) -> dict[str, Spent]:
    """By rule and stop, the mean rollouts and values of each failure over its replays."""
    primary = study.pool.primary
    splits = int(np.clip(REPLAYS // len(primary), 1, MOST_REPLAYS))
    shapes = [position.outcomes.shape for position in primary]
    order = sorted(range(len(primary)), key=shapes.__getitem__)
    found: dict[str, Spent] = {}
    for (arms, n), group in groupby(order, key=shapes.__getitem__):
        places = list(group)
        tables = np.concatenate([_orders(study, place, splits) for place in places])
        for name, pair in _rules(study, tables, min(cap, n // 2), f"{arms} of {n}").items():
            kept = found.setdefault(name, (np.empty(len(primary)), np.empty(len(primary))))
            for whole, part in zip(kept, pair, strict=True):
                whole[places] = part.reshape(len(places), splits).mean(axis=1)
    return found


def _orders(study: PoolStudy, place: int, splits: int) -> Array:
    position = study.pool.primary[place]
    return shuffled(position.outcomes, splits, _rng(study, position.failure_id, position.t))


def _rules(study: PoolStudy, tables: Array, cap: int, shape: str) -> dict[str, Spent]:
    arms = tables.shape[1]
    found: dict[str, Spent] = {}
    for name, rule in RULES.items():
        stop = Stop(cap * arms, cost=COSTS[-1]) if name in STOPPING else Stop()
        whole = _replay(study, name, rule, tables, Stop(cap * arms), cap, shape)
        for m in range(1, cap + 1):
            found[f"{name}@{m}"] = whole.at(Stop(m * arms))
        if stop.looks:
            early = _replay(study, name, rule, tables, stop, cap, shape)
            for cost in COSTS:
                found[f"{name}@cost_{cost:g}"] = early.at(Stop(cost=cost))
    for m in range(1, cap + 1):
        rule = SuccessiveRejects(m * arms, cap)
        name = f"successive_rejects@{m}"
        found[name] = _replay(study, name, rule, tables, Stop(), cap, shape).at(Stop())
    return found


def _replay(
    study: PoolStudy, name: str, rule: Rule, tables: Array, stop: Stop, cap: int, shape: str
) -> Trace:
    rng = _rng(study, name, shape)
    return replay_stored(rule, tables, stop, rng, cap=cap, prior=PRIOR)


def _rng(study: PoolStudy, *parts: object) -> np.random.Generator:
    return generator(study.plan.bootstrap.seed, "adaptive", study.pool.name, *parts)
