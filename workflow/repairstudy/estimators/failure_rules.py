"""The two published rules that choose a position: earliest success, latest significant step.

Both go through the positions in one direction and stop at the first where something happens: some
replay succeeds, or some candidate is significant. If nothing happens anywhere they select uniformly
among all pairs, and the held-out values are those given that nothing happened.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from repairstudy.estimators.acceptance import verdict_law
from repairstudy.estimators.arrays import (
    UNITS,
    Array,
    heldout_size,
    lattice,
    outcome_row,
    outcome_table,
    success_table,
)
from repairstudy.estimators.laws import success_law
from repairstudy.estimators.leaders import Runner, leads
from repairstudy.estimators.positions import FailureSelected, Position, original_size
from repairstudy.estimators.significance import Halves, halves, significant
from repairstudy.estimators.tournament import leave_one_out, tabulate, win_probabilities


class Stop(NamedTuple):
    """What a rule does at one position, were it to arrive there.

    Attributes:
        weights: (K,) probability that it stops here with each candidate.
        value: expected net gain of that candidate, counted 0 if it does not stop.
        passing: probability that it does not stop here.
        passed: sum over candidates of their expected net gains, counted 0 if it stops.
    """

    weights: Array
    value: float
    passing: float
    passed: float


def earliest_success(positions: Sequence[Position]) -> FailureSelected:
    """The earliest position where a single own replay of a candidate succeeds.

    One replay of every candidate; at the first position with a success, uniform among the
    candidates that succeeded; among all pairs if none did. The other n - 1 rollouts evaluate, and
    all rollouts of the original, which did not select. Exact over the choice of the replays.

    Args:
        positions: the failure's positions in the order of their step.

    Raises:
        ValueError: no position, malformed outcomes, fewer than 2 rollouts, or rewards without
            successes.
    """
    return _first_stop([_success_stop(position) for position in positions])


def latest_significant(
    positions: Sequence[Position], m: int, alpha: float = 0.05
) -> FailureSelected:
    """The latest position where some candidate is significantly better than the original.

    Tested on the selection halves (m of n rollouts of a candidate, `original_size` of the
    original's) by a one-sided exact test at alpha: Fisher's for outcomes of 0 and 1, permutation of
    means for rewards. There the candidate with the largest selection mean among the significant,
    ties shared equally; among all pairs if none is significant anywhere. The other halves evaluate,
    the original's too. Exact over independent splits.

    Args:
        positions: the failure's positions in the order of their step.
        m: rollouts of each candidate that select, 1 to n - 1.
        alpha: level of each test, without correction.

    Raises:
        ValueError: no position, malformed outcomes, m outside 1..n - 1, alpha outside (0, 1), or
            too many splits of rewards.
    """
    if m < 1 or not 0.0 < alpha < 1.0:
        raise ValueError(f"no test of m = {m} rollouts at alpha = {alpha}.")
    stops = [_significance_stop(position, m, alpha) for position in reversed(positions)]
    selected = _first_stop(stops)
    return selected._replace(weights=selected.weights[::-1])


def _first_stop(stops: Sequence[Stop]) -> FailureSelected:
    """Positions in the order in which the rule visits them, combined."""
    if not stops:
        raise ValueError("a failure needs at least one position.")
    pairs = sum(len(stop.weights) for stop in stops)
    passing = np.array([stop.passing for stop in stops])
    arriving = np.concatenate([[1.0], np.cumprod(passing)])
    nowhere = arriving[-1] / pairs
    weights = tuple(p * stop.weights + nowhere for p, stop in zip(arriving, stops, strict=False))
    stopped = sum(p * stop.value for p, stop in zip(arriving, stops, strict=False))
    others = leave_one_out(passing)
    fallback = sum(p * stop.passed for p, stop in zip(others, stops, strict=True)) / pairs
    return FailureSelected(float(stopped + fallback), weights)


def _success_stop(position: Position) -> Stop:
    table = outcome_table(position.outcomes)
    wins = success_table(position.successes, table)
    baseline = outcome_row(position.original, "original").mean()
    heldout_size(table.shape[1], 1)
    laws = [verdict_law(success_law(*arm, 1), 1) for arm in zip(table, wins, strict=True)]
    below, at, heldout = tabulate(laws, np.array([0.0, 1.0]))
    weights = at[:, 1] * win_probabilities(below, at)[:, 1]
    passing = at[:, 0].prod()
    return Stop(
        weights,
        value=float(weights @ (heldout[:, 1] - baseline)),
        passing=float(passing),
        passed=float(passing * (heldout[:, 0] - baseline).sum()),
    )


def _significance_stop(position: Position, m: int, alpha: float) -> Stop:
    table, original = outcome_table(position.outcomes), outcome_row(position.original, "original")
    heldout_size(table.shape[1], m)
    baseline = halves(original, original_size(table.shape[1], m, len(original)))
    cost = _heldout(original, baseline)
    arms = [halves(row, m) for row in table]
    credits = [_heldout(row, arm) for row, arm in zip(table, arms, strict=True)]
    tests = significant(arms, baseline, alpha)
    passing = np.stack([arm.pmf @ (1.0 - test) for arm, test in zip(arms, tests, strict=True)])
    lost = np.stack(
        [
            (arm.pmf * credit) @ (1.0 - test)
            for arm, credit, test in zip(arms, credits, tests, strict=True)
        ]
    )
    others = leave_one_out(passing)
    nothing = passing.prod(axis=0)
    runners = [_runner(*each) for each in zip(arms, tests, passing, strict=True)]
    won = [part * baseline.pmf for part in leads(runners)]
    earned = [
        part.sum(axis=1) @ _rest(row, runner.sums, m) - (part @ cost).sum()
        for part, row, runner in zip(won, table, runners, strict=True)
    ]
    return Stop(
        np.array([part.sum() for part in won]),
        value=float(sum(earned)),
        passing=float(nothing @ baseline.pmf),
        passed=float(((others * lost).sum(axis=0) - len(table) * nothing * cost) @ baseline.pmf),
    )


def _runner(arm: Halves, test: Array, passing: Array) -> Runner:
    """A candidate given each half of the original: the sums of its significant halves."""
    able = test.any(axis=1)
    sums = arm.chosen[able].sum(axis=1)
    order = np.argsort(sums, kind="stable")
    distinct, starts = np.unique(sums[order], return_index=True)
    at = (arm.pmf[able, None] * test[able])[order]
    return Runner(distinct, np.add.reduceat(at, starts, axis=0) if len(at) else at, passing)


def _heldout(outcomes: Array, half: Halves) -> Array:
    """(H,) mean of the outcomes that are not in each half."""
    return _rest(outcomes, half.chosen.sum(axis=1), half.chosen.shape[1])


def _rest(outcomes: Array, sums: Array, m: int) -> Array:
    """Mean of the outcomes beside m of them with each of the sums, given in lattice units."""
    return np.asarray((lattice(outcomes).sum() - sums) / (UNITS * (len(outcomes) - m)))
