"""A registration as a file that notices edits, and as the one row of table `preregistration`."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.analysis.plan import Plan
from repairstudy.analysis.registration import Amendment, Evidence, Registration, Settings
from repairstudy.errors import PlanError
from repairstudy.records import TABLES, canonical_json, digest
from repairstudy.store import replacing

PREDATED = "rollouts"
RESTORE = "Restore the file; a change belongs into the plan file, where it is an amendment."


def write_registration(registration: Registration, path: str | Path) -> None:
    """Write the frozen plan and its amendments as JSON, all at once."""
    text = json.dumps(as_json(registration), indent=2, ensure_ascii=False)
    with replacing(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def read_registration(path: str | Path) -> Registration:
    """Read a frozen plan, and check that it is what was frozen.

    The hashes notice a careless edit. One who makes new hashes too contradicts the records of the
    rollouts, which `witness.require_witnessed` compares.

    Raises:
        PlanError: there is none, it is damaged, or something in it does not match its hash.
    """
    if not Path(path).is_file():
        raise PlanError(f"{path}: no plan is frozen. Run the rule `freeze_plan` first.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        registration = from_json(content)
        recorded, found = content["plan_hash"], digest(content["plan"], length=64)
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(f"{path}: the frozen plan is damaged ({error!r:.200}).") from error
    if found != recorded:
        raise PlanError(
            f"{path}: the frozen plan was edited: its hash is {found}, recorded is {recorded}. "
            f"{RESTORE}"
        )
    if "content_hash" in content and content["content_hash"] != _content_hash(content):
        raise PlanError(
            f"{path}: the registration was edited: its settings, dates or amendments do not match "
            f"its hash. {RESTORE}"
        )
    return registration


def as_json(registration: Registration) -> dict[str, Any]:
    content = {
        "registration": registration.identity,
        "plan_hash": registration.plan.plan_hash,
        "frozen_at": registration.frozen_at.isoformat(),
        "commit": registration.commit,
        "plan": registration.plan.as_json(),
        "settings": _in_order(registration.settings),
        "amendments": [
            {
                "at": item.at.isoformat(),
                "commit": item.commit,
                "reason": item.reason,
                "diff": item.diff,
                "plan_hash": item.plan.plan_hash,
                "plan": item.plan.as_json(),
                "settings": _in_order(item.settings),
            }
            for item in registration.amendments
        ],
    }
    return content | {"content_hash": _content_hash(content)}


def from_json(content: dict[str, Any]) -> Registration:
    """Raises ValueError, KeyError or TypeError where the content is no registration."""
    return Registration(
        plan=_plan(content["plan"]),
        frozen_at=datetime.fromisoformat(content["frozen_at"]),
        commit=content["commit"],
        settings=content.get("settings", {}),
        amendments=tuple(_amendment(item) for item in content["amendments"]),
    )


def to_frame(registration: Registration) -> pl.DataFrame:
    """The registration as the one row of table `preregistration`."""
    content = as_json(registration)
    row = {
        "plan_hash": content["plan_hash"],
        "registration": registration.identity,
        "frozen_at": registration.frozen_at,
        "commit": registration.commit,
        "plan": canonical_json(content["plan"]),
        "settings": canonical_json(content["settings"]),
        "amendments": canonical_json(content["amendments"]),
        "remarks": canonical_json(remarks(registration)),
    }
    return pl.DataFrame([row], schema=TABLES["preregistration"].schema)


def remarks(registration: Registration) -> list[dict[str, str]]:
    """What the records of the rollouts say against the registration: about what, and in words."""
    found = []
    if registration.predated:
        first = registration.evidence.first_rollout
        says = (
            f"the first rollout of the study ended at {first:%Y-%m-%d %H:%M:%S} UTC, before the "
            f"plan was frozen at {registration.frozen_at:%Y-%m-%d %H:%M:%S} UTC"
        )
        found.append({"about": PREDATED, "says": says})
    moved = registration.evidence.moved
    return found + [{"about": name, "says": moved[name]} for name in sorted(moved)]


def from_row(row: dict[str, Any], first_rollout: datetime | None) -> Registration:
    """The registration in the one row of table `preregistration`, with what speaks against it."""
    content = row | {name: json.loads(row[name]) for name in ("plan", "settings", "amendments")}
    known = from_json(content | {"frozen_at": row["frozen_at"].isoformat()})
    moved = {item["about"]: item["says"] for item in json.loads(row["remarks"])}
    moved.pop(PREDATED, None)
    return replace(known, evidence=Evidence(first_rollout, moved))


def _in_order(settings: Settings) -> dict[str, Any]:
    """Sorted by key, so that a registration that is put back gives the same file."""
    ordered: dict[str, Any] = json.loads(canonical_json(dict(settings)))
    return ordered


def _content_hash(content: dict[str, Any]) -> str:
    rest = {name: value for name, value in content.items() if name != "content_hash"}
    return digest(rest, length=64)


def _amendment(item: dict[str, Any]) -> Amendment:
    return Amendment(
        at=datetime.fromisoformat(item["at"]),
        commit=item["commit"],
        reason=item["reason"],
        diff=item["diff"],
        plan=_plan(item["plan"]),
        settings=item.get("settings", {}),
    )


def _plan(content: dict[str, Any]) -> Plan:
    return Plan.model_validate_json(json.dumps(content))
