"""One pool's outcomes as arrays, ready for the estimators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np
import polars as pl
from numpy.typing import NDArray

from repairstudy.analysis.behind import NO_ROLLOUTS, Counter

Array = NDArray[np.float64]

MATCHED, RANDOM = "matched", "random"
GREEDY_VARIANT = "greedy"


@dataclass(frozen=True, slots=True)
class PositionData:
    """One position. K candidates in the order of `candidates`; the original is not among them.

    Attributes:
        sources: who proposed each candidate.
        original_id: the original action's row in table candidates; None if it has none.
        outcomes: (K, n) label rollouts of the deployed executor.
        original: (n0,) the same of the original action; empty if it was not rolled out.
        successes: (K, n) 0 or 1, what acceptance rules count; the outcomes unless a reward is
            studied.
        others: (K, R) rollouts of each other executor that evaluates here, by name.
        others_original: (R0,) those on the original action, where they were run.
        control: (K, Rc) rollouts of the deployed executor with other seeds; None if not run.
        fresh: (R,) fresh rollouts by executor and candidate.
        scores: (K,) scores of evaluators that run no rollouts, by evaluator; NaN: no score.
    """

    failure_id: str
    t: int
    is_primary: bool
    candidates: tuple[str, ...]
    sources: tuple[tuple[str, ...], ...]
    original_id: str | None
    outcomes: Array
    original: Array
    successes: Array
    others: Mapping[str, Array] = field(default_factory=dict)
    others_original: Mapping[str, Array] = field(default_factory=dict)
    control: Array | None = None
    fresh: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    scores: Mapping[str, Array] = field(default_factory=dict)

    @property
    def base(self) -> float:
        """The mean of the original's rollouts, which a net gain subtracts; 0 without any."""
        return float(self.original.mean()) if self.original.size else 0.0

    def rollouts_of(self, executor: str, deployed: str) -> Array:
        """(K, R) the rollouts by which an executor scores the candidates."""
        return self.outcomes if executor == deployed else self.others[executor]

    def originals_of(self, executor: str, deployed: str) -> Array:
        """(R0,) the same on the original action; empty if not run."""
        if executor == deployed:
            return self.original
        return self.others_original.get(executor, np.empty(0))


@dataclass(frozen=True)
class PoolData:
    """One pool: its positions by failure (in collection order) and step.

    Attributes:
        clusters: of each failure, what it shares with the failures it depends on.
        rollouts: what `pool_rollouts` makes of the pool. Failures of one task that share a prefix
            share rollouts, so numbers of rollouts are no sums of sizes.
    """

    name: str
    deployed: str
    metric: str
    failures: tuple[str, ...]
    clusters: tuple[str, ...]
    positions: tuple[PositionData, ...]
    rollouts: pl.DataFrame = field(default_factory=NO_ROLLOUTS.clone, repr=False, compare=False)

    @cached_property
    def primary(self) -> tuple[PositionData, ...]:
        """The primary position of each failure, in the order of `failures`."""
        return tuple(position for position in self.positions if position.is_primary)

    @cached_property
    def by_failure(self) -> tuple[tuple[PositionData, ...], ...]:
        """The positions of each failure, in the order of `failures` and of steps."""
        groups = groupby(self.positions, key=lambda position: position.failure_id)
        return tuple(tuple(group) for _, group in groups)

    @cached_property
    def labels(self) -> int:
        """Fewest label rollouts of a candidate."""
        return min(position.outcomes.shape[1] for position in self.positions)

    @cached_property
    def originals(self) -> int:
        """Fewest label rollouts of an original action."""
        return min(position.original.size for position in self.positions)

    @cached_property
    def everywhere(self) -> frozenset[str]:
        """Evaluators (of scores) and executors that scored every position of the pool."""
        return frozenset.intersection(*(frozenset({*p.scores, *p.others}) for p in self.positions))

    @property
    def has_original(self) -> bool:
        """Whether net gains can be given at all."""
        return self.originals > 0

    @cached_property
    def executors(self) -> tuple[str, ...]:
        """The other executors whose rollouts evaluate this pool, decoding variants included."""
        return tuple(sorted({name for position in self.primary for name in position.others}))

    @cached_property
    def count(self) -> Counter:
        """Counts the distinct rollouts that fulfil a condition."""
        return Counter(self.rollouts)


def evaluator_name(executor: str, deployed: str) -> str:
    """How an executor is called as an evaluator of a pool of `deployed`."""
    base, _, variant = executor.partition("@")
    if base == deployed and variant:
        return "greedy" if variant == GREEDY_VARIANT else f"temperature_{variant}"
    return f"executor:{executor}"


def is_scored_by_rollouts(evaluator: str) -> bool:
    """Whether an evaluator's scores are means of rollouts, which a pool holds anyway."""
    return evaluator == "greedy" or evaluator.startswith(("temperature_", "executor:"))
