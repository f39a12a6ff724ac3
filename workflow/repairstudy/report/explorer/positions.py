"""The positions of a failure: candidates under every executor, choices, settled disagreements."""

from __future__ import annotations

from dataclasses import dataclass

from repairstudy.report.explorer.choices import ChoiceView, choice_views
from repairstudy.report.explorer.disagreements import Settled, disagreeing_with, settled
from repairstudy.report.explorer.lookups import Choice
from repairstudy.report.explorer.maps import MapView
from repairstudy.report.explorer.outcomes import Cell, Listing, cell, listings
from repairstudy.report.explorer.places import Here
from repairstudy.report.numbers import MISSING


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate; the original has no number, since it cannot be chosen."""

    number: str
    action: str
    original: bool
    sources: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a proposer wrote; no number: no candidate could be read from it."""

    source: str
    draw: int
    text: str
    number: str


@dataclass(frozen=True, slots=True)
class PositionView:
    """A position.

    Attributes:
        executors: columns of the matrix.
        disagreeing: executors whose one best candidate is not the deployed executor's.
        reach: net gain of the best candidate, and whether it is exact; else it is that of matched
            selection on rollouts that did not choose.
        map: the state with the candidates as arrows, in a gridworld.
    """

    t: int
    slack: int | None
    primary: bool
    executors: tuple[str, ...]
    candidates: tuple[CandidateView, ...]
    choices: tuple[ChoiceView, ...]
    settled: tuple[Settled, ...]
    disagreeing: tuple[str, ...]
    written: tuple[Written, ...]
    rollouts: tuple[Listing, ...]
    reach: tuple[float, bool] | None
    map: MapView | None = None

    @property
    def exact(self) -> bool:
        return any(one.exact for row in self.candidates for one in row.cells)


def position_view(here: Here) -> PositionView:
    """A position as the page shows it."""
    scoring = [name for name in here.executors if name in here.scoring]
    offered = {candidate: here.rolled[candidate] for candidate in here.offered}
    disagreeing = disagreeing_with(here.place, here.deployed, scoring, offered, here.rewards)
    exact = {i: value for i, value in here.exact_here.items() if i in here.offered}
    return PositionView(
        here.row["t"], here.row["slack"], here.row["is_primary"], tuple(here.executors),
        tuple(_candidate(here, place) for place in range(len(here.candidates))),
        choice_views(here.weights, here.offered, here.worth, exact or None),
        settled(disagreeing, here.deployed, here.numbers, here.rolled, here.rewards),
        tuple(disagreeing), _written(here), _listings(here), _reach(here, exact),
    )  # fmt: skip


def _candidate(here: Here, place: int) -> CandidateView:
    row = here.candidates[place]
    i = row["candidate_id"]
    cells = tuple(
        cell(here.key(place, column), here.rolled[i].get(name, []), here.exact[i].get(name),
             here.rewards)
        for column, name in enumerate(here.executors)
    )  # fmt: skip
    sources = ", ".join(row["sources"]) or MISSING
    return CandidateView(here.numbers[i], row["action"], row["is_original"], sources, cells)


def _written(here: Here) -> tuple[Written, ...]:
    """Texts that are more than the action read from them."""
    known = {row["action"]: here.name_of(row) for row in here.candidates}
    return tuple(
        Written(row["source"], row["draw"], row["text"], known.get(row["action"], MISSING))
        for row in here.proposals
        if row["text"] != row["action"]
    )


def _listings(here: Here) -> tuple[Listing, ...]:
    return tuple(
        listing
        for row in here.candidates
        for name in here.executors
        for listing in listings(
            here.name_of(row), name, here.rolled[row["candidate_id"]].get(name, [])
        )
    )


def _reach(here: Here, exact: dict[str, float]) -> tuple[float, bool] | None:
    original = [i for i in here.numbers if i not in here.offered]
    if exact and original:
        return max(exact.values()) - here.exact_here[original[0]], True
    gain = here.worth.get("matched", Choice(None, None)).gain
    return None if gain is None else (gain, False)
