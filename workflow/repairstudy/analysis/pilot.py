"""What a finished study tells about the size of the next one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.pool import MATCHED, PoolData
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.errors import DataError
from repairstudy.estimators.arrays import Array, is_binary
from repairstudy.estimators.sizing import Costs, Spread, loss_noise, spread_of
from repairstudy.records import generator

DRAWS, DRAWS_OF_REWARDS = 50, 4  # the exact laws of rewards take a hundred times as long


class Pilot(NamedTuple):
    """One pool of a finished study.

    Attributes:
        rollouts: label rollouts a candidate.
        spreads: by evaluator.
        costs: of a failure, as they were.
        candidates: beside the original, at a position.
        positions: of a failure.
    """

    rollouts: int
    spreads: dict[str, Spread]
    costs: Costs
    candidates: float
    positions: float


def pilot_of(
    pool: PoolData,
    values: pl.DataFrame,
    trajectories: pl.DataFrame,
    plan: Plan,
    evaluators: Iterable[str] = (),
    rollouts: Iterable[int] = (),
) -> Pilot:
    """Spreads of the losses at the primary positions, and what a failure cost.

    Args:
        pool: the pilot's failures.
        values: table `values`; trajectories: table `trajectories`.
        plan: the pilot's plan.
        evaluators: of which; none: those that the plan tests here, or all if it tests none.
        rollouts: numbers of rollouts a candidate to foresee the noise at.

    Raises:
        DataError: an evaluator that the pilot lacks, or too few clusters.
    """
    study, n = PoolStudy.of(pool, values, plan), pool.labels
    names = list(evaluators) or _tested(study)
    lacking = [name for name in names if name not in study.losses["position"]]
    if lacking:
        known = ", ".join(study.losses["position"])
        raise DataError("the pilot", f"has no evaluator {', '.join(lacking)} (has {known}).")
    if study.inference.n_clusters < 2:
        raise DataError("the pilot", f"pool {pool.name} has one cluster: it tells no spread.")
    binary = all(is_binary(position.outcomes) for position in pool.primary)
    wanted = sorted({n, *(r for r in rollouts if binary and r > plan.matched_rollouts)})
    spreads = {name: _spread(study, name, wanted, binary) for name in names}
    sizes = [len(position.candidates) for position in pool.positions]
    return Pilot(
        n, spreads, _costs(pool, trajectories), float(np.mean(sizes)),
        len(pool.positions) / len(pool.failures),
    )  # fmt: skip


def _tested(study: PoolStudy) -> list[str]:
    named = [
        hypothesis.evaluator
        for hypothesis in study.plan.hypotheses()
        if hypothesis.pool == study.pool.name and hypothesis.scope == "position"
    ]
    return list(dict.fromkeys(named)) or [n for n in study.losses["position"] if n != MATCHED]


def _spread(study: PoolStudy, name: str, rollouts: list[int], binary: bool) -> Spread:
    """Noise is 0, hence all of the spread between failures, where a rule's draws are not known."""
    rule = _rule(study, name)
    noise = dict.fromkeys(rollouts, 0.0)
    if rule is not None:
        tables = [position.outcomes for position in study.pool.primary]
        draws = DRAWS if binary else DRAWS_OF_REWARDS
        for r in rollouts:
            # One stream for all evaluators and numbers: they are compared on the same draws.
            rng = generator(study.plan.bootstrap.seed, "pilot", study.pool.name)
            noise[r] = loss_noise(tables, rule, study.plan.matched_rollouts, r, rng, draws)
    losses = study.losses["position"][name]
    return spread_of(losses, study.inference.clusters, noise, study.pool.labels)


def _rule(study: PoolStudy, name: str) -> list[Array] | int | None:
    """How an evaluator chooses: fixed weights, a number of own rollouts, or another way."""
    start, _, number = name.partition("_")
    if start == "own" and number.isdigit():
        return int(number)
    # ASSUME: another executor's choices are fixed; the noise of its rollouts counts as a
    # difference between failures, which more own rollouts do not reduce.
    if all(name in weights for weights in study.score_weights):
        return [weights[name] for weights in study.score_weights]
    return None


def _costs(pool: PoolData, trajectories: pl.DataFrame) -> Costs:
    """Rollouts a failure; one that several failures share counts once."""
    failures = len(pool.failures)
    rolled = pool.rollouts.filter(pl.col("role").is_in(["evaluate", "control"]))
    arms = sum(len(position.candidates) + 1 for position in pool.positions)
    return Costs(
        arms / failures,
        rolled["rollout_key"].n_unique() / failures,
        _runs_a_failure(pool, trajectories),
    )


def _runs_a_failure(pool: PoolData, trajectories: pl.DataFrame) -> float:
    """Collected runs of all executors for each failed one."""
    failed = trajectories.filter(~pl.col("success")).height
    return trajectories.height / failed if failed else 0.0


def only_pool(pools: Mapping[str, PoolData], name: str | None) -> PoolData:
    """The pool of that name, or the only one.

    Raises:
        DataError: there is none of that name, or several and no name.
    """
    known = ", ".join(pools)
    if name is None and len(pools) == 1:
        return next(iter(pools.values()))
    if name is None:
        raise DataError("the pilot", f"has several pools ({known}).", "Name one: --pool NAME")
    if name not in pools:
        raise DataError("the pilot", f"has no pool {name} (has {known}).")
    return pools[name]
