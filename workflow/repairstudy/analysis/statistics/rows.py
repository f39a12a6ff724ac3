"""Rows of table `results`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import isnan

import polars as pl

from repairstudy.records import TABLES

RESULTS = TABLES["results"]


@dataclass(slots=True)
class Row:
    """One statistic of one pool; what is not known is None.

    Only `hypotheses` sets p_holm, reject and confirmatory. `p_less` is the p-value for the other
    side and `p_zero` that of a control that must be zero; neither is in the table.
    """

    pool: str
    analysis: str
    evaluator: str
    estimand: str
    estimate: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    reject: bool | None = None
    n_failures: int = 0
    n_rollouts: int = 0
    rollouts_query: str = ""
    confirmatory: bool = False
    notes: list[str] = field(default_factory=list)
    p_less: float | None = None
    p_zero: float | None = None


def results_frame(rows: Iterable[Row]) -> pl.DataFrame:
    """The rows as table `results`, sorted by its key; NaN becomes null."""
    records = []
    for row in rows:
        record = asdict(row)
        del record["p_less"], record["p_zero"]
        record["note"] = "; ".join(record.pop("notes")) or None
        records.append({name: _known(value) for name, value in record.items()})
    return pl.DataFrame(records, schema=RESULTS.schema).sort(RESULTS.key)


def _known(value: object) -> object:
    return None if isinstance(value, float) and isnan(value) else value
