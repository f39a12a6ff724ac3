"""Symptoms of ALFWorld, from admissible actions."""

from __future__ import annotations

from repairstudy.descriptions.run import FailedRun
from repairstudy.descriptions.symptom import AGENT, Finding, Symptom, missing

PLACES_TO_LOOK = 3


def never_took(run: FailedRun) -> Finding | None:
    """Nothing was ever taken; every task needs an object in hand."""
    if _done(run, "take "):
        return None
    return missing(run, "no object was taken")


def never_placed(run: FailedRun) -> Finding | None:
    """The task says to put something somewhere; an object was taken and put nowhere."""
    taken = _done(run, "take ")
    if not taken or "put" not in run.instruction.split() or _done(run, "put ", "move "):
        return None
    return missing(run, "an object was taken and put nowhere")


def looked_little(run: FailedRun) -> Finding | None:
    """Fewer than three different places were gone to."""
    places = {run.actions[t] for t in _done(run, "go to ")}
    if len(places) >= PLACES_TO_LOOK:
        return None
    return missing(run, f"{len(places)} different places were gone to")


def _done(run: FailedRun, *starts: str) -> list[int]:
    """Steps with an admissible action that starts so."""
    return [
        t
        for t, (action, valid) in enumerate(zip(run.actions, run.valid, strict=True))
        if valid and action.startswith(starts)
    ]


ALFWORLD = (
    Symptom("never_took", AGENT, "exploration", never_took),
    Symptom("never_placed", AGENT, "task completion", never_placed),
    Symptom("looked_little", AGENT, "exploration", looked_little),
)
