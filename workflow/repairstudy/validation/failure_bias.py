"""Bias where position and candidate are chosen together, so that originals do not cancel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from repairstudy.estimators.arrays import Array
from repairstudy.estimators.failure_scope import (
    Position,
    crossfit_failure,
    earliest_success,
    fixed_failure,
    latest_significant,
)
from repairstudy.records import generator
from repairstudy.validation import truth
from repairstudy.validation.bias import What, standard_error
from repairstudy.validation.measurement import BIAS, Measurement
from repairstudy.validation.populations import MATCHED, ROLLOUTS, binary, roll
from repairstudy.validation.real_model import Failures
from repairstudy.validation.simulated import log_odds

ALPHA = 0.05
DISTINCT = 48  # failures whose exact values are listed
BATCH = 10  # rollouts of each failure at once
BETWEEN_ORIGINALS = 0.8


@dataclass(frozen=True)
class Contenders:
    """N failures with T positions of K candidates each, and their success probabilities.

    Attributes:
        own: (N, T, K) of the candidates.
        original: (N, T) of the originals.
        scores: (N, T, K) selection of an evaluator that runs nothing.
    """

    name: str
    own: Array
    original: Array
    scores: Array


def simulated_contenders() -> Contenders:
    """Positions of one failure are as alike as failures of one task."""
    own, others, original = log_odds(3, tasks=DISTINCT, per_task=3, key="failures")
    rng = generator("validation", "originals")
    moved = original + BETWEEN_ORIGINALS * rng.normal(size=original.shape)
    shape = (DISTINCT, 3, 3)
    return Contenders(
        "simulated successes",
        expit(own).reshape(shape),
        expit(moved).reshape(shape[:2]),
        _best_pair(expit(others["correlated .5"]).reshape(shape)),
    )


def real_contenders(failures: Failures) -> Contenders:
    """Some failures of the real model, at all their positions."""
    rng = generator("validation", "contenders")
    kept = rng.choice(len(failures.own), DISTINCT, replace=False)
    return Contenders(
        "real model (SmolLM2)",
        failures.own[kept],
        failures.original[kept],
        _best_pair(failures.other[kept]),
    )


def failure_bias(contenders: Contenders, replicates: int) -> Iterator[Measurement]:
    """Mean errors over so many sets of rollouts of all the failures."""
    selections = true_selections(contenders)
    gains = contenders.own - contenders.original[..., None]
    errors: dict[What, list[Array]] = defaultdict(list)
    for start in range(0, replicates, BATCH):
        rng = generator("validation", "failure bias", contenders.name, start)
        count = min(BATCH, replicates - start)
        outcomes = roll(np.repeat(binary(contenders.own)[None], count, 0), ROLLOUTS, rng)
        original = roll(np.repeat(binary(contenders.original)[None], count, 0), ROLLOUTS, rng)
        seen = outcomes.mean(axis=-1) - original.mean(axis=-1)[..., None]
        for what, values in estimates(contenders, outcomes, original).items():
            weights = selections[what]
            control = (weights * (seen - gains)).sum(axis=(2, 3))
            exact = (weights * gains).sum(axis=(1, 2))
            errors[what].append((values - exact - control).ravel())
    for what, parts in errors.items():
        found = np.concatenate(parts)
        yield Measurement(
            check="bias",
            population=contenders.name,
            method=what.method,
            quantity=what.quantity,
            own_rollouts=what.own_rollouts,
            failures=DISTINCT,
            value=float(found.mean()),
            mc_error=standard_error(found),
            target=BIAS,
            replicates=replicates,
            contrast=what.contrast,
        )


QUANTITY = "net gain across positions"


def estimates(contenders: Contenders, outcomes: Array, original: Array) -> dict[What, Array]:
    """(R, N) by estimator, from outcomes (R, N, T, K, n) and originals (R, N, T, n)."""
    shape = outcomes.shape[:2]
    positions = [
        [Position(table, row) for table, row in zip(tables, rows, strict=True)]
        for tables, rows in zip(
            outcomes.reshape(-1, *outcomes.shape[2:]),
            original.reshape(-1, *original.shape[2:]),
            strict=True,
        )
    ]
    fixed = np.tile(contenders.scores, (shape[0], 1, 1))
    found = {
        What("scores", QUANTITY): [
            fixed_failure(list(weights), one) for weights, one in zip(fixed, positions, strict=True)
        ],
        What("earliest success", QUANTITY): [earliest_success(one).value for one in positions],
        What("latest significant", QUANTITY, MATCHED): [
            latest_significant(one, MATCHED, ALPHA).value for one in positions
        ],
    }
    for m in (2, MATCHED):
        found[What("cross-fit, exact", QUANTITY, m)] = [
            crossfit_failure(one, m).value for one in positions
        ]
    arrays = {what: np.array(values).reshape(shape) for what, values in found.items()}
    return arrays | {_SHARED: _original_shared(outcomes, original)}


_SHARED = What("original not cross-fitted", QUANTITY, MATCHED, contrast=True)


def _original_shared(outcomes: Array, original: Array) -> Array:
    """(R, N) the wrong way: all rollouts of the original help to choose and to value."""
    base = original.mean(axis=-1)[..., None]
    first = (outcomes[..., :MATCHED].mean(axis=-1) - base).round(9)
    rest = outcomes[..., MATCHED:].mean(axis=-1) - base
    return np.asarray((_best_pair(first) * rest).sum(axis=(-2, -1)))


def true_selections(contenders: Contenders) -> dict[What, Array]:
    """(N, T, K) what each estimator aims at."""
    own, original = contenders.own, contenders.original
    chances, base = binary(own), binary(original)
    matched = {m: truth.best_gain_weights(chances, base, m) for m in (2, MATCHED)}
    latest = truth.latest_significant_weights(own, original, MATCHED, ALPHA)
    return {
        **{What("cross-fit, exact", QUANTITY, m): weights for m, weights in matched.items()},
        _SHARED: matched[MATCHED],
        What("earliest success", QUANTITY): truth.earliest_success_weights(own),
        What("latest significant", QUANTITY, MATCHED): latest,
        What("scores", QUANTITY): contenders.scores,
    }


def _best_pair(scores: Array) -> Array:
    """(..., T, K) equal shares of the largest score among all pairs."""
    best = scores == scores.max(axis=(-2, -1), keepdims=True)
    return np.asarray(best / best.sum(axis=(-2, -1), keepdims=True))
