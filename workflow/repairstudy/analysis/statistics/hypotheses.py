"""The tests of the frozen plan: Holm within each family, and nothing else is confirmatory."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from repairstudy.analysis.plan import Family, Hypothesis
from repairstudy.analysis.pool import MATCHED
from repairstudy.analysis.registration import Registration
from repairstudy.analysis.statistics.losses import (
    ANALYSIS_OF_SCOPE,
    CONTROL,
    is_informative,
)
from repairstudy.analysis.statistics.rows import Row
from repairstudy.errors import PlanError
from repairstudy.estimators.hypotheses import holm

CLOSE = 0.01  # 2,000 replicates leave a standard error of .005 on a p-value of .05


def apply_plan(
    rows: list[Row],
    registration: Registration,
    deviating: Mapping[str, list[str]],
    deployed: Mapping[str, str] | None = None,
) -> None:
    """Mark the hypotheses of the first frozen plan and correct them within their families.

    The size of a family is the plan's, whatever was measured. In an uninformative pool p-values
    are kept but nothing is decided, since its losses are no evidence.

    Args:
        deviating: by pool, where it departs from the plan, in words.
        deployed: by pool, its deployed executor.

    Raises:
        PlanError: the plan names something that was not measured.
    """
    acting = deployed or {}
    found = {(row.pool, row.analysis, row.evaluator, row.estimand): row for row in rows}
    for family in registration.plan.families:
        tested = [_row(found, hypothesis) for hypothesis in family.hypotheses()]
        for row in tested:
            row.notes += deviating.get(family.pool, [])
        objections = [
            registration.objections(item, acting.get(family.pool)) for item in family.hypotheses()
        ]
        if not any(objections):
            _test(tested, rows, family, registration)
            continue
        # ASSUME: Holm corrects a family as a whole, so what spoils one test of it spoils all.
        shared = list(dict.fromkeys(text for texts in objections for text in texts))
        for row, own in zip(tested, objections, strict=True):
            row.notes.append(f"planned, but {'; '.join(own or shared)}")
    for hypothesis in filter(registration.added, registration.current.hypotheses()):
        amended = _find(found, hypothesis)
        if amended is not None:
            amended.notes.append("named by an amendment: exploratory")
    _mark_controls(rows, registration, acting)


def _test(tested: list[Row], rows: list[Row], family: Family, registration: Registration) -> None:
    alpha = registration.plan.alpha
    informative = is_informative(rows, family.pool)
    if family.direction == "less":
        for row in tested:
            row.p_value = row.p_less
    adjusted = holm([_testable(row.p_value) for row in tested])
    for row, p in zip(tested, adjusted, strict=True):
        row.confirmatory, row.p_holm = True, float(p)
        row.reject = bool(p <= alpha) if informative else None
        if not informative:
            row.notes.append("uninformative pool: this loss is no evidence")
        if abs(p - alpha) < CLOSE:
            row.notes.append("within Monte Carlo error of alpha: more replicates would tell")
        if registration.late:
            row.notes.append("the outcomes existed first; unseen by the authors, as they state")


def _testable(p: float | None) -> float:
    """A p-value that is not known (one cluster) rejects nothing."""
    return 1.0 if p is None or isnan(p) else p


def _row(found: dict[tuple[str, str, str, str], Row], hypothesis: Hypothesis) -> Row:
    row = _find(found, hypothesis)
    if row is None:
        raise PlanError(_lacking(found, hypothesis))
    return row


def _find(found: dict[tuple[str, str, str, str], Row], hypothesis: Hypothesis) -> Row | None:
    analysis = ANALYSIS_OF_SCOPE[hypothesis.scope]
    return found.get((hypothesis.pool, analysis, hypothesis.evaluator, hypothesis.estimand))


def _lacking(found: dict[tuple[str, str, str, str], Row], hypothesis: Hypothesis) -> str:
    """What to run so that a hypothesis can be tested."""
    pool, evaluator = hypothesis.pool, hypothesis.evaluator
    start = f"the frozen plan tests {evaluator} of pool {pool} (scope {hypothesis.scope}), but "
    pools = sorted({key[0] for key in found})
    if pool not in pools:
        return start + f"the study has no such pool (it has {', '.join(pools)})."
    places = "at every position" if hypothesis.scope == "failure" else "at the primary positions"
    if evaluator.startswith("executor:"):
        name, _, budget = evaluator.removeprefix("executor:").partition("@")
        least = f"at least {budget} rollouts" if budget else "rollouts"
        what = f"{least} of executor {name} (role evaluate)"
    elif evaluator == "greedy" or evaluator.startswith("temperature_"):
        variant = evaluator.removeprefix("temperature_")
        what = f"rollouts of the deployed executor's variant @{variant} (role evaluate)"
    elif evaluator.startswith(("own_", "accept_", "flip_", "earliest_", "latest_")):
        what = "enough label rollouts of the candidates and the originals"
    else:
        what = f"scores of {evaluator}"
    return start + f"there are no {what} {places}. Configure them and run the workflow again."


def _mark_controls(
    rows: list[Row], registration: Registration, deployed: Mapping[str, str]
) -> None:
    """The positive control of a pool that the plan tests is the plan's too; it is no hypothesis."""
    planned = {family.pool for family in registration.plan.families}
    for row in rows:
        if row.analysis == CONTROL and row.estimand == "control_gap" and row.pool in planned:
            control = Hypothesis(row.pool, MATCHED, row.estimand, "position", "greater")
            row.confirmatory = not registration.objections(control, deployed.get(row.pool))
