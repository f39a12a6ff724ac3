"""Disagreements between executors, settled by fresh rollouts of both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repairstudy.analysis.behind import among, either, equals
from repairstudy.analysis.pool import PositionData
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.errors import MissingRollouts
from repairstudy.evaluators.work import disagreements


def disagreement(study: PoolStudy) -> Iterator[Row]:
    """How much better each executor does with its own preference, by fresh rollouts alone.

    Over the primary positions where the deployed executor and another prefer different candidates:
    `deployed_advantage` is the deployed executor's mean on its own choice minus its mean on the
    other's; `evaluator_advantage` the same of the other executor, on its choice minus the
    deployed one's. Both shrink from what found the disagreement, which was selected on noise.
    """
    for executor in study.scoring_executors:
        yield from _settle(study, executor)


def _settle(study: PoolStudy, executor: str) -> Iterator[Row]:
    deployed, primary = study.pool.deployed, study.pool.primary
    by_place = {(p.failure_id, p.t): (i, p) for i, p in enumerate(primary) if executor in p.others}
    if not any(name == executor for p in primary for name, _ in p.fresh):
        return  # nobody asked to settle what it and the deployed executor disagree about
    cases, gains, arms = [], [], []
    for case in disagreements({key: _means(p, executor) for key, (_, p) in by_place.items()}):
        place, position = by_place[case.failure_id, case.t]
        chosen = case.deployed_choice, case.other_choice
        means = [
            [_fresh(position, name, candidate) for candidate in chosen]
            for name in (deployed, executor)
        ]
        if np.isnan(means).any():
            raise MissingRollouts(
                f"pool {study.pool.name} lacks fresh rollouts: failure {case.failure_id}, step "
                f"{case.t}, candidates {' and '.join(chosen)}, of {deployed} or {executor}. Run "
                "the workflow again: it runs the missing rollouts alone."
            )
        cases.append(place)
        arms += [(case.failure_id, case.t, candidate) for candidate in chosen]
        gains.append((means[0][0] - means[0][1], means[1][1] - means[1][0]))
    if not cases:
        return
    kept = np.isin(np.arange(len(primary)), cases)
    found = study.inference.subset(kept).means(np.array(gains)[np.argsort(cases)])
    who = either([equals("executor", name) for name in sorted({deployed, executor})])
    behind = equals("role", "fresh") & who & among(arms)
    for estimand, estimate in zip(
        ("deployed_advantage", "evaluator_advantage"), found, strict=True
    ):
        yield study.row(
            "disagreement",
            f"executor:{executor}",
            estimand,
            estimate,
            behind=behind,
            n_failures=len(cases),
            note="fresh rollouts",
        )


def _means(position: PositionData, executor: str) -> dict[str, tuple[float, float]]:
    """By candidate, the mean outcome under the deployed executor and under the other."""
    own, other = position.outcomes.mean(axis=1), position.others[executor].mean(axis=1)
    pairs = zip(own.tolist(), other.tolist(), strict=True)
    return dict(zip(position.candidates, pairs, strict=True))


def _fresh(position: PositionData, executor: str, candidate: str) -> float:
    rollouts = position.fresh.get((executor, candidate))
    return float("nan") if rollouts is None else float(rollouts.mean())
