"""One pool with its values, as the analyses see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from repairstudy.analysis.behind import Condition, either, equals, holds, query
from repairstudy.analysis.choices import score_weights
from repairstudy.analysis.plan import Plan
from repairstudy.analysis.pool import MATCHED, Array, PoolData, evaluator_name
from repairstudy.analysis.statistics.inference import Estimate, Inference
from repairstudy.analysis.statistics.rows import Row
from repairstudy.errors import DataError
from repairstudy.estimators.arrays import is_binary
from repairstudy.estimators.batch import budget_curves

NO_ORIGINAL = "the original action was not rolled out: a net gain cannot be given"
LONGEST_REWARD_CURVE = 9  # exact laws of longer sums of rewards take too long
AT_PRIMARY, LABELS = holds("is_primary"), equals("role", "label")
REPAIRS, ORIGINALS = holds("is_original", False), holds("is_original")


@dataclass(frozen=True)
class PoolStudy:
    """What an analysis takes: a pool, the values of its evaluators, and how to infer.

    Attributes:
        losses: by scope ("position", at the primary positions, or "failure") and evaluator, the
            loss of each failure, in the pool's order.
    """

    pool: PoolData
    plan: Plan
    inference: Inference
    losses: Mapping[str, Mapping[str, Array]]
    matched_failure: Array | None = field(default=None)

    @classmethod
    def of(cls, pool: PoolData, values: pl.DataFrame, plan: Plan) -> PoolStudy:
        """Raises DataError when the values are not those of this pool."""
        rows = values.filter(pool=pool.name)
        primary = pl.DataFrame(
            {
                "failure_id": [position.failure_id for position in pool.primary],
                "t": [position.t for position in pool.primary],
            }
        )
        at_primary = rows.filter(scope="position").join(primary, on=["failure_id", "t"])
        across = rows.filter(scope="failure")
        matched = _columns(across.filter(evaluator=MATCHED), pool, "matched_value")
        return cls(
            pool,
            plan,
            Inference.of(pool.failures, pool.clusters, plan, pool.name),
            {"position": _columns(at_primary, pool), "failure": _columns(across, pool)},
            matched.get(MATCHED),
        )

    @cached_property
    def bases(self) -> Array:
        """(F,) means of the originals at the primary positions; 0 where not rolled out."""
        return np.array([position.base for position in self.pool.primary])

    @cached_property
    def curve(self) -> Array:
        """(F, R + 1) net gains of selection by 0..R own rollouts at the primary positions."""
        tables = [position.outcomes for position in self.pool.primary]
        largest = min(table.shape[1] for table in tables) - 1
        if not all(is_binary(table) for table in tables):
            largest = min(largest, max(LONGEST_REWARD_CURVE, self.plan.matched_rollouts))
        return budget_curves(tables, largest) - self.bases[:, None]

    @property
    def matched(self) -> Array:
        """(F,) net gains of matched selection at the primary positions."""
        return self.curve[:, self.plan.matched_rollouts]

    def gain(self, evaluator: str) -> Array:
        """(F,) net gains of an evaluator at the primary positions."""
        return self.matched - self.losses["position"][evaluator]

    @cached_property
    def score_weights(self) -> list[dict[str, Array]]:
        """At each primary position, the selections by scores and others' rollouts, by name."""
        return [score_weights(position, self.pool.deployed) for position in self.pool.primary]

    @property
    def scoring_executors(self) -> tuple[str, ...]:
        """The other executors that evaluate the pool, without the deployed one's variants."""
        names = self.pool.executors
        return tuple(e for e in names if evaluator_name(e, self.pool.deployed).startswith("exec"))

    @cached_property
    def executor_of(self) -> dict[str, str]:
        """Which executor's rollouts an evaluator uses, by the evaluator's name."""
        found: dict[str, str] = {}
        for executor in self.pool.executors:
            name = evaluator_name(executor, self.pool.deployed)
            found |= {e: executor for e in self.losses["position"] if e.split("@")[0] == name}
            found[name] = executor
        return found

    def behind(self, evaluators: tuple[str, ...], scope: str, *, original: bool) -> Condition:
        """The rollouts behind a number: labels, and those of executors that evaluate.

        Args:
            evaluators: evaluators that take part.
            scope: "primary" or "all" positions.
            original: whether the original action's rollouts take part. Those of evaluating
                executors do only across positions.
        """
        names = sorted({self.executor_of[name] for name in evaluators if name in self.executor_of})
        across = original and scope == "all"
        parts = [self.scored_by(self.pool.deployed, original=original)]
        parts += [self.scored_by(name, original=across) for name in names]
        return AT_PRIMARY & either(parts) if scope == "primary" else either(parts)

    def scored_by(self, executor: str, *, original: bool) -> Condition:
        """The rollouts by which an executor scores candidates, and the original action or not."""
        own = executor == self.pool.deployed
        role = LABELS if own else equals("role", "evaluate") & equals("executor", executor)
        return role if original else role & REPAIRS

    def row(
        self,
        analysis: str,
        evaluator: str,
        estimand: str,
        found: Estimate,
        *,
        behind: Condition,
        n_failures: int | None = None,
        level: bool = False,
        note: str | None = None,
    ) -> Row:
        """A row of this pool.

        `behind`: the rollouts that the number rests on. `level`: a net gain, which needs the
        original's rollouts; in a loss they cancel.
        """
        known = not level or self.pool.has_original
        notes = [note] if note else []
        return Row(
            self.pool.name,
            analysis,
            evaluator,
            estimand,
            found.estimate if known else None,
            found.low if known else None,
            found.high if known else None,
            n_failures=len(self.pool.failures) if n_failures is None else n_failures,
            n_rollouts=self.pool.count(behind),
            rollouts_query=query(self.pool.name, behind),
            notes=notes if known else [NO_ORIGINAL],
        )


def _columns(rows: pl.DataFrame, pool: PoolData, column: str = "loss") -> dict[str, Array]:
    """By evaluator, a value of each failure in the pool's order."""
    order = {failure: i for i, failure in enumerate(pool.failures)}
    found = {}
    for (evaluator,), part in rows.partition_by("evaluator", as_dict=True).items():
        places = [order[failure] for failure in part["failure_id"] if failure in order]
        if len(places) != len(order) or len(set(places)) != len(order):
            raise DataError(
                "table values",
                f"evaluator {evaluator} of pool {pool.name} has values of {len(set(places))} "
                f"failures, the pool has {len(order)}.",
                "Run the selection again.",
            )
        values = np.empty(len(order))
        values[places] = part[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        found[str(evaluator)] = values
    return dict(sorted(found.items()))
