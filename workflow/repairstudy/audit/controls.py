"""Known answers: what must be rejected, and what must be accepted.

Each is a function of the ground that yields one item an episode: None, or the problem.
"""

from __future__ import annotations

from collections.abc import Sequence

from repairstudy.audit.findings import Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import Spot, go, planned
from repairstudy.audit.variants import NOTHING
from repairstudy.environments import Outcome

TIMES_NOTHING = 3


def does_nothing(ground: Ground) -> Problems:
    """The start of a task, and impossible actions there, solve nothing."""
    environment = ground.make()
    for task_id in ground.tasks:
        for actions in ((), (NOTHING,) * TIMES_NOTHING):
            go(environment, Spot(task_id, actions))
            yield _not_rejected(Spot(task_id, actions), environment.outcome())


def falls_short(ground: Ground) -> Problems:
    """A state from which the planner still has something to do, or no plan, is unsolved."""
    ground.require_references()
    planner = ground.make()
    for spot in ground.spots:
        go(planner, spot)
        if planned(planner) != ():
            environment = ground.make()
            go(environment, spot)
            yield _not_rejected(spot, environment.outcome())


def reference_solution(ground: Ground) -> Problems:
    """The planner's solution solves the task, done as it stands."""
    ground.require_references()
    for task_id, actions in ground.references.items():
        yield _not_accepted(ground, task_id, actions, "the plan")


def permitted_variants(ground: Ground) -> Problems:
    """So do detours, other orders and other goods, where the rules permit them."""
    if not any(ground.permitted.values()):
        ground.require_references()
    for task_id, found in ground.permitted.items():
        for name, actions in found:
            yield _not_accepted(ground, task_id, actions, name)


def _not_rejected(spot: Spot, outcome: Outcome) -> str | None:
    if not 0.0 <= outcome.reward <= 1.0:
        return f"{spot}: the reward {outcome.reward} is outside [0, 1]"
    accepted = outcome.success or outcome.reward >= 1.0
    return f"{spot}: {outcome}, though it is not solved" if accepted else None


def _not_accepted(ground: Ground, task_id: str, actions: Sequence[str], name: str) -> str | None:
    environment = ground.make()
    go(environment, Spot(task_id, tuple(actions)))
    outcome = environment.outcome()
    if outcome.success and outcome.reward == 1.0:
        return None
    return f"{name} of {task_id}, {list(actions)}: {outcome}, though it solves the task"
