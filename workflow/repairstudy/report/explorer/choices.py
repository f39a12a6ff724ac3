"""Who would have chosen what, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repairstudy.report.explorer.lookups import Choice
from repairstudy.report.explorer.outcomes import level
from repairstudy.report.names import BUDGET, KIND_TITLES, TARGET, in_order
from repairstudy.report.numbers import MISSING, decimal, percent

BADLY = 0.10  # what a choice must give up to count as bad


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """An evaluator at a position, or at a failure.

    Attributes:
        kind: what it is: another target, fewer samples, control, reference.
        cells: of each candidate (or position) the probability that it is chosen, and its level.
        gain, loss: as the tables have them.
        shortfall: exact value of the best candidate minus that of its choice.
        cost: its shortfall where that is known, else its loss.
        judged: whether it counts among those who choose well or badly.
    """

    name: str
    label: str
    kind: str
    cells: tuple[tuple[str, int | None], ...]
    gain: str
    loss: str
    shortfall: float | None
    cost: float | None
    judged: bool

    @property
    def shortfall_text(self) -> str:
        return decimal(self.shortfall)

    @property
    def cost_text(self) -> str:
        return decimal(self.cost)

    @property
    def bad(self) -> bool:
        return self.judged and self.cost is not None and round(self.cost, 9) >= BADLY


def choice_views(
    weights: Mapping[str, Mapping[str, float]],
    columns: Sequence[str],
    worth: Mapping[str, Choice],
    exact: Mapping[str, float] | None = None,
) -> tuple[ChoiceView, ...]:
    """Every evaluator, in the order of the report.

    Args:
        weights: evaluator -> candidate (or position) -> probability that it is chosen.
        columns: the candidates (or positions), in order.
        worth: evaluator -> net gain and loss.
        exact: exact values of all candidates under the deployed executor, if they are known.
    """
    found = []
    for item in in_order(list(weights)):
        mine, known = weights[item.name], worth.get(item.name, Choice(None, None))
        short = None if exact is None else max(exact.values()) - _mean(mine, exact)
        cells = tuple(_cell(mine.get(column)) for column in columns)
        found.append(
            ChoiceView(
                item.name, item.label, KIND_TITLES[item.kind], cells, decimal(known.gain),
                decimal(known.loss), short, known.loss if short is None else short,
                item.kind in (TARGET, BUDGET),
            )
        )  # fmt: skip
    return tuple(found)


def _mean(weights: Mapping[str, float], values: Mapping[str, float]) -> float:
    return sum(weight * values[candidate] for candidate, weight in sorted(weights.items()))


def _cell(weight: float | None) -> tuple[str, int | None]:
    return (percent(round(weight, 2)), level(weight)) if weight else (MISSING, None)
