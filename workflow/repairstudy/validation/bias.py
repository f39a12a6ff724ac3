"""Bias of every estimator at one position, against exact values of each failure.

The error of an estimate is taken less the error of mean outcomes at the true selection
probabilities. That control variate has mean zero whatever the estimator does, so the bias is the
same, and its Monte Carlo noise a fraction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.batch import (
    acceptance_many,
    argmax_weights_many,
    crossfit_many,
    fixed_values,
    subsample_weights_many,
)
from repairstudy.estimators.budget import equivalent_budgets
from repairstudy.estimators.crossfit import common_splits, random_splits
from repairstudy.estimators.tournament import Selected
from repairstudy.records import generator
from repairstudy.validation import truth
from repairstudy.validation.measurement import BIAS, Measurement
from repairstudy.validation.populations import (
    MATCHED,
    ROLLOUTS,
    Observed,
    Population,
    observe,
)

FAILURES = 60  # of a study
BATCH = 50  # studies at once
EVALUATOR_ROLLOUTS, FEW = 20, 2  # rollouts of another executor, and how few of them it uses
SPLITS = 50


class What(NamedTuple):
    """An estimator and what it estimates."""

    method: str
    quantity: str
    own_rollouts: int | None = None
    contrast: bool = False


WRONG = tuple(
    What(name, "value", MATCHED, contrast=True)
    for name in ("same rollouts select and score", "first of the tied", "rollouts resampled")
)


class Selection(NamedTuple):
    """What is true of a quantity: sum_a w_a mean_a, less the original's mean for a net gain.

    Attributes:
        weights: (N, K) probability that each candidate is selected; differences of two in a loss.
        net: 1 if the original's mean is subtracted, else 0.
    """

    weights: Array
    net: float = 0.0


def bias(population: Population, studies: int, *, contrasts: bool = False) -> Iterator[Measurement]:
    """Mean errors over so many studies of 60 failures, the equivalent budget's among them.

    `contrasts`: measure wrong ways too, in a population where they are wrong: where candidates come
    in an order that says something about them.
    """
    selections = true_selections(population)
    means, base = population.means, population.original_means
    errors: dict[What, list[Array]] = defaultdict(list)
    budgets: list[Array] = []
    evaluator = next(iter(population.others))
    own = [selections[What("cross-fit, exact", "value", m)].weights for m in range(ROLLOUTS)]
    curve = np.array([(weights * means).sum(axis=1).mean() for weights in own])
    worth = float((selections[What(f"{evaluator}@{FEW}", "value")].weights * means).sum(1).mean())
    for start in range(0, studies, BATCH):
        rng = generator("validation", "bias", population.name, start)
        count = min(BATCH, studies - start)
        chosen = population.draw(count, FAILURES, 1, rng).ravel()
        seen = observe(population, chosen, EVALUATOR_ROLLOUTS, rng)
        found = estimates(seen, rng)
        if contrasts:
            found |= wrong_ways(seen.outcomes, rng)
        for what, values in found.items():
            weights, net = selections[what].weights[chosen], selections[what].net
            outcome = (weights * seen.outcomes.mean(axis=2)).sum(axis=1)
            exact = (weights * means[chosen]).sum(axis=1)
            control = outcome - exact - net * (seen.original.mean(axis=1) - base[chosen])
            errors[what].append(values - (exact - net * base[chosen]) - control)
        budgets.append(_study_budgets(found, evaluator, count))
    for what, parts in errors.items():
        yield _measured(population.name, what, np.concatenate(parts), studies)
    yield from _equivalent(population.name, evaluator, np.concatenate(budgets), curve, worth)


def estimates(seen: Observed, rng: np.random.Generator) -> dict[What, Array]:
    """(P,) by estimator, each by the library's own function."""
    outcomes, base = seen.outcomes, seen.original.mean(axis=1)
    found: dict[What, Array] = {}
    curve = [_values(crossfit_many(outcomes, m)) for m in range(ROLLOUTS)]
    for m, values in enumerate(curve):
        found[What("cross-fit, exact", "value", m)] = values
    found[What("cross-fit, exact", "net gain", MATCHED)] = curve[MATCHED] - base
    common = (common_splits(table, MATCHED) for table in outcomes)
    found[What("cross-fit, common splits", "value", MATCHED)] = _values(common)
    random = (random_splits(table, MATCHED, SPLITS, rng) for table in outcomes)
    found[What("cross-fit, 50 random splits", "value", MATCHED)] = _values(random)
    wins = (outcomes == 1.0).astype(np.float64)
    for name, (k, of) in {"accept 2 of 3": (2, 3), "flip 1": (1, 1)}.items():
        found[What(name, "value")] = _values(acceptance_many(outcomes, k, of, wins))
    for name, weights in seen.fixed.items():
        found[What(name, "value")] = fixed_values(weights, outcomes)
    for name, rollouts in seen.others.items():
        few = fixed_values(subsample_weights_many(rollouts, FEW), outcomes)
        found[What(f"{name}@{FEW}", "value")] = few
        found[What(f"{name}@{FEW}", "loss")] = curve[MATCHED] - few
        found[What(f"{name}@{FEW}", "target loss")] = curve[FEW] - few
        every = fixed_values(argmax_weights_many(rollouts.mean(axis=2)), outcomes)
        found[What(f"{name}@{EVALUATOR_ROLLOUTS}", "loss")] = curve[MATCHED] - every
    found[What("cross-fit, exact", "budget loss", FEW)] = curve[MATCHED] - curve[FEW]
    found[What("cross-fit, exact", "control gap", MATCHED)] = curve[MATCHED] - curve[0]
    return found


def wrong_ways(outcomes: Array, rng: np.random.Generator) -> dict[What, Array]:
    """Estimators that break the protocol's rules; each must be seen to be biased."""
    rows = np.arange(len(outcomes))
    first, rest = outcomes[..., :MATCHED].mean(axis=2), outcomes[..., MATCHED:].mean(axis=2)
    # Means of equal outcomes are equal, whatever their order: rounded they tie.
    leader = first.round(9).argmax(axis=1)
    places = rng.integers(0, ROLLOUTS, outcomes.shape)
    again = np.take_along_axis(outcomes, places, axis=2)
    values = first.max(axis=1), rest[rows, leader], _values(crossfit_many(again, MATCHED))
    return dict(zip(WRONG, values, strict=True))


def true_selections(population: Population) -> dict[What, Selection]:
    """What each estimator of `estimates` aims at."""
    own = [truth.weights_by_rollouts(population.own, m) for m in range(ROLLOUTS)]
    matched = own[MATCHED]
    found = {What("cross-fit, exact", "value", m): Selection(w) for m, w in enumerate(own)}
    found[What("cross-fit, exact", "net gain", MATCHED)] = Selection(matched, net=1.0)
    for scheme in ("common splits", "50 random splits"):
        found[What(f"cross-fit, {scheme}", "value", MATCHED)] = Selection(matched)
    rates = population.own[..., -1]
    for name, (k, of) in {"accept 2 of 3": (2, 3), "flip 1": (1, 1)}.items():
        found[What(name, "value")] = Selection(truth.weights_by_acceptance(rates, k, of))
    for name, weights in population.fixed.items():
        found[What(name, "value")] = Selection(weights)
    for name, chances in population.others.items():
        few = truth.weights_by_rollouts(chances, FEW)
        every = truth.weights_by_rollouts(chances, EVALUATOR_ROLLOUTS)
        found[What(f"{name}@{FEW}", "value")] = Selection(few)
        found[What(f"{name}@{FEW}", "loss")] = Selection(matched - few)
        found[What(f"{name}@{FEW}", "target loss")] = Selection(own[FEW] - few)
        found[What(f"{name}@{EVALUATOR_ROLLOUTS}", "loss")] = Selection(matched - every)
    found[What("cross-fit, exact", "budget loss", FEW)] = Selection(matched - own[FEW])
    found[What("cross-fit, exact", "control gap", MATCHED)] = Selection(matched - own[0])
    return found | dict.fromkeys(WRONG, Selection(matched))


def _values(selected: Iterable[Selected]) -> Array:
    return np.array([one.value for one in selected])


def _study_budgets(found: dict[What, Array], evaluator: str, studies: int) -> Array:
    """(studies,) equivalent budgets, each from a study's mean curve and mean value."""

    def by_study(values: Array) -> Array:
        return np.asarray(values.reshape(studies, FAILURES).mean(axis=1))

    curve = [by_study(found[What("cross-fit, exact", "value", m)]) for m in range(ROLLOUTS)]
    value = by_study(found[What(f"{evaluator}@{FEW}", "value")])
    return equivalent_budgets(np.stack(curve, axis=1), value)


def _equivalent(
    name: str, evaluator: str, budgets: Array, curve: Array, worth: float
) -> Iterator[Measurement]:
    """The equivalent budget is no mean: its error is taken in value, along the true curve."""
    inside = np.clip(budgets, 0.0, len(curve) - 1.0)
    errors = np.interp(inside, np.arange(len(curve)), curve) - worth
    exact = float(equivalent_budgets(curve[None], np.array([worth]))[0])
    studies = len(budgets)
    yield Measurement(
        check="bias",
        population=name,
        method=f"equivalent budget of {evaluator}@{FEW}",
        quantity="value of so many own rollouts",
        value=float(errors.mean()),
        mc_error=float(errors.std(ddof=1) / np.sqrt(studies)),
        target=BIAS,
        replicates=studies,
        failures=FAILURES,
        expected=worth,
        note=f"in own rollouts: median {np.median(budgets):.2f}, exact {exact:.2f}",
    )


def _measured(name: str, what: What, errors: Array, studies: int) -> Measurement:
    return Measurement(
        check="bias",
        population=name,
        method=what.method,
        quantity=what.quantity,
        own_rollouts=what.own_rollouts,
        failures=FAILURES,
        value=float(errors.mean()),
        mc_error=standard_error(errors),
        target=BIAS,
        replicates=studies,
        contrast=what.contrast,
    )


def standard_error(errors: Array) -> float:
    """Of the mean of independent errors."""
    return float(np.std(errors, ddof=1) / np.sqrt(len(errors)))
