"""Selections and held-out values of every evaluator: tables `selections` and `values`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl

from repairstudy.analysis.choices import Rules, failure_scores, position_choices
from repairstudy.analysis.pool import MATCHED, Array, PoolData, PositionData
from repairstudy.errors import MissingRollouts
from repairstudy.estimators.arrays import is_binary
from repairstudy.estimators.external import argmax_weights
from repairstudy.estimators.failure_scope import (
    FailureSelected,
    Position,
    crossfit_failure,
    earliest_success,
    fixed_failure,
    latest_significant,
)
from repairstudy.estimators.positions import original_size
from repairstudy.records import TABLES

POSITION, FAILURE = "position", "failure"
MOST_REWARD_HALVES = 252


@dataclass(frozen=True, slots=True)
class Choice:
    """One evaluator's selection at a position, or across the positions of a failure."""

    evaluator: str
    value: float
    weights: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Selections:
    """Rows of table `selections` and of table `values`."""

    selections: pl.DataFrame
    values: pl.DataFrame


def select(pool: PoolData, rules: Rules | None = None) -> Selections:
    """Let every evaluator choose, at each position and across the positions of each failure.

    The value is the held-out net gain; it is null where the original action was not rolled out,
    and then only the loss is known, and nothing of scope failure, where the original is
    cross-fitted. Nothing is scored on a rollout that helped to select it.

    Raises:
        MissingRollouts: too few label rollouts to select with some and evaluate on others.
    """
    rules = rules or Rules()
    _require_heldout(pool, rules)
    rows = _Rows(pool)
    found = position_choices(pool.positions, pool.deployed, rules)
    for position, chosen in zip(pool.positions, found, strict=True):
        rows.add(
            POSITION,
            (position,),
            [Choice(name, s.value - position.base, (s.weights,)) for name, s in chosen.items()],
        )
    if pool.originals > 1:
        testable = all(_can_be_tested(position, rules.matched) for position in pool.positions)
        for positions in pool.by_failure:
            rows.add(FAILURE, positions, list(_failure_scope(positions, pool, rules, testable)))
    return rows.frames()


def select_all(pools: Iterable[PoolData], rules: Rules | None = None) -> Selections:
    """The same for several pools, in one table each."""
    found = [select(pool, rules) for pool in pools]
    return Selections(
        pl.concat([one.selections for one in found]), pl.concat([one.values for one in found])
    )


def _require_heldout(pool: PoolData, rules: Rules) -> None:
    if pool.labels <= rules.matched:
        raise MissingRollouts(
            f"pool {pool.name}: matched selection needs {rules.matched} label rollouts of each "
            f"candidate to select and at least one more to evaluate, but there are {pool.labels}. "
            "Raise the number of label rollouts and run the workflow again: it runs the missing "
            "ones alone."
        )


def _failure_scope(
    positions: tuple[PositionData, ...], pool: PoolData, rules: Rules, testable: bool
) -> Iterator[Choice]:
    """The choices of the evaluators that are there for every failure of the pool."""
    arms = [Position(p.outcomes, p.original, p.successes) for p in positions]
    own: dict[str, FailureSelected] = {
        MATCHED: crossfit_failure(arms, rules.matched),
        "earliest_success": earliest_success(arms),
    }
    if testable:
        own["latest_significant"] = latest_significant(arms, rules.matched, rules.alpha)
    for name, chosen in own.items():
        yield Choice(name, chosen.value, chosen.weights)
    ends = np.cumsum([len(position.candidates) for position in positions])[:-1]
    for name, scores in failure_scores(positions, pool.deployed, pool.everywhere).items():
        weights = tuple(np.split(argmax_weights(np.concatenate(scores)), ends))
        yield Choice(name, fixed_failure(weights, arms), weights)


def _can_be_tested(position: PositionData, m: int) -> bool:
    """Whether the exact test of every half is affordable.

    ASSUME: with more rewards than the usual 5 of 10, `latest_significant` is left out.
    """
    if is_binary(position.outcomes) and is_binary(position.original):
        return True
    n, n0 = position.outcomes.shape[1], position.original.size
    splits = comb(n, m), comb(n0, original_size(n, m, n0))
    return max(splits) <= MOST_REWARD_HALVES


class _Rows:
    """Collects rows column by column."""

    def __init__(self, pool: PoolData) -> None:
        self._pool = pool
        self._values: list[tuple[object, ...]] = []
        self._selections: dict[str, list[object]] = {
            name: [] for name in TABLES["selections"].schema if name != "pool"
        }

    def add(self, scope: str, positions: tuple[PositionData, ...], choices: list[Choice]) -> None:
        matched = next(choice.value for choice in choices if choice.evaluator == MATCHED)
        for choice in choices:
            self._add_value(scope, positions[0], choice, matched)
            for position, weights in zip(positions, choice.weights, strict=True):
                self._add_weights(scope, position, choice.evaluator, weights)

    def _add_value(
        self, scope: str, position: PositionData, choice: Choice, matched: float
    ) -> None:
        known = self._pool.has_original
        self._values.append(
            (
                self._pool.name,
                choice.evaluator,
                scope,
                position.failure_id,
                position.t if scope == POSITION else None,
                choice.value if known else None,
                matched if known else None,
                matched - choice.value,
            )
        )

    def _add_weights(
        self, scope: str, position: PositionData, evaluator: str, weights: Array
    ) -> None:
        number = len(weights)
        columns = self._selections
        columns["evaluator"] += [evaluator] * number
        columns["scope"] += [scope] * number
        columns["failure_id"] += [position.failure_id] * number
        columns["t"] += [position.t] * number
        columns["candidate_id"] += position.candidates
        columns["weight"] += weights.tolist()

    def frames(self) -> Selections:
        schema = TABLES["selections"].schema
        selections = pl.DataFrame(
            self._selections, schema={name: schema[name] for name in self._selections}
        ).with_columns(pool=pl.lit(self._pool.name))
        values = pl.DataFrame(self._values, schema=TABLES["values"].schema, orient="row")
        return Selections(selections.select(*schema), values)
