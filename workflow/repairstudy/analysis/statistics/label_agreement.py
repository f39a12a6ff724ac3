"""Whether a language model that reads the failed runs labels them as the detectors do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from repairstudy.analysis.behind import NOTHING
from repairstudy.analysis.statistics.inference import Estimate
from repairstudy.analysis.statistics.locations import joint_agreement, joint_kappa
from repairstudy.analysis.statistics.rows import Row
from repairstudy.analysis.statistics.study import PoolStudy
from repairstudy.estimators.agreement import cohen_kappa, exact_agreement

ANALYSIS = "label_agreement"
FEWEST = 5  # failures with a label by either


def label_agreement(
    study: PoolStudy, labels: pl.DataFrame, llm_labels: pl.DataFrame
) -> Iterator[Row]:
    """`kappa` and `exact_agreement` on whether a failure has a label ("AXIS: LABEL|LABELLER").

    Over the failures that both labelled on this axis. Labels that fewer than `FEWEST` of them have
    by either are left out. Exploratory; no rollouts are behind these rows.

    Args:
        labels: FAILURE_LABELS rows, the detectors'.
        llm_labels: LLM_LABELS rows; empty without a labeller.
    """
    failures = np.array(study.pool.failures)
    for (labeller, axis), said in _parts(llm_labels, "labeller", "axis"):
        detected = labels.filter(pl.col("axis") == axis)
        both = np.isin(failures, detected["failure_id"].unique().to_list())
        both &= np.isin(failures, said["failure_id"].unique().to_list())
        for label in sorted({*detected["label"], *said["label"]}):
            first, second = (
                np.isin(failures[both], rows.filter(pl.col("label") == label)["failure_id"])
                for rows in (detected, said)
            )
            if (first | second).sum() < FEWEST:
                continue
            joint = np.zeros((len(first), 2, 2))
            joint[np.arange(len(first)), first.astype(int), second.astype(int)] = 1.0
            columns = joint.reshape(len(first), -1)
            inference = study.inference.subset(both)
            for estimand, statistic, point in (
                ("kappa", joint_kappa, cohen_kappa(first, second)),
                ("exact_agreement", joint_agreement, exact_agreement(first, second)),
            ):
                found = inference.function(columns, statistic)
                row = study.row(
                    ANALYSIS, f"{axis}: {label}|{labeller}", estimand,
                    Estimate(point, *found[1:]), behind=NOTHING, n_failures=int(both.sum()),
                )  # fmt: skip
                row.notes += inference.warnings
                if np.isnan(point):
                    row.notes.append("both say the same of every failure")
                yield row


def _parts(frame: pl.DataFrame, *by: str) -> list[tuple[tuple[str, str], pl.DataFrame]]:
    found = frame.partition_by(*by, as_dict=True)
    return [((str(a), str(b)), found[a, b]) for a, b in sorted(found)]
