"""Measured power against the formula of `estimators.power`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from statistics import NormalDist

import numpy as np

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.power import failures_needed, minimal_detectable_effect
from repairstudy.records import generator
from repairstudy.validation.measurement import POWER, Measurement, rate_error
from repairstudy.validation.populations import Population, observe
from repairstudy.validation.studies import (
    BATCH,
    EVALUATOR_ROLLOUTS,
    losses_of,
    p_values,
    true_losses,
)

ALPHAS = {0.05: "alpha .05", 0.05 / 8: "alpha .05/8"}
AIMS = (0.5, 0.8, 0.9)
PILOT = 20_000  # failures from which the standard deviation of losses is taken
MOST = 400  # failures of a study


def power(population: Population, studies: int) -> Iterator[Measurement]:
    """For each evaluator the power at the sizes that the formula asks for.

    The formula takes the true mean loss, and the standard deviation of losses between failures.
    """
    effects = true_losses(population).losses.mean(axis=0)
    rng = generator("validation", "power", population.name, "pilot")
    pilot = population.draw(1, PILOT, 1, rng).ravel()
    spread = losses_of(observe(population, pilot, EVALUATOR_ROLLOUTS, rng)).losses.std(axis=0)
    names = [*population.others, *population.fixed]
    wanted = {
        (place, alpha, aim): size
        for place in range(len(names))
        for alpha in ALPHAS
        for aim in AIMS
        if (size := failures_needed(effects[place], spread[place], alpha, aim)) <= MOST
    }
    rejected = _rejections(population, studies, wanted)
    for (place, alpha, aim), size in wanted.items():
        rate = rejected[place, alpha, aim] / studies
        expected = predicted(effects[place], spread[place], size, alpha)
        detectable = minimal_detectable_effect(spread[place], size, alpha, aim)
        yield Measurement(
            check="power",
            population=population.name,
            method=f"p by inversion, {ALPHAS[alpha]}",
            quantity=f"loss of {names[place]}, formula asks for {aim:g}",
            value=rate - expected,
            mc_error=rate_error(rate, studies),
            target=POWER,
            replicates=studies,
            failures=size,
            clusters=size,
            expected=expected,
            note=f"measured {rate:.3f}; loss {effects[place]:.3f}, sd {spread[place]:.3f}, "
            f"detectable {detectable:.3f}",
        )


def predicted(effect: float, sd: float, n: int, alpha: float) -> float:
    """The power of the formula solved for it: Phi(effect sqrt(n) / sd - z_{1-alpha})."""
    normal = NormalDist()
    return normal.cdf(effect * sqrt(n) / sd - normal.inv_cdf(1.0 - alpha))


def _rejections(
    population: Population, studies: int, wanted: Mapping[tuple[int, float, float], int]
) -> dict[tuple[int, float, float], int]:
    """How many of the studies reject, by evaluator, level and aim.

    A study of n failures is the first n of a draw, so that all sizes share their rollouts.
    """
    counts = dict.fromkeys(wanted, 0)
    largest = max(wanted.values(), default=0)
    for start in range(0, studies, BATCH):
        rng = generator("validation", "power", population.name, start)
        size = min(BATCH, studies - start)
        chosen = population.draw(size, largest, 1, rng).ravel()
        losses = losses_of(observe(population, chosen, EVALUATOR_ROLLOUTS, rng)).losses
        table = losses.reshape(size, largest, -1)
        for (place, alpha, aim), n in wanted.items():
            studied: Array = np.moveaxis(table[:, :n, place, None], 0, 1)
            p = p_values(studied, 1, f"power {n} {start}")["inversion"].greater
            counts[place, alpha, aim] += int((p <= alpha).sum())
    return counts
