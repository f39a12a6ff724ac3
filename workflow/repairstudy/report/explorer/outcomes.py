"""Outcomes of rollouts on a page: counted with a level, a mark for each, and every one listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from repairstudy.report.explorer.lookups import BROKEN, OUTCOME_ROLES, Rollout
from repairstudy.report.numbers import MISSING, decimal

LEVELS = 10  # steps of the colour scale between 0 and 1
WON, LOST, ERROR = "●", "○", "×"
BARS = "▁▂▃▄▅▆▇█"  # rewards from 0 to 1
ENDS = {
    "success": WON, "failure": LOST, "budget_exhausted": "◔", "invalid_limit": "⊘", BROKEN: ERROR,
}  # fmt: skip
WORDS = {
    "success": "success", "failure": "ended without success", "budget_exhausted": "budget used up",
    "invalid_limit": "too many inadmissible actions", BROKEN: "infrastructure error, no outcome",
}  # fmt: skip
ROLE_WORDS = {
    "label": "own rollouts, which label the candidates",
    "evaluate": "rollouts of an evaluator",
    "fresh": "fresh rollouts, which settle a disagreement",
    "control": "own rollouts under other seeds, a control",
    "screen": "screening rollouts, which choose a pool and nothing else",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Outcomes of a candidate under an executor.

    Attributes:
        key: where its rollouts are in the data of the failure.
        text: "6/10", after the mean reward where a reward is studied.
        level: of the colour scale, 0 to 10; None: nothing is known.
        marks: one for each rollout, in the order of their draws.
        exact: exact value, where it is known.
    """

    key: str
    text: str
    level: int | None
    marks: str
    exact: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Every rollout of one role: how each ended and after how many actions."""

    number: str
    executor: str
    role: str
    text: str


def cell(key: str, rollouts: Sequence[Rollout], exact: float | None, rewards: bool) -> Cell:
    """The cell of a matrix; rollouts that screen, control or settle do not count in it."""
    counted = [one for one in rollouts if one.role in OUTCOME_ROLES]
    finished = [one for one in counted if one.status != BROKEN]
    value = _mean(finished, rewards) if finished else exact
    text = MISSING
    if finished:
        text = f"{sum(bool(one.success) for one in finished)}/{len(finished)}"
        text = f"{decimal(value)} · {text}" if rewards else text
    marks = "".join(_mark(one, rewards) for one in counted)
    return Cell(
        key if rollouts else "", text, level(value), marks, "" if exact is None else decimal(exact)
    )


def level(value: float | None) -> int | None:
    """The step of the colour scale that a share falls on."""
    return None if value is None else round(min(max(value, 0.0), 1.0) * LEVELS)


def listings(number: str, executor: str, rollouts: Sequence[Rollout]) -> Iterable[Listing]:
    """Every rollout of a candidate under an executor, a row a role."""
    for role in dict.fromkeys(one.role for one in rollouts):
        ends = (_end(one) for one in rollouts if one.role == role)
        yield Listing(number, executor, role, " ".join(ends))


def _mean(finished: Sequence[Rollout], rewards: bool) -> float:
    """ASSUME a reward that was not recorded is 1 for a success, else 0."""
    if not rewards:
        return fmean(bool(one.success) for one in finished)
    known = ((one.reward, bool(one.success)) for one in finished)
    return fmean(float(success) if reward is None else reward for reward, success in known)


def _mark(one: Rollout, rewards: bool) -> str:
    if one.status == BROKEN:
        return ERROR
    if rewards and one.reward is not None:
        return BARS[min(int(one.reward * len(BARS)), len(BARS) - 1)]
    return WON if one.success else LOST


def _end(one: Rollout) -> str:
    return ENDS.get(one.status, LOST) + ("" if one.steps is None else str(one.steps))
