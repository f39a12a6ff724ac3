"""Whether a pool was measured as the plan decided."""

from __future__ import annotations

from collections.abc import Iterator

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.pool import PoolData, evaluator_name
from repairstudy.errors import PlanError


def deviations(pool: PoolData, plan: Plan) -> list[str]:
    """Where a pool has more failures or rollouts than the plan says, in words.

    A pool may be smaller than planned, since a screen may pass fewer failures.

    Raises:
        PlanError: it has fewer rollouts than the plan says.
    """
    found = []
    for what, planned, there in _counts(pool, plan):
        if there < planned:
            raise PlanError(
                f"pool {pool.name} has {there} {what}, the frozen plan says {planned}. Configure "
                "that many and run the workflow again: it runs the missing rollouts alone."
            )
        if there > planned:
            found.append(f"{there} {what}, the plan says {planned}")
    size = plan.decisions.pool_size
    if size is not None and len(pool.failures) > size:
        found.append(f"{len(pool.failures)} failures, the plan says {size}")
    return found


def _counts(pool: PoolData, plan: Plan) -> Iterator[tuple[str, int, int]]:
    """What the plan fixes: in words, how many it says, how many there are."""
    decided = plan.decisions
    if decided.label_rollouts is not None:
        yield "label rollouts of each candidate", decided.label_rollouts, pool.labels
    if decided.original_rollouts is not None:
        yield "label rollouts of each original", decided.original_rollouts, pool.originals
    tested = {evaluator for f in plan.families if f.pool == pool.name for evaluator in f.evaluators}
    for executor in pool.executors:
        name = evaluator_name(executor, pool.deployed)
        if name not in tested:
            continue
        planned = {
            "greedy": decided.greedy_runs,
            "temperature_0.3": decided.low_temperature_rollouts,
        }.get(name, decided.evaluator_rollouts)
        if planned is not None:
            there = min(position.others[executor].shape[1] for position in pool.primary)
            yield f"rollouts of {executor} on each candidate", planned, there
