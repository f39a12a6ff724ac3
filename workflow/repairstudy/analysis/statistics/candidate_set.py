"""Is the candidate set the bottleneck? Best of the set against the privileged action."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from repairstudy.analysis.behind import contains, either
from repairstudy.analysis.pool import MATCHED
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import (
    AT_PRIMARY,
    LABELS,
    ORIGINALS,
    REPAIRS,
    PoolStudy,
)

PRIVILEGED = "privileged"


def candidate_set(study: PoolStudy) -> Iterator[Row]:
    """`net_gain` of the privileged action and of matched selection, and their difference.

    Over the failures with a privileged candidate at the primary position (where the planner's
    action is the original one there is none). The best of the set is cross-fitted; the privileged
    action is chosen without any rollout, so all its rollouts evaluate it.
    """
    primary = study.pool.primary
    has = np.array([any(PRIVILEGED in found for found in p.sources) for p in primary])
    if not has.any():
        return
    privileged = np.array(
        [
            p.outcomes[[PRIVILEGED in found for found in p.sources]].mean() - p.base
            for p, kept in zip(primary, has, strict=True)
            if kept
        ]
    )
    best = study.matched[has]
    labels = AT_PRIMARY & LABELS & contains("sources_here", PRIVILEGED)
    of_privileged = labels & either([ORIGINALS, contains("sources", PRIVILEGED)])
    columns = np.column_stack([privileged, best, best - privileged])
    found = study.inference.subset(has).means(columns)
    names = (
        (PRIVILEGED, "net_gain", True, of_privileged),
        (MATCHED, "net_gain", True, labels),
        (MATCHED, "set_minus_privileged", False, labels & REPAIRS),
    )
    for (evaluator, estimand, level, behind), estimate in zip(names, found, strict=True):
        yield study.row(
            "candidate_set",
            evaluator,
            estimand,
            estimate,
            behind=behind,
            n_failures=int(has.sum()),
            level=level,
        )
