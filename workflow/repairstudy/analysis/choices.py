"""What each evaluator chooses at a position, with every expectation over ties and draws exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.pool import MATCHED, RANDOM, Array, PositionData, evaluator_name
from repairstudy.estimators.acceptance import acceptance
from repairstudy.estimators.batch import crossfit_many, subsample_weights_many
from repairstudy.estimators.external import argmax_weights, fixed_value
from repairstudy.estimators.tournament import Selected

OWN_BUDGETS = (1, 2, 3, 4, 5)
ACCEPTANCE = {"accept_2_of_3": (2, 3), "flip_1": (1, 1)}  # successes needed, replays tried

Choices = list[dict[str, Selected]]


@dataclass(frozen=True, slots=True)
class Rules:
    """How evaluators choose: what the plan fixes beside the tests themselves.

    Attributes:
        matched: own rollouts that select in matched selection.
        equal_budget: rollouts of another executor in NAME@N.
        alpha: level of the test inside `latest_significant`.
    """

    matched: int = 5
    equal_budget: int = 5
    alpha: float = 0.05

    @classmethod
    def of(cls, plan: Plan) -> Rules:
        return cls(plan.matched_rollouts, plan.decisions.equal_budget or 5, plan.alpha)


def position_choices(positions: Sequence[PositionData], deployed: str, rules: Rules) -> Choices:
    """For each position, the selection of every evaluator of scope position by name.

    Values are held-out means of outcomes; the original's mean is not subtracted.
    """
    choices: Choices = [{} for _ in positions]
    _add_own(choices, positions, rules)
    for i, position in enumerate(positions):
        for name, weights in score_weights(position, deployed).items():
            choices[i][name] = Selected(fixed_value(weights, position.outcomes), weights)
    _add_equal_budget(choices, positions, deployed, rules.equal_budget)
    return choices


def _add_own(choices: Choices, positions: Sequence[PositionData], rules: Rules) -> None:
    """Selections by the deployed executor's own rollouts; the rest of them evaluate."""
    tables = [position.outcomes for position in positions]
    n = min(table.shape[1] for table in tables)
    for m in sorted({rules.matched, *OWN_BUDGETS}):
        if m >= n:
            continue
        names = [MATCHED] * (m == rules.matched) + [f"own_{m}"] * (m in OWN_BUDGETS)
        for chosen, selected in zip(choices, crossfit_many(tables, m), strict=True):
            chosen |= dict.fromkeys(names, selected)
    for name, (needed, tried) in ACCEPTANCE.items():
        if tried < n:
            for chosen, position in zip(choices, positions, strict=True):
                chosen[name] = acceptance(position.outcomes, needed, tried, position.successes)


def _add_equal_budget(
    choices: Choices, positions: Sequence[PositionData], deployed: str, budget: int
) -> None:
    for executor in sorted({name for position in positions for name in position.others}):
        name = evaluator_name(executor, deployed)
        places = [i for i, position in enumerate(positions) if executor in position.others]
        tables = [positions[i].others[executor] for i in places]
        if not name.startswith("executor:") or tables[0].shape[1] < budget:
            continue
        for i, weights in zip(places, subsample_weights_many(tables, budget), strict=True):
            value = fixed_value(weights, positions[i].outcomes)
            choices[i][f"{name}@{budget}"] = Selected(value, weights)


def score_weights(position: PositionData, deployed: str) -> dict[str, Array]:
    """Selections by scores that the rollouts which evaluate them cannot have influenced."""
    weights = {RANDOM: argmax_weights(np.zeros(len(position.candidates)))}
    weights |= {name: argmax_weights(scores) for name, scores in position.scores.items()}
    for executor, rollouts in position.others.items():
        weights[evaluator_name(executor, deployed)] = argmax_weights(rollouts.mean(axis=1))
    return weights


def failure_scores(
    positions: Sequence[PositionData], deployed: str, everywhere: frozenset[str]
) -> dict[str, list[Array]]:
    """Scores (K,) by which external evaluators compare the candidates of all positions at once.

    Args:
        everywhere: the evaluators (of scores) and executors that scored every position of the
            pool. One that scored primary positions alone cannot choose across positions, not
            even in failures that have no other.
    """
    found = {RANDOM: [np.zeros(len(position.candidates)) for position in positions]}
    # ASSUME: scores of reachability and judges compare across positions as they are.
    for name in positions[0].scores:
        if name in everywhere:
            found[name] = [position.scores[name] for position in positions]
    for executor in positions[0].others:
        if executor in everywhere:
            found[evaluator_name(executor, deployed)] = executor_gains(
                positions, executor, deployed
            )
    return found


def executor_gains(positions: Sequence[PositionData], executor: str, deployed: str) -> list[Array]:
    """(K,) at each position: the gain that an executor sees in each candidate.

    ASSUME: an executor compares gains over its own score of the original where it has one at
    every position of the failure, else its scores.
    """
    scores = [p.rollouts_of(executor, deployed).mean(axis=1) for p in positions]
    originals = [p.originals_of(executor, deployed) for p in positions]
    if not all(row.size for row in originals):
        return scores
    return [score - row.mean() for score, row in zip(scores, originals, strict=True)]
