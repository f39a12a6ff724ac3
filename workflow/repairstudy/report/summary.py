"""The study in a minute: what was asked, what came out, and whether it can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from repairstudy.report.audit_section import audit_section
from repairstudy.report.captions import LOSS_PLACES, estimate, within
from repairstudy.report.controls import controls_tally
from repairstudy.report.frames import Frames, statistics, table_of
from repairstudy.report.names import BUDGET, TARGET, evaluator, spoken
from repairstudy.report.numbers import decimal, moment, percent
from repairstudy.report.study import Pool, Study, study_of
from repairstudy.report.text import one_line
from repairstudy.report.verdicts import tally, verdicts
from repairstudy.report.wording import counted, listed, sentence, some_of

NOUNS = {
    TARGET: ("evaluator with another target", "evaluators with another target"),
    BUDGET: ("evaluator with fewer samples", "evaluators with fewer samples"),
}


@dataclass(frozen=True, slots=True)
class Point:
    """A heading, and the sentences under it."""

    heading: str
    texts: tuple[str, ...]


def summary(frames: Frames) -> list[Point]:
    """Question, answer, controls and size of the study. Every number comes from its tables."""
    study, found = study_of(frames), verdicts(frames)
    points = (
        ("Question", [_question(study)]),
        ("Answer", [tally(found), *(_answer(frames, pool) for pool in study.pools)]),
        ("What choosing is worth", [_worth(frames, study, pool) for pool in _unscreened(study)]),
        ("Can it be believed?", list(_controls(frames, study))),
        ("Made from", [_size(frames, study)]),
    )
    told = [Point(heading, tuple(filter(None, texts))) for heading, texts in points]
    return [point for point in told if point.texts]


def words(study: Study) -> list[tuple[str, str]]:
    """The terms of a report, each with its meaning."""
    matched = counted(study.matched_rollouts, "rollout")
    return [
        ("executor", "a model with its prompt, decoding and what it does with invalid actions"),
        ("deployed executor", "the one that failed, and that acts after the repair"),
        ("pool", "the first failures of a deployed executor; in a screened pool only those where "
         "some replacement is worth something"),
        ("position", "the step of a failed run at which one action is replaced"),
        ("candidate", "an action that may stand there instead"),
        ("rollout", "the state before the position is restored, the candidate is done, and an "
         "executor goes on to the end"),
        ("evaluator", "whoever scores the candidates and picks the best"),
        ("matched selection", f"choice by {matched} of the deployed executor for each candidate, "
         "valued by other rollouts of it"),
        ("net gain", f"{study.unit} after the replacement minus after the original action"),
        ("selection loss", "net gain of matched selection minus that of the evaluator's choice"),
        ("interval", f"{percent(study.level)}, by a bootstrap over failures"),
        ("confirmatory", "named by the plan that was frozen before; all else is exploratory"),
    ]  # fmt: skip


def _question(study: Study) -> str:
    deployed = listed(dict.fromkeys(one_line(pool.deployed) for pool in study.pools))
    rollouts = counted(study.matched_rollouts, "own rollout")
    return (
        "A failed run of an agent can be repaired by replacing one action. How much "
        f"{study.unit} does the agent that will act ({deployed}) lose if somebody else, or fewer "
        f"of its rollouts, choose the replacement, instead of {rollouts} of each candidate?"
    )


def _answer(frames: Frames, pool: Pool) -> str:
    """Which of the evaluators that the plan names lose in a pool."""
    if pool.informative is False:
        return f"{within(pool)} the positive control failed: its losses are no evidence."
    rows = statistics(frames, "losses", "loss", pool=pool.name).drop_nulls("estimate")
    tested = rows.filter("confirmatory")
    parts = [_kind(_of_kind(tested, kind), *nouns) for kind, nouns in NOUNS.items()]
    said = "; ".join(part for part in parts if part)
    return f"{within(pool)} {said}." if said else ""


def _of_kind(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    names = [name for name in rows["evaluator"].unique() if evaluator(name).kind == kind]
    return rows.filter(pl.col("evaluator").is_in(names))


def _kind(rows: pl.DataFrame, noun: str, plural: str) -> str:
    """How many of the tested lose, and which of them most."""
    if rows.is_empty():
        return ""
    lost = rows.filter(pl.col("reject")).sort("estimate", "evaluator", descending=[True, False])
    said = some_of(lost.height, rows.height, noun, "is shown to lose", "are shown to lose", plural)
    if lost.is_empty():
        return said
    most = lost.row(0, named=True)
    name, loss = spoken(most["evaluator"]), estimate(most, LOSS_PLACES)
    return f"{said}: {name}, {loss}" if lost.height == 1 else f"{said}, {name} most: {loss}"


def _unscreened(study: Study) -> Sequence[Pool]:
    """Pools whose failures nobody chose; all pools if there are no others."""
    pools = [pool for pool in study.pools if pool.informative is not False]
    return [pool for pool in pools if not pool.screened] or pools


def _worth(frames: Frames, study: Study, pool: Pool) -> str:
    """What random choice, one own rollout and all of them gain."""
    rows = statistics(frames, "losses", "net_gain", pool=pool.name)
    known = {row["evaluator"]: row["estimate"] for row in rows.drop_nulls("estimate").to_dicts()}
    named = {
        "random": "random choice", "own_1": "one own rollout a candidate",
        "matched": counted(study.matched_rollouts, "own rollout"),
    }  # fmt: skip
    parts = [f"{words} {decimal(known[name])}" for name, words in named.items() if name in known]
    if len(parts) < 2:
        return ""
    return f"{within(pool)} choosing gains over the original action: {', '.join(parts)}."


def _controls(frames: Frames, study: Study) -> Iterator[str]:
    known = [pool for pool in study.pools if pool.informative is not None]
    if known:
        passed = sum(bool(pool.informative) for pool in known)
        yield sentence(
            f"{some_of(passed, len(known), 'pool', 'passes', 'pass')} the positive control, which "
            f"asks that matched selection beat random choice by at least {decimal(study.threshold)}"
        )
    else:
        yield "No positive control was computed."
    yield controls_tally(frames)
    audit = audit_section(frames)
    yield f"Audit of the environments: {audit.tally}" if audit.grids else "No audit was made."


def _size(frames: Frames, study: Study) -> str:
    failures = table_of(frames, "failures")["failure_id"].n_unique()
    rollouts = int(table_of(frames, "costs")["rollouts"].sum())
    pools = counted(len(study.pools), "pool")
    made = [f"{counted(failures, 'failed run')} in {pools}" if failures else pools]
    made += [counted(rollouts, "rollout")] if rollouts else []
    plan = "no plan was frozen"
    if study.frozen_at is not None:
        changes = counted(len(study.amendments), "amendment")
        plan = f"plan frozen {moment(study.frozen_at)}, {changes}"
    return sentence(f"{', '.join(made)}; {plan}")
