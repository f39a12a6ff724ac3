"""How busy an engine is: what whoever sends it work may want to know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of this process at an engine, at one moment.

    Attributes:
        places: requests that may be at its servers together; 0 while none of them is up.
        running: requests that are there.
        queued: requests that wait here for a place, a start or another try.
        holds: conversations like the running ones that its cache of prefixes has room for; None
            if it does not say.
    """

    places: int
    running: int
    queued: int
    holds: float | None = None


def load_of(engine: object) -> Load | None:
    """An engine's `load`; None if it has none, because it takes any number of requests."""
    load = getattr(engine, "load", None)
    found: Load | None = load() if load is not None else None
    return found


def total_load(engines: Iterable[object]) -> Load | None:
    """That of several engines together; None if one of them takes any number of requests."""
    loads = [load_of(engine) for engine in engines]
    known = [load for load in loads if load is not None]
    if not known or len(known) < len(loads):
        return None
    up = [load for load in known if load.places]
    rooms = [load.holds for load in up if load.holds is not None]
    return Load(
        places=sum(load.places for load in known),
        running=sum(load.running for load in known),
        queued=sum(load.queued for load in known),
        holds=sum(rooms) if rooms and len(rooms) == len(up) else None,
    )
