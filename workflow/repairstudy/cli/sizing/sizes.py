"""The sizes of a study that detects a loss, and what the cheapest asks of each executor."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from repairstudy.cli.predicted.assumptions import Assumptions, positive
from repairstudy.cli.predicted.counts import Shape, wanted_rollouts
from repairstudy.cli.sizing.basis import Basis, at_least_one
from repairstudy.config import StudyConfig
from repairstudy.errors import ConfigError
from repairstudy.estimators.sizing import Design, design


@dataclass(frozen=True, slots=True)
class Asked:
    """The loss to detect, the power to detect it with, and the family of tests it is in."""

    loss: float
    alpha: float
    power: float
    tests: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """By evaluator, a design for each number of rollouts; the cheapest of the hardest one."""

    designs: dict[str, list[Design]]
    hardest: str
    cheapest: Design


def asked(loss: float, alpha: float, power: float, tests: int) -> Asked:
    """The checked numbers.

    Raises:
        ConfigError: one is outside its range.
    """
    return Asked(
        positive("--loss", loss),
        _share("--alpha", alpha),
        _share("--power", power),
        at_least_one("--tests", tests),
    )


def sizes_of(basis: Basis, wanted: Asked, numbers: list[int]) -> Sizes:
    """A design for each evaluator and number of rollouts a candidate."""
    designs = {
        name: [
            design(spread, wanted.loss, n, wanted.tests, basis.costs, wanted.alpha, wanted.power)
            for n in numbers
        ]
        for name, spread in basis.spreads.items()
    }
    # The evaluator whose losses spread most needs most; a study has one size.
    hardest = max(designs, key=lambda name: min(one.total for one in designs[name]))
    cheapest = min(designs[hardest], key=lambda one: (one.total, one.rollouts))
    return Sizes(designs, hardest, cheapest)


def by_executor(study: StudyConfig, size: Design, basis: Basis) -> dict[str, int]:
    """Rollouts of each executor when every pool of a configuration has that size."""
    pools = {}
    for name, pool in study.pools.items():
        screen = pool.screen
        if screen is not None:
            among = ceil(screen.among * size.failures_holm / pool.size)
            screen = screen.model_copy(update={"among": among})
        pools[name] = pool.model_copy(update={"size": size.failures_holm, "screen": screen})
    rollouts = study.rollouts.model_copy(update={"label": size.rollouts})
    sized = study.model_copy(update={"pools": pools, "rollouts": rollouts})
    shape = Shape(study.positions.per_failure, 1 + basis.candidates)
    found: dict[str, float] = {}
    for wanted in wanted_rollouts(sized, shape, Assumptions()):
        found[wanted.executor] = found.get(wanted.executor, 0.0) + wanted.rollouts
    return {name: round(count) for name, count in found.items() if count}


def rollouts_of(words: str, matched: int) -> list[int]:
    """The numbers of "N,N", ascending.

    Raises:
        ConfigError: one is no whole number, or leaves none beside those that select.
    """
    numbers = sorted({_whole(word) for word in words.split(",")})
    if numbers[0] <= at_least_one("--matched", matched):
        raise ConfigError(
            f"--rollouts: {numbers[0]} leaves none to value what {matched} select (--matched)"
        )
    return numbers


def _whole(word: str) -> int:
    number = positive("--rollouts", word)
    if number != int(number):
        raise ConfigError(f"--rollouts: '{word}' is no whole number")
    return int(number)


def _share(what: str, number: float) -> float:
    if positive(what, number) >= 1:
        raise ConfigError(f"{what}: '{number:g}' is not below 1")
    return number
