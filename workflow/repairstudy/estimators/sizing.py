"""How large a study must be: failures, rollouts, and what they buy (docs/statistics.md, section 7).

The variance of a failure's loss d_i has two parts: losses differ between failures, and each is
measured by few rollouts. More failures shrink both parts in the mean, more rollouts the second
alone. A pilot tells them apart, since its candidates' outcomes say how much d_i would vary if the
same failure were rolled out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from repairstudy.estimators.arrays import Array, outcome_table
from repairstudy.estimators.batch import crossfit_many
from repairstudy.estimators.inference import clustered
from repairstudy.estimators.power import failures_needed, minimal_detectable_effect


class Spread(NamedTuple):
    """The variance of one failure's loss, by its parts.

    Attributes:
        between: variance of true losses between failures, at least 0. With clusters it includes
            what their dependence adds to the variance of the mean.
        noise: what measuring by a number of rollouts adds, by that number.
    """

    between: float
    noise: dict[int, float]

    def sd(self, rollouts: int) -> float:
        """Standard deviation of the losses at so many rollouts a candidate.

        Where the noise at that number is not known, that at the next smaller one (else at the
        smallest) is scaled by their ratio.
        """
        if rollouts not in self.noise:
            near = max((n for n in self.noise if n < rollouts), default=min(self.noise))
            return sqrt(self.between + self.noise[near] * near / rollouts)
        return sqrt(self.between + self.noise[rollouts])


class Design(NamedTuple):
    """A study that detects a loss: its size at one number of rollouts a candidate.

    Attributes:
        rollouts: n, label rollouts a candidate.
        sd: of the losses of failures.
        failures: for one test at alpha.
        failures_holm: for the first test of a family, at alpha / m (Holm's worst case).
        total: rollouts in all, of the latter; collected runs included.
        detectable: the loss that the latter detects with the power asked for.
    """

    rollouts: int
    sd: float
    failures: int
    failures_holm: int
    total: int
    detectable: float


class Costs(NamedTuple):
    """What a failure costs, in rollouts.

    Attributes:
        arms: candidates of its position, the original included: n label rollouts each.
        evaluating: rollouts of other executors and decodings a failure, whatever n.
        collecting: collected runs until one fails.
    """

    arms: float
    evaluating: float = 0.0
    collecting: float = 0.0

    def total(self, failures: int, rollouts: int) -> int:
        each = self.arms * rollouts + self.evaluating + self.collecting
        return int(np.ceil(failures * each))


def design(
    spread: Spread, loss: float, rollouts: int, tests: int, costs: Costs,
    alpha: float = 0.05, power: float = 0.8,
) -> Design:  # fmt: skip
    """The study that detects a loss with n rollouts a candidate.

    Args:
        spread: of the losses.
        loss: true mean loss to detect, above 0.
        rollouts: n.
        tests: m, hypotheses of the family.
        costs: of a failure.
        alpha: one-sided level of the family.
        power: probability to detect.

    Raises:
        ValueError: no test, or as `failures_needed`.
    """
    if tests < 1:
        raise ValueError(f"a family of {tests} tests tests nothing.")
    sd = spread.sd(rollouts)
    alone = failures_needed(loss, sd, alpha, power)
    first = failures_needed(loss, sd, alpha / tests, power)
    detectable = minimal_detectable_effect(sd, first, alpha / tests, power)
    return Design(rollouts, sd, alone, first, costs.total(first, rollouts), detectable)


def spread_of(losses: ArrayLike, clusters: ArrayLike, noise: dict[int, float], n: int) -> Spread:
    """The parts of the variance of a pilot's losses.

    Args:
        losses: (F,) losses of the failures.
        clusters: (F,) label of each failure's cluster.
        noise: mean noise of a failure's loss by number of rollouts; one is n.
        n: rollouts a candidate that the losses were measured with.

    Raises:
        ValueError: fewer than two clusters: nothing is known of their spread.
    """
    data = clustered(losses, clusters)
    if len(data.sizes) < 2:
        raise ValueError("one cluster of failures tells nothing about their spread.")
    total = float(data.standard_error[0] ** 2 * data.sizes.sum())
    return Spread(max(0.0, total - noise[n]), noise)


def loss_noise(
    outcomes: Sequence[ArrayLike],
    evaluator: Sequence[ArrayLike] | int,
    matched: int,
    rollouts: int,
    rng: np.random.Generator,
    draws: int = 50,
) -> float:
    """The mean variance of a failure's loss over repetitions of its rollouts.

    Rollouts are drawn from each candidate's own outcomes as if these were its law. That law is
    narrower than the truth by (n - 1) / n on average, which is made up for. Draws serve for
    variances only: as estimates of values they would be biased (docs/statistics.md, section 4).

    Args:
        outcomes: F tables (K, n) of a pilot's label rollouts.
        evaluator: F weights (K,) by which it chooses, whatever the rollouts; or a number of own
            rollouts.
        matched: own rollouts of matched selection.
        rollouts: rollouts a candidate of the study to come.
        rng: source of the draws.
        draws: repetitions of each failure.
    """
    tables = [outcome_table(table) for table in outcomes]
    drawn = [_redrawn(table, rollouts, draws, rng) for table in tables]
    flat = [one for repeated in drawn for one in repeated]
    best = np.array([chosen.value for chosen in crossfit_many(flat, matched)])
    if isinstance(evaluator, int):
        other = np.array([chosen.value for chosen in crossfit_many(flat, evaluator)])
    else:
        weights = [np.asarray(w, dtype=np.float64) for w in evaluator for _ in range(draws)]
        other = np.array([w @ t.mean(axis=1) for w, t in zip(weights, flat, strict=True)])
    variances = (best - other).reshape(len(tables), draws).var(axis=1, ddof=1)
    made_up = [table.shape[1] / max(table.shape[1] - 1, 1) for table in tables]
    return float((variances * made_up).mean())


def _redrawn(table: Array, rollouts: int, draws: int, rng: np.random.Generator) -> list[Array]:
    arms, n = table.shape
    places = rng.integers(0, n, (draws, arms, rollouts))
    return list(np.take_along_axis(table[None], places, axis=2))
