"""How often the whole procedure, tests and Holm's correction, finds a loss where there is none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.hypotheses import holm
from repairstudy.validation.measurement import FAMILY_WISE_ERROR, Measurement, rate_error
from repairstudy.validation.populations import Population
from repairstudy.validation.studies import SIZES, as_studies, draws, p_values, true_losses

ALPHA = 0.05
NO_LOSS = 1e-9  # a true loss up to here is none
PLAN_DEFAULT = "inversion"
Flags = NDArray[np.bool_]


class Test(NamedTuple):
    """A procedure on studies of one shape."""

    p_value: str
    direction: str
    failures: int
    clusters: int
    correction: str
    contrast: bool = False


def family_wise_error(
    population: Population, count: int, per_task: int, *, both_directions: bool = False
) -> Iterator[Measurement]:
    """False rejections among the evaluators that lose nothing, from `count` draws of 120 failures.

    Args:
        population: evaluators form one family.
        count: draws; a draw is one study of 120 failures, two of 60, and four of 30.
        per_task: failures of each task.
        both_directions: test for gains of the evaluators (`less`) as well.
    """
    null = np.abs(true_losses(population).losses.mean(axis=0)) <= NO_LOSS
    found: dict[Test, list[Flags]] = defaultdict(list)
    directions = ("greater", "less") if both_directions else ("greater",)
    for draw in draws(population, count, per_task):
        for failures in SIZES:
            studies = as_studies(draw.losses, failures)
            tested = p_values(studies, per_task, f"{failures} {draw.number}")
            for (name, sides), direction in product(tested.items(), directions):
                p = sides.greater if direction == "greater" else sides.less
                shape = (name, direction, failures, failures // per_task)
                found[Test(*shape, "Holm")].append(rejections(p))
                if name == PLAN_DEFAULT and direction == "greater":
                    single = Test(*shape, "no correction", contrast=True)
                    found[single].append(p <= ALPHA)
    for test, parts in found.items():
        yield from _measured(population.name, test, np.concatenate(parts), null)


def rejections(p: Array) -> Flags:
    """(S, E): what Holm's procedure rejects in each study, a family of E tests."""
    return np.array([holm(family) for family in p]) <= ALPHA


def _measured(name: str, test: Test, rejected: Flags, null: Flags) -> Iterator[Measurement]:
    studies = len(rejected)
    error = float(rejected[:, null].any(axis=1).mean())
    direction = "" if test.direction == "greater" else ", direction less"
    method = f"{test.correction}, p by {test.p_value}{direction}"
    measured = partial(
        Measurement,
        population=name,
        method=method,
        failures=test.failures,
        clusters=test.clusters,
        replicates=studies,
    )
    yield measured(
        check="family-wise error",
        quantity=f"any false rejection among {int(null.sum())}",
        value=error,
        mc_error=rate_error(error, studies),
        target=FAMILY_WISE_ERROR,
        contrast=test.contrast,
        expected=ALPHA,
    )
    if not null.all() and not test.contrast:
        power = float(rejected[:, ~null].mean())
        yield measured(
            check="power",
            quantity=f"the true effect among {len(null)} tests is found",
            value=power,
            mc_error=rate_error(power, studies),
            target=None,
        )
