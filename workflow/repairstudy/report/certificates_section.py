"""What was certified, in plain words."""

from __future__ import annotations

from typing import Any

from repairstudy.report.frames import Frames, statistics
from repairstudy.report.names import evaluator
from repairstudy.report.numbers import decimal, percent
from repairstudy.report.study import Pool, study_of
from repairstudy.report.text import one_line
from repairstudy.report.wording import counted, listed

ANALYSIS = "certificate"
LEAD = (
    "A certificate says that the loss of an evaluator is at most {eps}, and is wrong at most "
    "{delta} of the time, whatever the law of the losses: nothing is assumed beyond their range, "
    "not even that a mean of {n} failures is nearly normal. The price is wide bounds. Each failure "
    "is bet on in turn, so a certificate may be read off as soon as it is reached. All of this is "
    "exploratory."
)


def certificates_lead(frames: Frames) -> str:
    """What a certificate is, and what each pool's failures certify or cannot."""
    study = study_of(frames)
    eps, delta = study.threshold, percent(float(study.plan.get("alpha", 0.05)))
    sizes = listed(str(n) for n in sorted({pool.n_failures for pool in study.pools}))
    found = [_of_pool(frames, pool, eps) for pool in study.pools]
    return " ".join([LEAD.format(eps=decimal(eps), delta=delta, n=sizes), *filter(None, found)])


def _of_pool(frames: Frames, pool: Pool, eps: float) -> str:
    rows = statistics(frames, ANALYSIS, "loss_bounds", pool=pool.name).to_dicts()
    chosen = statistics(frames, ANALYSIS, "cheapest_certified", pool=pool.name).to_dicts()
    if not rows or not chosen:
        return ""
    start, choice = f"In {one_line(pool.name)},", chosen[0]
    if pool.informative is False:
        return (
            f"{start} the positive control failed: a small loss there may only say that no choice "
            "matters."
        )
    if choice["evaluator"] != "matched":
        return (
            f"{start} the cheapest evaluator with a certificate is "
            f"{evaluator(choice['evaluator']).label} ({choice['note']})."
        )
    failures = counted(pool.n_failures, "failure")
    return f"{start} {failures} cannot certify {decimal(eps)}{_why(rows, eps)}."


def _why(rows: list[dict[str, Any]], eps: float) -> str:
    """The evaluator that came nearest."""
    known = [row for row in rows if row["ci_high"] is not None and row["evaluator"] != "random"]
    if not known:
        return ""
    best = min(known, key=lambda row: (row["ci_high"], row["evaluator"]))
    nearest = (
        f": the least upper bound is {decimal(best['ci_high'])}, of "
        f"{evaluator(best['evaluator']).label}"
    )
    if best["ci_high"] > eps:
        return nearest
    return (
        f" for a choice among several evaluators{nearest}, which either does not survive testing "
        "them all or is no cheaper than matched selection"
    )
