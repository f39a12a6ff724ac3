"""Whether plan() and solvable() agree with each other and with what playing shows."""

from __future__ import annotations

from repairstudy.audit.findings import NotApplicable, Problems
from repairstudy.audit.ground import Ground
from repairstudy.audit.observing import can_plan, difference, go, look, planned
from repairstudy.environments import Environment

MORE = 5  # actions that a budget leaves beyond a plan
MANY = 1_000  # a budget that no plan exceeds


def plans_agree(ground: Ground) -> Problems:
    """A plan can be done and ends in success where the task counts as solvable; asking for either
    changes nothing."""
    environment = ground.make()
    if not can_plan(environment):
        raise NotApplicable("the environment has no plan()")
    for spot in ground.spots:
        go(environment, spot)
        problem = _disagreement(environment)
        yield problem and f"{spot}: {problem}"


def _disagreement(environment: Environment) -> str | None:
    before, here = look(environment), environment.snapshot()
    solved = environment.outcome().success
    environment.restore(here)
    plan = planned(environment)
    length = len(plan or ())
    solvable = {
        budget: _solvable(environment, budget)
        for budget in sorted({0, max(0, length - 1), length, length + MORE, MANY})
    }
    changed = difference(look(environment), before)
    if changed is not None:
        return f"after plan() and solvable() {changed}"
    reached = None
    if plan is not None:
        for action in plan:
            if not environment.step(action).valid:
                return f"the plan {list(plan)} has '{action}', which is not valid there"
        reached = environment.outcome().success
    return _contradiction(plan, reached, solved, solvable)


def _contradiction(
    plan: tuple[str, ...] | None, reached: bool | None, solved: bool,
    solvable: dict[int, bool | None],
) -> str | None:  # fmt: skip
    """What cannot be true together.

    Args:
        reached: whether doing the plan ended in success.
        solved: whether the state is a success already.
        solvable: by budget; None where the environment does not say.
    """
    said = {budget: told for budget, told in solvable.items() if told is not None}
    if solved and plan != ():
        return f"it is solved, but the plan is {plan}"
    if plan == () and not solved:
        return "the plan has nothing to do, but it is not solved"
    if not said:
        return None if reached or plan is None else f"the plan {list(plan)} does not solve it"
    if said[0] != solved:
        return f"solvable(0) is {said[0]}, solved is {solved}"
    if any(told and not said[more] for less, told in said.items() for more in said if more > less):
        return f"it is solvable within fewer actions, but not within more: {said}"
    if said[MANY] and not reached:
        return f"solvable({MANY}), but the plan {plan} does not solve it"
    if reached and plan is not None and not said[len(plan)]:
        return f"a plan of {len(plan)} actions solves it, but solvable({len(plan)}) is False"
    return None


def _solvable(environment: Environment, budget: int) -> bool | None:
    if not hasattr(environment, "solvable"):
        return None
    try:
        return bool(environment.solvable(budget))
    except NotImplementedError:
        return None
