"""What a study's past is witnessed by: registrations and runs, recorded where its rollouts are.

Beside the rollout cache lies a folder of each study with two journals (`store/journal.py`), whose
documents are named by their hashes and never changed: `registrations` holds every state of the
frozen plan, `runs` a document for each job that ran rollouts, with the hash of the registration
that was in force. So a frozen plan that is edited, replaced or deleted contradicts what the
rollouts say they were run under, or is put back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from repairstudy.analysis.registration import Evidence, Registration, Settings, flat
from repairstudy.analysis.registration_file import as_json, from_json
from repairstudy.errors import PlanError
from repairstudy.store.journal import add_document, read_documents

CLOCK_SKEW = timedelta(minutes=10)  # between the machines of a cluster
REMEDY = (
    "Delete the file and run `freeze_plan` again: the recorded plan is put back, and what the plan "
    "file says differently becomes an amendment. For another study, take another name."
)

Run = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Witness:
    """A study's journals. `runs` are in the order of time."""

    registrations: tuple[Registration, ...] = ()
    runs: tuple[Run, ...] = ()

    @property
    def last_moment(self) -> datetime | None:
        return max((datetime.fromisoformat(run["at"]) for run in self.runs), default=None)


def read_witness(folder: str | Path) -> Witness:
    """The journals of a study; empty where there are none.

    Raises:
        DataError: a record was edited.
    """
    known = map(from_json, read_documents(Path(folder) / "registrations"))
    runs = sorted(read_documents(Path(folder) / "runs"), key=lambda run: str(run["at"]))
    ordered = sorted(known, key=lambda one: (one.last_moment, len(one.amendments)))
    return Witness(tuple(ordered), tuple(runs))


def record_registration(registration: Registration, folder: str | Path) -> None:
    add_document(Path(folder) / "registrations", as_json(registration))


def record_run(run: Run, folder: str | Path) -> None:
    """Record that a job runs rollouts. Keys at least: registration, executors, at."""
    add_document(Path(folder) / "runs", run)


def settled(frozen: Registration | None, witness: Witness) -> Registration | None:
    """The registration so far: what the file says, or what is recorded if there is no file.

    Raises:
        PlanError: the file contradicts the records.
    """
    if not witness.registrations:
        return frozen
    if frozen is None:
        return _recorded(witness)
    require_witnessed(frozen, witness)
    # A job that was killed between writing record and file left the file one amendment behind.
    return max(_versions(frozen, witness), key=lambda one: len(one.amendments))


def require_witnessed(registration: Registration, witness: Witness) -> None:
    """Check that a frozen plan is the recorded one, and the one that rollouts were run under.

    Raises:
        PlanError: it is not.
    """
    if not witness.registrations:
        return
    same = _versions(registration, witness)
    under = {str(run["registration"]) for run in witness.runs}
    if not same or (under and under != {registration.identity}):
        names = ", ".join(sorted(name[:12] for name in under)) or "another one"
        when = min((str(run["at"])[:16] for run in witness.runs), default="an earlier time")
        raise PlanError(
            f"the frozen plan ({registration.identity[:12]}) is not the one that was recorded: "
            f"rollouts have been run since {when} under {names}. {REMEDY}"
        )
    if not any(
        one.amendments[: len(registration.amendments)] == registration.amendments for one in same
    ):
        raise PlanError(f"the amendments of the frozen plan are not the recorded ones. {REMEDY}")


def require_clock(at: datetime, witness: Witness) -> None:
    """Raises PlanError when rollouts of the study were run at a later time than now."""
    last = witness.last_moment
    if last is not None and at < last - CLOCK_SKEW:
        raise PlanError(
            f"the clock says {at:%Y-%m-%d %H:%M:%S} UTC, but rollouts of this study were run at "
            f"{last:%Y-%m-%d %H:%M:%S} UTC. Set the clock right."
        )


def require_settings(registration: Registration, settings: Settings, source: str | Path) -> None:
    """Check that the configuration is the registered one, in its latest version.

    Raises:
        PlanError: it was changed, and the change is no amendment yet.
    """
    registered, now = flat(registration.current_settings), flat(settings)
    changed = sorted(key for key in registered | now if registered.get(key) != now.get(key))
    if changed:
        raise PlanError(
            f"{source}: the configuration is not the registered one: {', '.join(changed)}. Run "
            "the rule `freeze_plan`, which records the change as an amendment."
        )


def evidence_of(
    witness: Witness, first_rollout: datetime | None, executors: Mapping[str, str]
) -> Evidence:
    """What the records say about a study's rollouts.

    Args:
        first_rollout: when the first of them ended; None if that is not known.
        executors: ids of the study's executors by name.
    """
    moved = {}
    for name, now in executors.items():
        first = next(
            (run["executors"][name] for run in witness.runs if name in run["executors"]), now
        )
        if first != now:
            moved[name] = (
                f"executor {name} is not what it was when its first rollouts ran (id {first[:8]} "
                f"then, {now[:8]} now)"
            )
    versions = list(dict.fromkeys(run["environment"]["version"] for run in witness.runs))
    if len(versions) > 1:
        moved["environment"] = (
            f"the environment changed between rollouts (version {' then '.join(versions)})"
        )
    return Evidence(first_rollout, moved)


def witnessed(
    registration: Registration,
    witness: Witness,
    first_rollout: datetime | None,
    executors: pl.DataFrame,
) -> Registration:
    """The registration with what the records say about it.

    Args:
        executors: table executors.

    Raises:
        PlanError: the registration contradicts the records.
    """
    require_witnessed(registration, witness)
    ids = dict(executors.select("name", "executor_id").sort("name").iter_rows())
    return replace(registration, evidence=evidence_of(witness, first_rollout, ids))


def _versions(registration: Registration, witness: Witness) -> list[Registration]:
    return [one for one in witness.registrations if one.identity == registration.identity]


def _recorded(witness: Witness) -> Registration:
    """The latest state of the registration that rollouts were run under, or of the latest."""
    under = {str(run["registration"]) for run in witness.runs}
    kept = [one for one in witness.registrations if not under or one.identity in under]
    if len(under) > 1 or not kept:
        raise PlanError(
            "rollouts of this study were run under several registrations, or under one whose "
            f"record is gone ({', '.join(sorted(name[:12] for name in under))})."
        )
    return kept[-1]
