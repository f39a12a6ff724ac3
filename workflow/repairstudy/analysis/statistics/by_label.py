"""Losses among the failures that share a label: does it depend on what went wrong?

Exploratory, and many numbers of few failures each: some will stand out by chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from repairstudy.analysis.behind import Condition, quoted
from repairstudy.analysis.pool import MATCHED, RANDOM
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy

ANALYSIS = "by_label"
FEWEST = 5  # failures behind a row


def by_label(study: PoolStudy, labels: pl.DataFrame) -> Iterator[Row]:
    """`loss` of an evaluator among the failures with a label ("AXIS: LABEL|EVALUATOR").

    Of random choice, whose loss is what choosing is worth there, and of the evaluators that the
    plan tests in this pool. Labels of fewer than `FEWEST` failures are left out, and those that
    all failures of the pool share.

    Args:
        labels: FAILURE_LABELS rows.
    """
    names = _evaluators(study)
    columns = np.stack([study.losses["position"][name] for name in names], axis=1)
    failures = np.array(study.pool.failures)
    here = labels.filter(pl.col("failure_id").is_in(study.pool.failures))
    grouped = here.group_by("axis", "label").agg("failure_id").sort("axis", "label")
    for axis, label, holders in grouped.iter_rows():
        kept = np.isin(failures, holders)
        if kept.sum() < FEWEST or kept.all():
            continue
        condition = _labelled(axis, label, holders)
        inference = study.inference.subset(kept)
        found = inference.means(columns[kept])
        for name, loss in zip(names, found, strict=True):
            behind = study.behind((name,), "primary", original=False) & condition
            row = study.row(
                ANALYSIS, f"{axis}: {label}|{name}", "loss", loss,
                behind=behind, n_failures=int(kept.sum()),
            )  # fmt: skip
            row.notes += inference.warnings
            yield row


def _evaluators(study: PoolStudy) -> list[str]:
    planned = [
        hypothesis.evaluator
        for hypothesis in study.plan.hypotheses()
        if hypothesis.pool == study.pool.name and hypothesis.scope == "position"
    ]
    known = study.losses["position"]
    return [RANDOM, *(name for name in dict.fromkeys(planned) if name in known and name != MATCHED)]


def _labelled(axis: str, label: str, holders: list[str]) -> Condition:
    """The rollouts of failures with a label; the query reads table failure_labels."""
    return Condition(
        pl.col("failure_id").is_in(holders),
        "failure_id IN (SELECT failure_id FROM failure_labels "
        f"WHERE axis = {quoted(axis)} AND label = {quoted(label)})",
    )
