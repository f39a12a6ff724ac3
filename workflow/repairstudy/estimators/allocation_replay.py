"""What a rule of allocation is worth: replays on stored rollouts, or where p is known.

On stored rollouts a rule draws without replacement, at most so many an arm, and the arm that it
recommends is valued by its rollouts that were not drawn. Those are independent of everything the
rule has seen, so the value is unbiased, whatever the rule; the mean of what the rule itself drew
is not (Nie, Tian, Taylor and Zou, AISTATS 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repairstudy.estimators.allocation import NOBODY, Rule, next_arms, recommended
from repairstudy.estimators.allocation_posterior import (
    Counts,
    Prior,
    expected_best,
    opportunity_cost,
)
from repairstudy.estimators.arrays import Array

Places = NDArray[np.intp]
Draw = Callable[[Places, Places, Array], Array]  # outcomes of arms at positions, after some pulls
Score = Callable[[Places, Counts], Array]  # (P, K) what each arm is worth, given what was drawn


@dataclass(frozen=True, slots=True)
class Stop:
    """When to stop at a position: whichever comes first.

    Attributes:
        budget: rollouts of the position; a last batch is cut to fit.
        cost: the expected opportunity cost (`opportunity_cost`) is at most this.
        futility: the expected best, E[max_a p_a], is at most this: nothing can succeed.
    """

    budget: float = np.inf
    cost: float = -np.inf
    futility: float = -np.inf

    def judged(self, cost: Array, best: Array) -> NDArray[np.bool_]:
        """Whether to stop whatever the budget, given the opportunity cost and the expected best."""
        return np.asarray((cost <= self.cost) | (best <= self.futility))

    @property
    def looks(self) -> bool:
        """Whether the posterior matters, which takes time."""
        return bool(np.isfinite(self.cost) or np.isfinite(self.futility))


@dataclass(frozen=True, slots=True)
class Trace:
    """A replay of P positions after 0, 1, ... T batches. A position that stopped stays as it is.

    Attributes:
        spent: (P, T + 1) rollouts so far.
        values: (P, T + 1) value of the arm that would be chosen then.
        cost: (P, T + 1) expected opportunity cost then; infinite if the stop does not ask for it.
        best: (P, T + 1) expected best then; infinite if the stop does not ask for it.
    """

    spent: Array
    values: Array
    cost: Array
    best: Array

    def at(self, stop: Stop) -> tuple[Array, Array]:
        """(P,) rollouts and (P,) values under a stop that is no later than the replay's own."""
        judged = stop.judged(self.cost, self.best)
        last = self.spent.shape[1] - 1
        first = np.where(judged.any(axis=1), judged.argmax(axis=1), last)
        affordable = (self.spent <= stop.budget).sum(axis=1) - 1
        place = np.minimum(first, affordable)[:, None]
        spent = np.take_along_axis(self.spent, place, axis=1)
        return spent[:, 0], np.take_along_axis(self.values, place, axis=1)[:, 0]


def replay_stored(
    rule: Rule,
    outcomes: ArrayLike,
    stop: Stop,
    rng: np.random.Generator,
    *,
    cap: int | None = None,
    batch: int = 1,
    prior: Prior | None = None,
) -> Trace:
    """Replay a rule on stored rollouts, in the order given; `shuffled` makes random orders.

    Over random orders the mean of all undrawn rollouts is the mean of any fixed number of them,
    with less noise; so all of them evaluate.

    Args:
        rule: the rule.
        outcomes: (P, K, n) in [0, 1], in random order along the last axis.
        stop: when a position is done.
        rng: source of ties and draws.
        cap: most rollouts of an arm that may be drawn; half of them if not given.
        batch: rollouts asked for at once.
        prior: of the success probabilities.

    Raises:
        ValueError: another shape, outcomes outside [0, 1], or a cap that leaves nothing to
            evaluate on.
    """
    table = np.asarray(outcomes, dtype=np.float64)
    if table.ndim != 3 or table.size == 0:
        raise ValueError(f"outcomes must be (positions, arms, rollouts), not {table.shape}.")
    if not ((table >= 0.0) & (table <= 1.0)).all():
        raise ValueError("outcomes must be in [0, 1].")
    n = table.shape[2]
    most = n // 2 if cap is None else cap
    if not 1 <= most < n:
        raise ValueError(f"{most} of {n} rollouts cannot be drawn: 1 to {n - 1} leave a rest.")
    totals = table.sum(axis=2)

    def draw(positions: Places, arms: Places, pulls: Array) -> Array:
        return np.asarray(table[positions, arms, pulls.astype(np.intp)])

    def score(positions: Places, counts: Counts) -> Array:
        return np.asarray((totals[positions] - counts.sums) / (n - counts.pulls))

    counts = Counts.none(*table.shape[:2])
    return _replay(rule, counts, draw, score, stop, rng, most, batch, prior or Prior())


def replay_known(
    rule: Rule,
    p: ArrayLike,
    stop: Stop,
    rng: np.random.Generator,
    *,
    cap: int | None = None,
    batch: int = 1,
    prior: Prior | None = None,
) -> Trace:
    """Replay a rule where arms succeed with known probabilities, which value the choice exactly.

    Args:
        p: (P, K) success probabilities.
        cap: most rollouts of an arm; none if not given, and then `stop` must end the replay.

    Raises:
        ValueError: another shape, probabilities outside [0, 1], or neither budget nor cap.
    """
    rates = np.asarray(p, dtype=np.float64)
    if rates.ndim != 2 or rates.size == 0 or not ((rates >= 0.0) & (rates <= 1.0)).all():
        raise ValueError("p must be (positions, arms), all in [0, 1].")
    if cap is None and not np.isfinite(stop.budget):
        raise ValueError("without a budget or a cap a replay may never end.")

    def draw(positions: Places, arms: Places, pulls: Array) -> Array:
        return np.asarray(rng.random(len(arms)) < rates[positions, arms], dtype=np.float64)

    def score(positions: Places, counts: Counts) -> Array:
        return np.asarray(rates[positions])

    counts = Counts.none(*rates.shape)
    return _replay(rule, counts, draw, score, stop, rng, cap, batch, prior or Prior())


def shuffled(outcomes: ArrayLike, splits: int, rng: np.random.Generator) -> Array:
    """(splits, K, n): the stored rollouts of one position in random orders, each arm on its own."""
    table = np.asarray(outcomes, dtype=np.float64)
    return np.asarray(rng.permuted(np.repeat(table[None], splits, axis=0), axis=2))


def _replay(
    rule: Rule,
    counts: Counts,
    draw: Draw,
    score: Score,
    stop: Stop,
    rng: np.random.Generator,
    cap: int | None,
    batch: int,
    prior: Prior,
) -> Trace:
    active = np.arange(len(counts.pulls))
    spent, values, cost, best = now = np.zeros((4, len(active)))
    cost[:] = best[:] = np.inf
    snapshots = []
    while True:
        seen = Counts(counts.pulls[active], counts.sums[active])
        spent[active] = seen.pulls.sum(axis=1)
        values[active] = (recommended(seen, prior) * score(active, seen)).sum(axis=1)
        if stop.looks:
            best[active] = expected_best(seen, prior)
            most = np.inf if cap is None else cap
            cost[active] = opportunity_cost(seen, prior, most, best[active])
        snapshots.append(now.copy())
        going = (spent[active] < stop.budget) & ~stop.judged(cost[active], best[active])
        active = active[going]
        if not active.size:
            break
        seen = Counts(seen.pulls[going], seen.sums[going])
        asked = next_arms(rule, seen, rng, batch=batch, cap=cap, prior=prior)
        asked[np.arange(batch) >= (stop.budget - spent[active])[:, None]] = NOBODY
        _pull(counts, draw, active, asked)
        active = active[(asked != NOBODY).any(axis=1)]
        if not active.size:
            break
    return Trace(*np.stack(snapshots, axis=-1))


def _pull(counts: Counts, draw: Draw, positions: Places, asked: Places) -> None:
    """Add the outcomes of the arms asked for, in place."""
    for arms in asked.T:
        rows, arm = positions[arms != NOBODY], arms[arms != NOBODY]
        counts.sums[rows, arm] += draw(rows, arm, counts.pulls[rows, arm])
        counts.pulls[rows, arm] += 1.0
