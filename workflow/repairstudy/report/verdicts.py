"""What the study found, in plain sentences: each hypothesis, and each pool's positive control."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from repairstudy.report.captions import LOSS_PLACES
from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import evaluator
from repairstudy.report.numbers import decimal, interval, percent, probability
from repairstudy.report.study import Pool, Study, study_of
from repairstudy.report.wording import listed

CONFIRMED, NOT_SHOWN, NO_EVIDENCE, UNKNOWN = (
    "confirmed", "not shown", "no evidence", "not computed",
)  # fmt: skip
SCOPES = {
    "losses": "",
    "failure_scope": ", choosing position and candidate",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One hypothesis: its numbers as texts, the verdict, and what follows from it.

    `query`: SQL on the study's database that lists the rollouts behind the numbers.
    """

    evaluator: str
    verdict: str
    loss: str
    interval: str
    p_holm: str
    remark: str
    note: str
    n_rollouts: int
    query: str


@dataclass(frozen=True, slots=True)
class PoolVerdicts:
    """A pool: its positive control in a sentence, and its hypotheses in the plan's order.

    `notes` hold for all of its hypotheses, whose own notes leave them out.
    """

    pool: Pool
    control: str
    hypotheses: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()


def verdicts(frames: Frames) -> list[PoolVerdicts]:
    """For each pool what the frozen plan asked, and the answer."""
    study = study_of(frames)
    return [
        _without_shared_notes(
            PoolVerdicts(pool, _control(frames, study, pool), tuple(_tested(frames, study, pool)))
        )
        for pool in study.pools
    ]


def tally(pools: list[PoolVerdicts]) -> str:
    """All verdicts in one sentence."""
    found = [verdict.verdict for pool in pools for verdict in pool.hypotheses]
    silent = [item.pool.name for item in pools if item.pool.informative is False]
    control = f" Uninformative: {listed(silent)}." if silent else ""
    if not found:
        return f"No result of this study is confirmatory: all are exploratory.{control}"
    parts = [
        f"{found.count(kind)} {words}"
        for kind, words in {
            CONFIRMED: "confirmed",
            NOT_SHOWN: "not shown",
            NO_EVIDENCE: "in uninformative pools, where losses are no evidence",
            UNKNOWN: "could not be computed",
        }.items()
        if kind in found
    ]
    return (
        f"Of {len(found)} pre-specified {'hypothesis' if len(found) == 1 else 'hypotheses'}: "
        f"{', '.join(parts)}.{control}"
    )


def _control(frames: Frames, study: Study, pool: Pool) -> str:
    rows = statistics(frames, "positive_control", "control_gap", pool=pool.name)
    if rows.is_empty() or rows["estimate"][0] is None:
        return "The positive control was not computed, so nothing is known about how informative "\
            "this pool is."  # fmt: skip
    row = rows.row(0, named=True)
    gap = (
        f"matched selection beats random choice by {decimal(row['estimate'])} {study.unit} "
        f"({_interval(study, row)}; threshold {decimal(study.threshold)})"
    )
    bound = statistics(frames, "positive_control", "control_gap_lower_bound", pool=pool.name)
    lower = (
        f" Its one-sided lower bound is {decimal(bound['estimate'][0])}." if bound.height else ""
    )
    if pool.informative is False:
        return f"Uninformative: {gap}. Losses in this pool are not read as evidence.{lower}"
    return f"Informative: {gap}.{lower}"


def _tested(frames: Frames, study: Study, pool: Pool) -> Iterator[Verdict]:
    rows = pl.concat([statistics(frames, name, "loss", pool=pool.name) for name in SCOPES])
    order = _places(study)
    tested = [row for row in rows.iter_rows(named=True) if row["confirmatory"]]
    tested.sort(key=lambda row: order.get((pool.name, row["evaluator"]), len(order)))
    for row in tested:
        yield _verdict(pool, row)


def _places(study: Study) -> dict[tuple[str, str], int]:
    named = [
        (family["pool"], name)
        for family in study.plan.get("families", ())
        for name in family.get("evaluators", ())
    ]
    return {key: place for place, key in enumerate(named)}


def _verdict(pool: Pool, row: dict[str, Any]) -> Verdict:
    if row["estimate"] is None:
        verdict, remark = UNKNOWN, "It could not be valued."
    elif pool.informative is False:
        verdict, remark = NO_EVIDENCE, "The positive control failed: this is no evidence."
    elif row["reject"]:
        verdict, remark = CONFIRMED, ""
    else:
        verdict, remark = NOT_SHOWN, _what_remains(row["ci_high"])
    return Verdict(
        evaluator(row["evaluator"]).label + SCOPES[row["analysis"]],
        verdict,
        decimal(row["estimate"], LOSS_PLACES),
        interval(row["ci_low"], row["ci_high"], LOSS_PLACES),
        probability(row["p_holm"]),
        remark,
        row["note"] or "",
        row["n_rollouts"],
        row["rollouts_query"],
    )


def _without_shared_notes(item: PoolVerdicts) -> PoolVerdicts:
    """A note that every hypothesis of a pool has is said once."""
    notes = {verdict.note for verdict in item.hypotheses}
    if len(notes) != 1 or len(item.hypotheses) < 2 or not (shared := notes.pop()):
        return item
    bare = tuple(replace(verdict, note="") for verdict in item.hypotheses)
    return replace(item, hypotheses=bare, notes=(shared,))


def _what_remains(upper: float | None) -> str:
    """What a loss that was not shown may still be, by the upper end of its interval."""
    if upper is None:
        return ""
    if upper <= 0:
        return "The whole interval lies below zero: it chose better than matched selection."
    most = decimal(upper, LOSS_PLACES)
    return f"Not shown to be zero either: the data allow a loss of up to {most}."


def _interval(study: Study, row: dict[str, Any]) -> str:
    if row["ci_low"] is None or row["ci_high"] is None:
        return "no interval"
    return f"{percent(study.level)} interval {interval(row['ci_low'], row['ci_high'])}"


def firm(row: dict[str, Any]) -> str:
    """The one word that says how firm a row of `results` is."""
    return "confirmatory" if row["confirmatory"] else "exploratory"
