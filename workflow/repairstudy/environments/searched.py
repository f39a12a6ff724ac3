"""plan() and solvable() by search, for small deterministic worlds that cannot plan themselves."""

from __future__ import annotations

from collections.abc import Iterator

from repairstudy.environments.base import Environment
from repairstudy.environments.forms import is_form
from repairstudy.errors import StudyError

Plan = tuple[str, ...]


class Searched:
    """To be inherited before an environment's class: it searches breadth first, by doing.

    States count as the same if their signatures are, so signatures must not tell ways apart
    (`GymnasiumText.state_of`). Plans are shortest; ties go to the action that is offered first.

    Attributes:
        search_limit: states that may be looked at for one plan.
    """

    search_limit = 10_000

    def plan(self: Environment) -> Plan | None:
        """The shortest plan from here; None: no action leads to success.

        Raises:
            StudyError: there are more states than `search_limit`, or actions of free text.
        """
        plans = self.__dict__.setdefault("_plans", {})
        key = self.signature()
        if key not in plans:
            here = self.snapshot()
            try:
                plans[key] = _shortest(self, getattr(self, "search_limit", 0))
            finally:
                self.restore(here)
        plan: Plan | None = plans[key]
        return plan

    def solvable(self: Environment, budget: int) -> bool:
        """Whether the shortest plan fits into the budget."""
        plan = self.plan()
        return plan is not None and len(plan) <= budget


def _shortest(environment: Environment, limit: int) -> Plan | None:
    if environment.outcome().success:
        return ()
    seen = {environment.signature()}
    waiting = [(environment.snapshot(), Plan())]
    for state, done in waiting:  # the list grows while it is read
        environment.restore(state)
        for action in _closed(environment):
            environment.restore(state)
            environment.step(action)
            if environment.outcome().success:
                return (*done, action)
            if environment.signature() not in seen:
                seen.add(environment.signature())
                waiting.append((environment.snapshot(), (*done, action)))
        if len(seen) > limit:
            raise StudyError(
                f"environment {environment.name}: more than {limit:,} states to search for a plan; "
                f"raise search_limit, or write a plan() of your own"
            )
    return None


def _closed(environment: Environment) -> Iterator[str]:
    for action in environment.admissible_actions():
        if is_form(action):
            raise StudyError(
                f"environment {environment.name}: '{action}' holds free text, which cannot be "
                f"searched; write a plan() of your own"
            )
        yield action
