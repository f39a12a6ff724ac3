"""Fewer rollouts by cheap scores: scores as a prior, and a few own rollouts on top.

Exploratory, whatever the plan names. The prior of a failure is fitted on failures of other tasks,
and the rollouts that select never evaluate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from repairstudy.analysis.behind import either
from repairstudy.analysis.pool import RANDOM, Array, PositionData, evaluator_name
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.hybrid import CandidatePrior, candidate_priors
from repairstudy.estimators.hybrid_batch import blended_values
from repairstudy.records import generator

ANALYSIS = "hybrid"
BUDGETS = (0, 1, 2, 3, 5)
FOLDS = 10
FEWEST = 6  # clusters without which a prior is not fitted
KINDS = ("hybrid", "control_variate")


def hybrid(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` and `gain_over_own` of hybrid@r, control_variate@r; `net_gain` of own@r.

    `hybrid`: posterior mean of a Beta-binomial model whose prior is a ridge logistic regression
    of the outcomes on the scores. `control_variate`: the mean of r own rollouts and a linear
    prediction, in the proportion with the least expected squared error. `own`: r own rollouts
    alone; own@0 is random choice.
    """
    names = cheap_scores(study)
    budgets = [r for r in BUDGETS if r < study.curve.shape[1]]
    folds = _folds(study)
    if not names or len(np.unique(folds)) < 3:
        return
    primary, deployed = study.pool.primary, study.pool.deployed
    priors = candidate_priors(
        [_scores(position, names, deployed) for position in primary],
        [position.outcomes for position in primary],
        folds,
    )
    gains = {
        (kind, r): _values(kind, primary, priors, r) - study.bases
        for kind in KINDS
        for r in budgets
    }
    columns = {(f"own@{r}", "net_gain"): study.curve[:, r] for r in budgets}
    for (kind, r), gain in gains.items():
        columns[f"{kind}@{r}", "net_gain"] = gain
        columns[f"{kind}@{r}", "gain_over_own"] = gain - study.curve[:, r]
    note = f"scores: {', '.join(names)}"
    found = study.inference.means(np.stack(list(columns.values()), axis=1))
    own, original = (study.behind((), "primary", original=flag) for flag in (False, True))
    scored = study.behind(tuple(names), "primary", original=False)
    for (name, estimand), estimate in zip(columns, found, strict=True):
        level, alone = estimand == "net_gain", name.startswith("own")
        behind = (original if level else own) if alone else either([scored, original])
        yield study.row(
            ANALYSIS, name, estimand, estimate, behind=behind, level=level,
            note=None if alone else note,
        )  # fmt: skip


def cheap_scores(study: PoolStudy) -> list[str]:
    """The scores that a prior is made of: all that every primary position has.

    ASSUME: the deployed executor's rollouts at another temperature cost what its own cost, so
    they are none; a greedy rollout, which is run once or twice, is one.
    """
    if not study.pool.primary:
        return []
    common = set.intersection(*(set(weights) for weights in study.score_weights))
    return sorted(name for name in common - {RANDOM} if not name.startswith("temperature_"))


def _scores(position: PositionData, names: list[str], deployed: str) -> Array:
    columns = dict(position.scores)
    for executor, rollouts in position.others.items():
        columns[evaluator_name(executor, deployed)] = rollouts.mean(axis=1)
    return np.stack([columns[name] for name in names], axis=1)


def _values(
    kind: str, positions: Sequence[PositionData], priors: Sequence[CandidatePrior], r: int
) -> Array:
    """(F,) held-out values."""
    tables = [position.outcomes for position in positions]
    if kind == "hybrid":
        weights = [prior.bayes_weight(r) for prior in priors]
        return blended_values(tables, r, [prior.rates for prior in priors], weights)
    weights = [prior.control_weight(r) for prior in priors]
    return blended_values(tables, r, [prior.line for prior in priors], weights)


def _folds(study: PoolStudy) -> NDArray[np.intp]:
    """(F,) clusters dealt out to folds at random; all in one if there are too few."""
    names, cluster = np.unique(np.asarray(study.pool.clusters), return_inverse=True)
    if len(names) < FEWEST:
        return np.zeros(len(cluster), dtype=np.intp)
    rng = generator(study.plan.bootstrap.seed, "hybrid", study.pool.name)
    return np.asarray((rng.permutation(len(names)) % FOLDS)[cluster])
