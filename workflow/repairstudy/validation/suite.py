"""The parts of the validation, each a job of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from repairstudy.errors import DataError
from repairstudy.validation import nulls, simulated
from repairstudy.validation.bias import bias
from repairstudy.validation.coverage import PER_TASK, coverage
from repairstudy.validation.errors import family_wise_error
from repairstudy.validation.failure_bias import (
    failure_bias,
    real_contenders,
    simulated_contenders,
)
from repairstudy.validation.measurement import Measurement
from repairstudy.validation.power import power
from repairstudy.validation.real_model import real_failures

Stored = Mapping[str, Any]
Part = Callable[[Stored, float], Iterator[Measurement]]
DRAWS, DRAWS_OF_FAMILIES = 2500, 1500  # of 120 failures each
ROLLED = 800  # times that each failure's positions are rolled out
FEW_TASKS = 250  # where exact values cost more than rollouts


def _times(full: int, scale: float) -> int:
    """So many replicates at this scale, at least two."""
    return max(2, round(full * scale))


def bias_simulated(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Estimators at one position, outcomes of 0 and 1, and wrong ways beside them."""
    yield from bias(simulated.successes(), _times(2000, scale), contrasts=True)


def bias_rewards(stored: Stored, scale: float) -> Iterator[Measurement]:
    """The same with rewards."""
    yield from bias(simulated.rewards(FEW_TASKS), _times(800, scale))


def bias_real(stored: Stored, scale: float) -> Iterator[Measurement]:
    """The same under the real model."""
    yield from bias(real_failures(stored).population(), _times(2000, scale))


def bias_across(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Estimators that choose position and candidate together."""
    yield from failure_bias(simulated_contenders(), _times(ROLLED, scale))


def bias_across_real(stored: Stored, scale: float) -> Iterator[Measurement]:
    """The same under the real model."""
    yield from failure_bias(real_contenders(real_failures(stored)), _times(ROLLED, scale))


def coverage_simulated(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Intervals of independent failures."""
    yield from coverage(simulated.successes(), _times(DRAWS, scale), 1)


def coverage_simulated_tasks(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Intervals of failures that come in tasks."""
    yield from coverage(simulated.successes(), _times(DRAWS, scale), PER_TASK)


def coverage_rewards(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Intervals of rewards."""
    yield from coverage(simulated.rewards(), _times(1000, scale), 1)


def coverage_real(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Intervals of independent failures of the real model."""
    yield from coverage(real_failures(stored).population(), _times(DRAWS, scale), 1)


def coverage_real_tasks(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Intervals of the real model's failures where each layout gives three."""
    yield from coverage(real_failures(stored).population(), _times(DRAWS, scale), PER_TASK)


def errors_equal(stored: Stored, scale: float) -> Iterator[Measurement]:
    """False rejections where all executors are equal."""
    yield from family_wise_error(nulls.all_equal(), _times(DRAWS_OF_FAMILIES, scale), 1)


def errors_equal_tasks(stored: Stored, scale: float) -> Iterator[Measurement]:
    """The same where failures come in tasks."""
    yield from family_wise_error(nulls.all_equal(), _times(DRAWS_OF_FAMILIES, scale), PER_TASK)


def errors_hopeless(stored: Stored, scale: float) -> Iterator[Measurement]:
    """False rejections where most failures are hopeless."""
    yield from family_wise_error(nulls.hopeless(), _times(DRAWS_OF_FAMILIES, scale), 1)


def errors_ties(stored: Stored, scale: float) -> Iterator[Measurement]:
    """False rejections where all candidates tie."""
    yield from family_wise_error(nulls.ties(), _times(DRAWS_OF_FAMILIES, scale), 1)


def errors_skewed(stored: Stored, scale: float) -> Iterator[Measurement]:
    """False rejections of skewed losses, in both directions."""
    yield from family_wise_error(
        nulls.skewed(), _times(DRAWS_OF_FAMILIES, scale), 1, both_directions=True
    )


def errors_one_effect(stored: Stored, scale: float) -> Iterator[Measurement]:
    """False rejections beside one true effect, and how often that is found."""
    yield from family_wise_error(nulls.one_effect(), _times(DRAWS_OF_FAMILIES, scale), 1)


def power_simulated(stored: Stored, scale: float) -> Iterator[Measurement]:
    """Power at the sizes that the formula asks for."""
    yield from power(simulated.successes(), _times(2000, scale))


def power_real(stored: Stored, scale: float) -> Iterator[Measurement]:
    """The same under the real model."""
    yield from power(real_failures(stored).population(), _times(2000, scale))


FUNCTIONS: Mapping[str, Part] = {
    part.__name__: part
    for part in (
        bias_simulated, bias_rewards, bias_real, bias_across, bias_across_real,
        coverage_simulated, coverage_simulated_tasks, coverage_rewards, coverage_real,
        coverage_real_tasks, errors_equal, errors_equal_tasks, errors_hopeless, errors_ties,
        errors_skewed, errors_one_effect, power_simulated, power_real,
    )
}  # fmt: skip


def measure(part: str, stored: Stored, scale: float = 1.0) -> list[Measurement]:
    """One part of the suite.

    Args:
        part: a name in `parts.PARTS`.
        stored: action distributions of the real model, as in `real_failures`.
        scale: share of the replicates; below 1 for a quick look.

    Raises:
        DataError: there is no such part, or the distributions do not fit.
    """
    if part not in FUNCTIONS:
        raise DataError("validation", f"no part {part}.", f"Parts: {', '.join(FUNCTIONS)}.")
    return list(FUNCTIONS[part](stored, scale))
