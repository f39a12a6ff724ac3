"""Symptoms of the gridworld, from what the executor saw."""

from __future__ import annotations

from repairstudy.descriptions.run import FailedRun
from repairstudy.descriptions.symptom import AGENT, Finding, Symptom

BUMPS = 2


def entered_pit(run: FailedRun) -> Finding | None:
    """The last move went into a pit that it saw."""
    last = len(run.actions) - 1
    if f"{run.actions[last]} pit" not in run.observations[last]:
        return None
    return Finding(last, last, "moved into a pit that was in sight")


def bumped_into_walls(run: FailedRun) -> Finding | None:
    """Two or more moves against walls that it saw."""
    places = [
        t
        for t, (action, seen) in enumerate(zip(run.actions, run.observations, strict=True))
        if f"{action} wall" in seen
    ]
    if len(places) < BUMPS:
        return None
    return Finding(places[0], places[-1], f"{len(places)} moves against walls that were in sight")


GRIDWORLD = (
    Symptom("entered_pit", AGENT, "perception", entered_pit),
    Symptom("bumped_into_walls", AGENT, "perception", bumped_into_walls),
)
