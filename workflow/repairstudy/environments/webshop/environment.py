"""The shop as a task world: find what an instruction asks for, choose its options, buy it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repairstudy.environments.base import Outcome, Step
from repairstudy.environments.webshop.goals import Goal
from repairstudy.environments.webshop.options import parse_options
from repairstudy.environments.webshop.pages import SEPARATOR
from repairstudy.environments.webshop.plan import purchase_plan
from repairstudy.environments.webshop.session import (
    Session,
    after_click,
    after_search,
    parse_action,
)
from repairstudy.environments.webshop.shop import View, open_shop
from repairstudy.environments.webshop.tasks import task_table
from repairstudy.errors import DataError
from repairstudy.records import digest

VERSION = "1"  # raise it whenever pages, search, actions or scores change
NOTHING_BOUGHT = Outcome(success=False, reward=0.0)


class Webshop:
    """An online shop with text pages; an `Environment`.

    Keyword options with their defaults and meaning: `Options`. Instances in one process share
    the catalogue, the index, and what they remember.

    A purchase ends the episode; its reward lies in [0, 1] and success is a reward of 1. Without
    one the reward is 0. Actions are ``search[words]`` and ``click[what]``, read as the original
    reads them: a search is obeyed on every page, though only the search page offers it, and
    anything else that a page does not offer changes nothing and is not valid. So are queries that
    begin with one of `session.BLOCKED_PREFIXES`, which the original answers from hidden data.

    Raises:
        ConfigError: an option that is unknown or not accepted.
        DataError: the shop was not prepared.
    """

    name = "webshop"
    blocking = False

    def __init__(self, **options: Any) -> None:
        self.options = parse_options(options)
        folder = Path(self.options.data)
        self.shop, self._goals, name = open_shop(
            folder, self.options.rules, self.options.observation
        )
        # Which goals are tasks is left out: a task means the same in every selection.
        shown = [self.options.observation, self.options.show_score]
        rules = self.options.rules.version_part()
        parts = [self.shop.catalogue.fingerprint, rules, *shown]
        self.version = f"{VERSION}-{name}-{digest(parts, length=12)}"
        self._tasks = task_table(
            self._goals,
            self.options.split,
            self.options.splitting,
            self.options.max_goals_per_product,
            self.options.unreachable,
        )
        self._session: Session | None = None
        self._goal: Goal | None = None

    def tasks(self) -> Sequence[str]:
        """Goals that are tasks, in the original's order of goals."""
        return tuple(self._tasks)

    def goal(self, task_id: str) -> Goal:
        """What a task is about, with everything that purchases are scored by.

        Raises:
            DataError: there is no such task.
        """
        if task_id not in self._tasks:
            raise DataError(
                self.options.data,
                f"no task '{task_id}' among the {len(self._tasks)} goals selected.",
                "Tasks depend on the options data, split and max_goals_per_product.",
            )
        return self._goals[self._tasks[task_id]]

    def cluster(self, task_id: str) -> str:
        """The wanted product: goals that differ in its options alone depend on each other."""
        return self.goal(task_id).asin

    def reset(self, task_id: str, seed: int = 0) -> str:
        """Start an episode; nothing in the shop is random.

        Raises:
            DataError: there is no such task.
        """
        self.restore(Session(task_id))
        return self._observation()

    def instruction(self) -> str:
        return self._wanted().instruction

    def admissible_actions(self) -> tuple[str, ...]:
        """`search[<query>]` where there is a search bar, then a click for each thing to click."""
        return self._view().admissible

    def step(self, action: str) -> Step:
        after = self._after(action)
        if after is not None:
            self._session = after
        done = self._current().page == "bought"
        return Step(self._observation(), done, after is not None)

    def outcome(self) -> Outcome:
        session = self._current()
        if session.page != "bought" or session.product is None:
            return NOTHING_BOUGHT
        reward = self.shop.reward(self._wanted(), session.product, session.options)
        return Outcome(reward == 1.0, reward)

    def signature(self) -> str:
        """A hash of the page, the search, the product and the chosen options."""
        return self._current().signature()

    def describe(self) -> str:
        """The goal, the options chosen so far, and the page, a line a text.

        All of it could be seen by an agent that remembers its actions: not what is scored.
        """
        session = self._current()
        chosen = [f"{group}: {value}" for group, value in session.options]
        lines = [
            f"Goal: {self.instruction()}",
            f"Chosen options: {', '.join(chosen) or 'none'}",
            f"Last search: {session.query or 'none'}",
            "",
        ]
        return "\n".join([*lines, *self._view().body.split(SEPARATOR)])

    def snapshot(self) -> Session:
        return self._current()

    def restore(self, snapshot: Any) -> None:
        self._goal = self.goal(snapshot.task_id)
        self._session = snapshot

    def plan(self) -> tuple[str, ...] | None:
        """A short way to buy the wanted product as wanted, as good as the goal allows.

        # ASSUME: nothing else scores better. Other products can score 1 too and be nearer.
        """
        if self.outcome().success:
            return ()
        plan = purchase_plan(self.shop, self._wanted(), self._current())
        return plan.actions if plan else None

    def solvable(self, budget: int) -> bool:
        """Whether the plan fits into the budget and ends with a reward of 1."""
        if self.outcome().success:
            return True
        plan = purchase_plan(self.shop, self._wanted(), self._current())
        return plan is not None and plan.reward == 1.0 and len(plan.actions) <= budget

    def _after(self, action: str) -> Session | None:
        """The session after an action; None: it does nothing."""
        session, parsed = self._current(), parse_action(action)
        if parsed is None or session.page == "bought":
            return None
        name, argument = parsed
        if name == "search":
            return after_search(session, argument)
        if name != "click":
            return None
        marks = self.options.observation == "text_rich"
        return after_click(session, argument, self._view().targets, keep_visits=marks)

    def _view(self) -> View:
        tell = self.options.show_score and self._current().page == "bought"
        return self.shop.view(self._current(), self.outcome().reward if tell else None)

    def _observation(self) -> str:
        """The page below its instruction; the last page stands alone."""
        page, body = self._current().page, self._view().body
        if page == "bought":
            return body
        between = SEPARATOR if self.options.observation == "text" else "\n"
        above = ("WebShop",) if page == "search" else ()
        return between.join((*above, "Instruction:", self.instruction(), body))

    def _current(self) -> Session:
        if self._session is None:
            raise RuntimeError("reset or restore the environment before using it")
        return self._session

    def _wanted(self) -> Goal:
        if self._goal is None:
            raise RuntimeError("reset or restore the environment before using it")
        return self._goal
