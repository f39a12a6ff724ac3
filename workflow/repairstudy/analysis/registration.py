"""Freezing a plan: its first version stays the confirmatory one, later ones are amendments."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from repairstudy.analysis.plan import Hypothesis, Plan
from repairstudy.errors import PlanError
from repairstudy.records import TABLES, canonical_json, digest
from repairstudy.store import replacing

CHANGED = "the plan changed after rollouts existed"
LATE = "the plan was frozen after rollouts existed"


@dataclass(frozen=True, slots=True)
class Amendment:
    """A version of the plan that came too late: when, and what differs from the one before."""

    at: datetime
    commit: str
    reason: str
    diff: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Registration:
    """A frozen plan and what came after it."""

    plan: Plan
    frozen_at: datetime
    commit: str
    amendments: tuple[Amendment, ...] = ()

    @property
    def current(self) -> Plan:
        """The latest version, whose new or changed hypotheses are exploratory."""
        return self.amendments[-1].plan if self.amendments else self.plan

    @property
    def late(self) -> bool:
        """Whether even the first version was frozen after rollouts existed."""
        return any(item.reason == LATE for item in self.amendments)

    def is_confirmatory(self, hypothesis: Hypothesis) -> bool:
        """Whether the first version names it, before its outcomes were known."""
        # ASSUME: the workflow cannot witness what authors of a late plan had seen; it takes
        # their written word (outcomes_unseen) and repeats it in the notes of the results.
        return hypothesis in self.plan.hypotheses() and (not self.late or self.plan.outcomes_unseen)

    def added(self, hypothesis: Hypothesis) -> bool:
        """Whether only an amendment names it, or names it in another form."""
        return hypothesis in self.current.hypotheses() and hypothesis not in self.plan.hypotheses()


def register(
    plan: Plan,
    *,
    at: datetime,
    commit: str,
    rollouts_exist: bool,
    previous: Registration | None = None,
) -> Registration:
    """The registration after the plan file has been read once more.

    A plan that says the same changes nothing. Another plan replaces the frozen one as long as
    there is no rollout of the study; from then on it is an amendment beside it.

    Args:
        plan: what the plan file says now.
        at: the present time, UTC.
        commit: git commit of the workflow, or "unknown".
        rollouts_exist: whether any rollout of the study exists.
        previous: the registration so far.
    """
    if previous is not None and plan == previous.current:
        return previous
    if previous is None or not (rollouts_exist or previous.amendments):
        first = Registration(plan, at, commit)
        if not rollouts_exist:
            return first
        return replace(first, amendments=(Amendment(at, commit, LATE, "", plan),))
    amendment = Amendment(at, commit, CHANGED, difference(previous.current, plan), plan)
    return replace(previous, amendments=(*previous.amendments, amendment))


def difference(before: Plan, after: Plan) -> str:
    """What changed, as a unified diff of the two plans in YAML."""
    old, new = (
        yaml.safe_dump(plan.as_json(), sort_keys=False).splitlines() for plan in (before, after)
    )
    return "\n".join(difflib.unified_diff(old, new, "before", "after", lineterm=""))


def to_frame(registration: Registration) -> pl.DataFrame:
    """The registration as the one row of table `preregistration`."""
    content = _as_json(registration)
    row = content | {
        "frozen_at": registration.frozen_at,
        "plan": canonical_json(content["plan"]),
        "amendments": canonical_json(content["amendments"]),
    }
    return pl.DataFrame([row], schema=TABLES["preregistration"].schema)


def write_registration(registration: Registration, path: str | Path) -> None:
    """Write the frozen plan and its amendments as JSON, all at once."""
    text = json.dumps(_as_json(registration), indent=2, ensure_ascii=False)
    with replacing(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_registration(path: str | Path) -> Registration:
    """Read a frozen plan, and check that it is what was frozen.

    Raises:
        PlanError: there is none, it is damaged, or its plan does not match its hash.
    """
    if not Path(path).is_file():
        raise PlanError(f"{path}: no plan is frozen. Run the rule `freeze_plan` first.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        registration = Registration(
            _plan(content["plan"]),
            datetime.fromisoformat(content["frozen_at"]),
            content["commit"],
            tuple(_amendment(item) for item in content["amendments"]),
        )
        recorded, found = content["plan_hash"], digest(content["plan"], length=64)
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(f"{path}: the frozen plan is damaged ({error!r:.200}).") from error
    if found != recorded:
        raise PlanError(
            f"{path}: the frozen plan was edited: its hash is {found}, recorded is {recorded}. "
            "Restore the file; a change belongs into the plan file, where it is an amendment."
        )
    return registration


def _as_json(registration: Registration) -> dict[str, Any]:
    return {
        "plan_hash": registration.plan.plan_hash,
        "frozen_at": registration.frozen_at.isoformat(),
        "commit": registration.commit,
        "plan": registration.plan.as_json(),
        "amendments": [
            {
                "at": item.at.isoformat(),
                "commit": item.commit,
                "reason": item.reason,
                "diff": item.diff,
                "plan_hash": item.plan.plan_hash,
                "plan": item.plan.as_json(),
            }
            for item in registration.amendments
        ],
    }


def _amendment(item: dict[str, Any]) -> Amendment:
    moment = datetime.fromisoformat(item["at"])
    return Amendment(moment, item["commit"], item["reason"], item["diff"], _plan(item["plan"]))


def _plan(content: dict[str, Any]) -> Plan:
    return Plan.model_validate_json(json.dumps(content))
