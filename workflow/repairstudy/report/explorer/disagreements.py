"""Where two executors prefer different candidates, and what fresh rollouts of both say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from repairstudy.evaluators.work import disagreements
from repairstudy.report.explorer.lookups import BROKEN, Rollout
from repairstudy.report.explorer.outcomes import Cell, cell

Pair = tuple[str, str]  # what the deployed executor prefers, and what the other does
ByExecutor = Mapping[str, Sequence[Rollout]]


@dataclass(frozen=True, slots=True)
class Settled:
    """A disagreement with another executor, and fresh rollouts of both on both preferences.

    `rows`: of each candidate its number, and its cell under the deployed and the other executor.
    """

    other: str
    rows: tuple[tuple[str, Cell, Cell], ...]


def disagreeing_with(
    place: tuple[str, int],
    deployed: str,
    scoring: Iterable[str],
    rolled: Mapping[str, ByExecutor],
    rewards: bool,
) -> dict[str, Pair]:
    """Executors whose one best candidate is not the deployed executor's, by their rollouts.

    Args:
        place: failure and step.
        scoring: executors that score candidates here.
        rolled: candidate -> executor -> rollouts, without the original.
    """
    found = {}
    for other in scoring:
        means = {}
        for candidate, by_executor in rolled.items():
            own = _mean(by_executor.get(deployed, ()), "label", rewards)
            its = _mean(by_executor.get(other, ()), "evaluate", rewards)
            if own is not None and its is not None:
                means[candidate] = (own, its)
        if means and other != deployed:
            for case in disagreements({place: means}):
                found[other] = (case.deployed_choice, case.other_choice)
    return found


def settled(
    disagreeing: Mapping[str, Pair],
    deployed: str,
    numbers: Mapping[str, str],
    rolled: Mapping[str, ByExecutor],
    rewards: bool,
) -> tuple[Settled, ...]:
    """Those disagreements for which all fresh rollouts are there."""
    found = []
    for other, pair in disagreeing.items():
        fresh = [[_fresh(rolled[i].get(name, ())) for name in (deployed, other)] for i in pair]
        if all(one for row in fresh for one in row):
            (mine, its), (also_mine, also_its) = (
                [cell("", one, None, rewards) for one in row] for row in fresh
            )
            rows = ((numbers[pair[0]], mine, its), (numbers[pair[1]], also_mine, also_its))
            found.append(Settled(other, rows))
    return tuple(found)


def _mean(rollouts: Iterable[Rollout], role: str, rewards: bool) -> float | None:
    finished = [one for one in rollouts if one.role == role and one.status != BROKEN]
    values = [one.reward if rewards else one.success for one in finished]
    return fmean(float(value or 0) for value in values) if values else None


def _fresh(rollouts: Iterable[Rollout]) -> list[Rollout]:
    """Fresh rollouts alone, in a role that a cell counts."""
    return [one._replace(role="label") for one in rollouts if one.role == "fresh"]
