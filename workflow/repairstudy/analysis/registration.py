"""Freezing a plan: its first version stays the confirmatory one, later ones are amendments.

What is frozen is the plan and, with it, the settings: the parts of the configuration that decide
what its tests mean (`config/frozen.py` says which). They are grouped by what they govern, so that
a study can be extended: a further evaluator, or more rollouts of one, leaves the tests of the
others what they were.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import yaml

from repairstudy.analysis.plan import Hypothesis, Plan
from repairstudy.errors import PlanError
from repairstudy.records import digest

CHANGED = "the plan changed after rollouts existed"
SETTINGS_CHANGED = "the configuration changed after rollouts existed"
LATE = "the plan was frozen after rollouts existed"
UNSETTLED = "the settings were frozen after the plan, by a later version of the workflow"

Settings = Mapping[str, Any]
SHARED, POOLS, EVALUATORS = "shared", "pools", "evaluators"  # groups of settings


@dataclass(frozen=True, slots=True)
class Amendment:
    """A version that came too late: when, and what differs from the one before."""

    at: datetime
    commit: str
    reason: str
    diff: str
    plan: Plan
    settings: Settings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the records of the rollouts say about a registration.

    Attributes:
        first_rollout: when the study's first rollout ended; None if that is not known.
        moved: executors, and "environment", that are not what they were when their first
            rollouts ran, each with what is known of it in words.
    """

    first_rollout: datetime | None = None
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Registration:
    """A frozen plan with its settings, what came after it, and what speaks against it."""

    plan: Plan
    frozen_at: datetime
    commit: str
    settings: Settings = field(default_factory=dict)
    amendments: tuple[Amendment, ...] = ()
    evidence: Evidence = field(default_factory=Evidence, compare=False)

    @cached_property
    def identity(self) -> str:
        """The hash of the first version, the moment it was frozen and the commit."""
        return digest(
            {
                "plan": self.plan.as_json(),
                "settings": self.settings,
                "frozen_at": self.frozen_at.isoformat(),
                "commit": self.commit,
            },
            length=64,
        )

    @property
    def current(self) -> Plan:
        """The latest version, whose new or changed hypotheses are exploratory."""
        return self.amendments[-1].plan if self.amendments else self.plan

    @property
    def current_settings(self) -> Settings:
        return self.amendments[-1].settings if self.amendments else self.settings

    @property
    def last_moment(self) -> datetime:
        return self.amendments[-1].at if self.amendments else self.frozen_at

    @property
    def predated(self) -> bool:
        """Whether rollouts of the study are older than its frozen plan."""
        first = self.evidence.first_rollout
        return first is not None and first < self.frozen_at

    @property
    def late(self) -> bool:
        """Whether even the first version was frozen after rollouts existed."""
        return self.predated or any(item.reason == LATE for item in self.amendments)

    def is_confirmatory(self, hypothesis: Hypothesis, deployed: str | None = None) -> bool:
        """Whether the first version names it, before its outcomes were known, and still holds."""
        return hypothesis in self.plan.hypotheses() and not self.objections(hypothesis, deployed)

    def objections(self, hypothesis: Hypothesis, deployed: str | None = None) -> list[str]:
        """Why a hypothesis of the first version is not confirmatory, in words.

        Args:
            deployed: the deployed executor of its pool, where it is known.
        """
        found = []
        # ASSUME: the workflow cannot witness what authors of a late plan had seen; it takes
        # their written word (outcomes_unseen) and repeats it in the notes of the results.
        if self.late and not self.plan.outcomes_unseen:
            found.append("the plan was frozen after the rollouts existed")
        changed = self._changed(hypothesis)
        if changed:
            found.append(f"{', '.join(changed)} changed after rollouts existed")
        scoring = evaluator_key(hypothesis.evaluator).removeprefix("executor:")
        moved = self.evidence.moved
        concerned = ("environment", deployed or "", scoring)
        return found + [moved[name] for name in concerned if name in moved]

    def added(self, hypothesis: Hypothesis) -> bool:
        """Whether only an amendment names it, or names it in another form."""
        return hypothesis in self.current.hypotheses() and hypothesis not in self.plan.hypotheses()

    def _changed(self, hypothesis: Hypothesis) -> list[str]:
        """Keys of the settings that govern a hypothesis and are not what was frozen."""
        if not self.settings:  # frozen by a version that did not freeze them
            return []
        before, after = (
            flat(governing(settings, hypothesis))
            for settings in (self.settings, self.current_settings)
        )
        return sorted(key for key in before | after if before.get(key) != after.get(key))


def evaluator_key(name: str) -> str:
    """The name under which settings govern an evaluator: executor:NAME for executor:NAME@5."""
    return name.partition("@")[0]


def governing(settings: Settings, hypothesis: Hypothesis) -> dict[str, Any]:
    """The settings that decide what a hypothesis means: shared ones, its pool, its evaluator."""
    key = evaluator_key(hypothesis.evaluator)
    return {
        SHARED: settings.get(SHARED, {}),
        f"pools.{hypothesis.pool}": settings.get(POOLS, {}).get(hypothesis.pool),
        f"evaluators.{key}": settings.get(EVALUATORS, {}).get(key),
    }


def flat(content: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Values by their keys joined with dots."""
    found: dict[str, Any] = {}
    for name, value in content.items():
        key = f"{before}{name}"
        found |= flat(value, f"{key}.") if isinstance(value, Mapping) else {key: value}
    return found


def register(
    plan: Plan,
    *,
    at: datetime,
    commit: str,
    rollouts_exist: bool,
    previous: Registration | None = None,
    settings: Settings | None = None,
) -> Registration:
    """The registration after plan file and configuration have been read once more.

    A version that says the same changes nothing. Another one replaces the frozen one as long as
    there is no rollout of the study; from then on it is an amendment beside it.

    Args:
        plan: what the plan file says now.
        at: the present time, UTC.
        commit: git commit of the workflow, or "unknown".
        rollouts_exist: whether any rollout of the study exists.
        previous: the registration so far.
        settings: what the configuration says now; see the module.

    Raises:
        PlanError: the clock was set back.
    """
    settings = dict(settings or {})
    if previous is not None:
        _require_time_goes_on(at, previous)
        if (plan, settings) == (previous.current, previous.current_settings):
            return previous
    if previous is None or not (rollouts_exist or previous.amendments):
        first = Registration(plan, at, commit, settings)
        if not rollouts_exist:
            return first
        return replace(first, amendments=(Amendment(at, commit, LATE, "", plan, settings),))
    reason = CHANGED if plan != previous.current else SETTINGS_CHANGED
    if plan == previous.current and not previous.settings:
        reason = UNSETTLED
    diff = difference(previous, plan, settings)
    amendment = Amendment(at, commit, reason, diff, plan, settings)
    return replace(previous, amendments=(*previous.amendments, amendment))


def _require_time_goes_on(at: datetime, previous: Registration) -> None:
    if at < previous.last_moment:
        raise PlanError(
            f"the clock says {at:%Y-%m-%d %H:%M:%S} UTC, but the plan was frozen or amended at "
            f"{previous.last_moment:%Y-%m-%d %H:%M:%S} UTC. Set the clock right."
        )


def difference(before: Registration, plan: Plan, settings: Settings) -> str:
    """What changed, as a unified diff of plan and settings in YAML.

    Keys are sorted: records on disk have another order than settings in hand.
    """
    old, new = (
        yaml.safe_dump({**shown.as_json(), **_titled(known)}).splitlines()
        for shown, known in (
            (before.current, before.current_settings),
            (plan, settings),
        )
    )
    return "\n".join(difflib.unified_diff(old, new, "before", "after", lineterm=""))


def _titled(settings: Settings) -> dict[str, Any]:
    return {"settings": dict(settings)} if settings else {}
