"""How often each kind of interval holds the true value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from repairstudy.estimators.arrays import Array
from repairstudy.validation.measurement import COVERAGE, Measurement, rate_error
from repairstudy.validation.populations import Population
from repairstudy.validation.studies import (
    SIZES,
    Draw,
    as_studies,
    draws,
    intervals,
    true_losses,
)

LEVEL = 0.95
KINDS = ("percentile", "bootstrap_t", "t")
SIDES = ("two-sided", "lower bound", "upper bound")
PER_TASK = 3  # failures of each task, where they come in tasks
FAILURES, TASKS = "failures", "tasks"


class Cell(NamedTuple):
    """One kind of interval over studies of one shape."""

    kind: str
    failures: int
    clusters: int
    unit: str
    contrast: bool


def coverage(population: Population, count: int, per_task: int) -> Iterator[Measurement]:
    """Coverage of the mean loss, control gap and net gain, from `count` draws of 120 failures."""
    exact = true_losses(population)
    means = [exact.losses.mean(axis=0), [exact.gap.mean()], [exact.gain.mean()]]
    truth = np.concatenate(means)
    names = [*(f"loss of {name}" for name in (*population.others, *population.fixed))]
    names += ["control gap", "net gain"]
    held: dict[Cell, list[Array]] = defaultdict(list)
    for draw in draws(population, count, per_task):
        columns = np.concatenate([draw.losses, draw.gap[..., None], draw.gain[..., None]], axis=-1)
        for failures in SIZES:
            for cell, found in _batch(draw, as_studies(columns, failures), per_task, truth):
                held[cell].append(found)
    for cell, parts in held.items():
        studies = np.concatenate(parts, axis=1)  # (sides, S, E)
        for side, hits in zip(SIDES, studies, strict=True):
            for name, rate in zip(names, hits.mean(axis=0), strict=True):
                yield _measured(population.name, cell, f"{name}, {side}", float(rate), len(hits))


def _batch(draw: Draw, studies: Array, per_task: int, truth: Array) -> Iterator[tuple[Cell, Array]]:
    failures = len(studies)
    units = {TASKS: per_task, FAILURES: 1} if per_task > 1 else {FAILURES: 1}
    for unit, per_cluster in units.items():
        wrong = unit == FAILURES and per_task > 1
        for kind in KINDS:
            cell = Cell(kind, failures, failures // per_cluster, unit, wrong)
            stream = f"{failures} {draw.number}"
            levels = (LEVEL, 2 * LEVEL - 1)
            both, single = intervals(studies, per_cluster, kind, levels, stream)
            yield (
                cell,
                np.stack(
                    [
                        (both.low <= truth) & (truth <= both.high),
                        single.low <= truth,
                        truth <= single.high,
                    ]
                ),
            )


def _measured(name: str, cell: Cell, quantity: str, rate: float, studies: int) -> Measurement:
    ignoring = ", tasks ignored" * cell.contrast
    return Measurement(
        check="coverage",
        population=name,
        method=f"{cell.kind}{ignoring}",
        quantity=quantity,
        value=rate,
        mc_error=rate_error(rate, studies),
        target=COVERAGE,
        replicates=studies,
        failures=cell.failures,
        clusters=cell.clusters,
        expected=LEVEL,
        contrast=cell.contrast,
    )
