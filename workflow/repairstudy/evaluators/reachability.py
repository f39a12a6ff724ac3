"""Scores from the environment itself: is the goal within reach, and how far is it?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from repairstudy.candidates.situation import Situation
from repairstudy.environments import Environment

SCHEMA = {
    "evaluator": pl.String(),
    "failure_id": pl.String(),
    "t": pl.Int64(),
    "candidate_id": pl.String(),
    "score": pl.Float64(),
}


def reachability_scores(
    environment: Environment,
    situation: Situation,
    candidates: Iterable[tuple[str, str]],
    evaluators: Sequence[str] = ("solvability", "planner"),
) -> pl.DataFrame:
    """Scores of candidates at the situation that the environment stands in.

    `solvability` is 1 when the goal is reachable within the budget left after the candidate,
    else 0. `planner` is minus the length of the plan after the candidate; a plan that does not
    fit the budget left counts as one action longer than it, and so does no plan at all.

    Args:
        candidates: pairs of candidate id and action.

    Returns:
        Columns evaluator, failure_id, t, candidate_id, score. The environment is left in the
        state it was found in.
    """
    here = environment.snapshot()
    left = situation.slack - 1
    rows: list[dict[str, object]] = []
    for candidate_id, action in candidates:
        environment.restore(here)
        environment.step(action)
        for evaluator in evaluators:
            score = (
                float(environment.solvable(left))
                if evaluator == "solvability"
                else -float(_plan_length(environment, left))
            )
            rows.append(
                {
                    "evaluator": evaluator,
                    "failure_id": situation.failure_id,
                    "t": situation.t,
                    "candidate_id": candidate_id,
                    "score": score,
                }
            )
    environment.restore(here)
    return pl.DataFrame(rows, schema=SCHEMA)


def _plan_length(environment: Environment, left: int) -> int:
    if environment.outcome().success:
        return 0
    plan = environment.plan()
    return left + 1 if plan is None else min(len(plan), left + 1)
