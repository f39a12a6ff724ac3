"""Choosing a repair of one failure: who is rolled out next, what the choice gains, what to do.

Rollouts that select and rollouts that confirm are different draws, so the interval of the net gain
is as valid as if the candidate had been named beforehand. Functions of counts and outcomes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repairstudy.analysis.export.labels import newcombe
from repairstudy.estimators.allocation import (
    NOBODY,
    PerfectInformation,
    Rule,
    SuccessiveRejects,
    TopTwo,
    Uniform,
    next_arms,
    rejection_levels,
)
from repairstudy.estimators.allocation_bounds import KlLucb
from repairstudy.estimators.allocation_posterior import Counts, Prior, opportunity_cost

Array = NDArray[np.float64]
Metric = Literal["success", "reward"]
Decision = Literal["replace", "keep_original", "not_enough_evidence"]

# ASSUME: rates spread as in docs/adaptive.md. A wrong prior spends selection rollouts badly; it
# cannot bias what fresh rollouts confirm.
PRIOR = Prior(0.5, 0.9, hopeless=0.1)
STOPPING: Mapping[str, Rule] = {
    "perfect-information": PerfectInformation(),
    "top-two": TopTwo(),
    "kl-lucb": KlLucb(),
}
UNIFORM, REJECTS = "uniform", "successive-rejects"
METHODS = (*STOPPING, REJECTS, UNIFORM)
DECIMALS = 9  # means equal to so many decimals are tied


@dataclass(frozen=True, slots=True)
class Campaign:
    """How the selection rollouts of one failure are spent.

    Attributes:
        method: one of METHODS.
        budget: rollouts an arm, on average, at most; the original's counted.
        cost: rules of STOPPING end where the expected opportunity cost is at most this.
    """

    method: str
    budget: int
    cost: float

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method {self.method!r} is none of {', '.join(METHODS)}.")
        if self.budget < 1:
            raise ValueError(f"a budget of {self.budget} rollouts a candidate is below 1.")

    def asked(self, pulls: Array, sums: Array, rng: np.random.Generator) -> list[int]:
        """The arms of the next rollouts, one entry a rollout; empty when selection is over.

        The first round is one rollout of every arm. A function of the counts and of `rng`.

        Args:
            pulls: (K,) selection rollouts so far; sums: (K,) the sums of their outcomes in [0, 1].
            rng: source of draws and ties.
        """
        if not pulls.all():
            return [int(arm) for arm in np.flatnonzero(pulls == 0)]
        left = self.budget * len(pulls) - int(pulls.sum())
        if left <= 0:
            return []
        counts = Counts(pulls[None], sums[None])
        if self.method == REJECTS:
            return self._phase(counts, rng)
        if self.method == UNIFORM:
            rule: Rule = Uniform()
            batch = left
        else:
            if opportunity_cost(counts, PRIOR)[0] <= self.cost:
                return []
            rule, batch = STOPPING[self.method], min(left, max(1, len(pulls) // 2))
        chosen = next_arms(rule, counts, rng, batch=batch, prior=PRIOR)[0]
        return [int(arm) for arm in chosen if arm != NOBODY]

    def _phase(self, counts: Counts, rng: np.random.Generator) -> list[int]:
        """What is left of a phase of successive rejects; outcomes of the next are not guessed."""
        pulls = counts.pulls[0]
        total = self.budget * len(pulls)
        scores = SuccessiveRejects(total).scores(counts, PRIOR, rng)[0]
        inside = np.flatnonzero(np.isfinite(scores))
        if not inside.size:
            return []
        levels = rejection_levels(len(pulls), total, None)
        level = levels[levels > pulls[inside].min()].min()
        return [int(arm) for arm in inside for _ in range(int(level - pulls[arm]))]


def preferred(pulls: Array, sums: Array, candidates: Sequence[int]) -> int:
    """The candidate with the largest posterior mean; of tied ones the first.

    Args:
        pulls, sums: (K,) as in `Campaign.asked`.
        candidates: the arms that may be chosen, in the order in which they were named.
    """
    means = PRIOR.means(Counts(pulls[None], sums[None]))[0]
    return _first_best(means, candidates)


def naive(
    pulls: Array, sums: Array, candidates: Sequence[int], original_of: Mapping[int, int]
) -> tuple[int, float]:
    """What a naive choice takes and claims: the same rollouts select and score.

    The candidate with the largest mean of the selection rollouts, and that mean minus the mean of
    its original action. Its expectation is above the candidate's net gain: the largest of several
    noisy means is mostly too large.

    Args:
        original_of: for each candidate the arm of the original action at its step.
    """
    means = sums / pulls
    chosen = _first_best(means, candidates)
    return chosen, float(means[chosen] - means[original_of[chosen]])


class Gain(NamedTuple):
    """A net gain with the ends of its interval."""

    estimate: float
    low: float
    high: float


def net_gain(chosen: Array, original: Array, metric: Metric, level: float = 0.95) -> Gain:
    """Mean outcome of fresh rollouts of the chosen action minus that of the original's.

    Successes: Newcombe's hybrid score interval. Rewards: Welch's interval after one 0 and one 1
    are added to both arms, as Agresti and Caffo (The American Statistician, 2000) do for counts;
    so equal rewards do not make an interval of no width.

    Args:
        chosen, original: (n,) and (m,) outcomes in [0, 1] of rollouts that chose nothing.
        level: two-sided level.
    """
    estimate = float(chosen.mean() - original.mean())
    if metric == "success":
        counts = (int(chosen.sum()), len(chosen), int(original.sum()), len(original))
        return Gain(estimate, *_newcombe(*counts, level))
    return Gain(estimate, *_welch(_padded(chosen), _padded(original), level))


def decide(gain: Gain, margin: float = 0.0) -> Decision:
    """What a confirmed net gain says.

    "keep_original": the upper end is below `margin`, so whatever is gained is not worth it;
    else "replace": the lower end is above 0; else "not_enough_evidence".
    """
    if gain.high < margin:
        return "keep_original"
    return "replace" if gain.low > 0.0 else "not_enough_evidence"


def _first_best(means: Array, candidates: Sequence[int]) -> int:
    rounded = np.round(means, DECIMALS)
    return max(candidates, key=lambda arm: float(rounded[arm]))  # max keeps the first of equals


def _padded(outcomes: Array) -> Array:
    return np.concatenate([outcomes, [0.0, 1.0]])


@lru_cache(maxsize=4096)
def _newcombe(x: int, n: int, y: int, m: int, level: float) -> tuple[float, float]:
    return newcombe(x, n, y, m, level)


def _welch(first: Array, second: Array, level: float) -> tuple[float, float]:
    """Welch's interval of a difference of means, within [-1, 1]."""
    from scipy.special import stdtrit  # half a second, and only here

    parts = [float(arm.var(ddof=1)) / len(arm) for arm in (first, second)]
    variance = sum(parts)
    freedom = variance**2 / sum(
        part**2 / (len(arm) - 1) for part, arm in zip(parts, (first, second), strict=True)
    )
    half = float(stdtrit(freedom, 0.5 + level / 2.0)) * sqrt(variance)
    centre = float(first.mean() - second.mean())
    return max(-1.0, centre - half), min(1.0, centre + half)
