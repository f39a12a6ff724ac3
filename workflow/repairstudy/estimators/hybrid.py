"""Hybrid evaluators: cheap scores of a candidate as a prior, a few own rollouts on top.

Scores (another executor's rate, greedy replay, a judge, a planner) are calibrated to the outcomes
of the deployed executor on other failures: the fold of a position is never among those that its
prior is fitted on. The prior is then fixed, so that the value of choosing by prior and r of the n
own rollouts has the exact expectation that `crossfit` has: r draw, the others evaluate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repairstudy.estimators.arrays import Array, heldout_size, outcome_table
from repairstudy.estimators.external import DECIMALS, best_of
from repairstudy.estimators.hybrid_calibration import design, fit_line, fit_logistic, logistic
from repairstudy.estimators.laws import Law, subset_law
from repairstudy.estimators.tournament import Selected, tournament

CONCENTRATIONS = np.geomspace(0.3, 300.0, 41)  # prior rollouts that a score may be worth


class CandidatePrior(NamedTuple):
    """What the scores say of the K candidates of one position, fitted on other positions.

    Attributes:
        rates: (K,) expected outcome by ridge logistic regression.
        concentration: rollouts that `rates` are worth: the prior is
            Beta(concentration rate, concentration (1 - rate)).
        line: (K,) expected outcome by ridge least squares.
        noise: variance of one rollout within a candidate, on average.
        misfit: variance of the candidates' true means around `line`.
    """

    rates: Array
    concentration: float
    line: Array
    noise: float
    misfit: float

    def bayes_weight(self, r: int) -> float:
        """The weight of r own rollouts in the posterior mean of the Beta-binomial model."""
        return r / (r + self.concentration)

    def control_weight(self, r: int) -> float:
        """The weight of the mean of r own rollouts with the least expected squared error.

        mean + c (line - mean) with c = var / (var + misfit), var = noise / r: a control variate
        whose coefficient is tuned as in prediction-powered inference (Angelopoulos, Duchi and
        Zrnic, PPI++, arXiv:2311.01453).
        """
        if r == 0:
            return 0.0
        total = self.noise / r + self.misfit
        return self.misfit / total if total > 0.0 else 1.0


def candidate_priors(
    scores: Sequence[ArrayLike],
    outcomes: Sequence[ArrayLike],
    folds: ArrayLike,
    ridge: float = 1.0,
) -> list[CandidatePrior]:
    """The prior of each position, fitted on the positions of all other folds.

    How much a prior is worth (`concentration`, `misfit`) is measured on positions that it was not
    fitted on either, within the other folds.

    Args:
        scores: of each of P positions (K, J), J scores of each candidate; NaN: no score.
        outcomes: of each position (K, n) outcomes in [0, 1].
        folds: (P,) labels; positions that depend on each other must share one.
        ridge: penalty on the squared coefficients of standardised scores.

    Raises:
        ValueError: shapes that do not fit, or fewer than three folds.
    """
    tables = [outcome_table(table) for table in outcomes]
    names = np.asarray(folds)
    places, fold = np.unique(names, return_inverse=True)
    if not len(tables) == len(scores) == len(names):
        raise ValueError("scores, outcomes and folds must be of the same positions.")
    if len(places) < 3:
        raise ValueError(f"{len(places)} folds: a prior and its worth need at least three.")
    data = _Data.of([design(one) for one in scores], tables, fold)
    found: dict[int, CandidatePrior] = {}
    for held in range(len(places)):
        found |= data.priors(held, ridge)
    return [found[i] for i in range(len(tables))]


def blended(outcomes: ArrayLike, r: int, prior: ArrayLike, weight: float) -> Selected:
    """Selection by weight * (mean of r own rollouts) + (1 - weight) * prior, in expectation.

    Over independent r-subsets of each candidate's rollouts, ties shared equally; the other n - r
    evaluate. A prior fitted on other failures makes the value unbiased for that selection.

    Args:
        outcomes: (K, n) outcomes.
        r: own rollouts that select, 0 to n - 1.
        prior: (K,) what is believed without them.
        weight: of the rollouts' mean, 0 to 1; 0 if there are none.

    Raises:
        ValueError: a malformed table, another number of priors, or r or weight out of range.
    """
    table, beliefs = outcome_table(outcomes), np.asarray(prior, dtype=np.float64)
    heldout_size(table.shape[1], r)
    if beliefs.shape != (len(table),) or not 0.0 <= weight <= 1.0:
        raise ValueError(f"{beliefs.shape} priors, weight {weight}, for {len(table)} candidates.")
    if r == 0:
        weights = best_of(beliefs)
        return Selected(float(weights @ table.mean(axis=1)), weights)
    laws = [subset_law(row, r) for row in table]
    return tournament(
        [
            _as_law(law, weight * law.support / r + (1.0 - weight) * belief)
            for law, belief in zip(laws, beliefs, strict=True)
        ]
    )


def _as_law(law: Law, shown: Array) -> Law:
    """The law of what is shown instead of the sums; sums that show the same are one point."""
    support, place = np.unique(np.round(shown, DECIMALS), return_inverse=True)
    pmf = np.asarray(np.bincount(place, law.pmf, len(support)), dtype=np.float64)
    credit = np.bincount(place, law.pmf * law.heldout, len(support))
    return Law(support, pmf, np.asarray(credit / pmf))


class _Data(NamedTuple):
    """All candidates of all positions in one table, with the fold and position of each."""

    x: Array
    mean: Array
    n: Array
    spread: Array  # unbiased estimate of the variance of one rollout
    fold: NDArray[np.intp]
    position: NDArray[np.intp]

    @classmethod
    def of(cls, designs: list[Array], tables: list[Array], fold: NDArray[np.intp]) -> _Data:
        sizes = [len(table) for table in tables]
        if [len(one) for one in designs] != sizes or len({one.shape[1] for one in designs}) > 1:
            raise ValueError("every position needs the same scores, one row a candidate.")
        n = np.repeat([table.shape[1] for table in tables], sizes).astype(np.float64)
        ddof = 1 if n.min() > 1 else 0
        return cls(
            np.concatenate(designs),
            np.concatenate([table.mean(axis=1) for table in tables]),
            n,
            np.concatenate([table.var(axis=1, ddof=ddof) for table in tables]),
            np.repeat(fold, sizes),
            np.repeat(np.arange(len(tables)), sizes),
        )

    def priors(self, held: int, ridge: float) -> dict[int, CandidatePrior]:
        """The priors of the positions in one fold."""
        training, mine = self.fold != held, self.fold == held
        inner_rates, inner_line = np.empty((2, len(self.fold)))
        for other in np.unique(self.fold[training]):
            inner = training & (self.fold != other)
            there = self.fold == other
            inner_rates[there], inner_line[there] = self._predicted(inner, there, ridge)
        mean, n, rates = self.mean[training], self.n[training], inner_rates[training]
        worth = concentration(rates, mean * n, n)
        noise = float(self.spread[training].mean())
        square = (mean - inner_line[training]) ** 2 - self.spread[training] / n
        misfit = max(float(square.mean()), 0.0)
        rates, line = self._predicted(training, mine, ridge)
        return {
            int(i): CandidatePrior(
                rates[self.position[mine] == i], worth, line[self.position[mine] == i], noise,
                misfit,
            )
            for i in np.unique(self.position[mine])
        }  # fmt: skip

    def _predicted(
        self, fitted: NDArray[np.bool_], wanted: NDArray[np.bool_], ridge: float
    ) -> tuple[Array, Array]:
        """Rates and line of the wanted rows from a fit on others."""
        x, y, n = self.x[fitted], self.mean[fitted], self.n[fitted]
        centre, scale = x.mean(axis=0), x.std(axis=0)
        scale = np.where(scale > 1e-12, scale, 1.0)
        x, new = (x - centre) / scale, (self.x[wanted] - centre) / scale
        curve, line = fit_logistic(x, y, n, ridge), fit_line(x, y, n, ridge)
        return logistic(curve[0] + new @ curve[1:]), line[0] + new @ line[1:]


def concentration(rates: ArrayLike, sums: ArrayLike, n: ArrayLike) -> float:
    """The concentration with the largest Beta-binomial likelihood, on a grid from .3 to 300.

    Args:
        rates: (N,) expected rate of each candidate.
        sums: (N,) sum of its outcomes; a reward counts as a part of a success.
        n: (N,) its rollouts.
    """
    from scipy.special import betaln

    mu = np.clip(np.asarray(rates, dtype=np.float64), 1e-6, 1.0 - 1e-6)
    won = np.asarray(sums, dtype=np.float64)
    lost = np.asarray(n, dtype=np.float64) - won
    k = CONCENTRATIONS[:, None]
    likelihood = betaln(k * mu + won, k * (1.0 - mu) + lost) - betaln(k * mu, k * (1.0 - mu))
    return float(CONCENTRATIONS[likelihood.sum(axis=1).argmax()])
