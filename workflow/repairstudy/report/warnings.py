"""What a reader must know before any number of a report: all that speaks against believing it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from repairstudy.report.audit_section import audit_warnings
from repairstudy.report.frames import Frames, statistics, table_of
from repairstudy.report.names import OTHER_SEEDS, evaluator
from repairstudy.report.numbers import count, decimal, interval, percent
from repairstudy.report.study import study_of
from repairstudy.report.wording import counted, listed

FAILED = "FAILED"  # how the note of a negative control that failed begins
SHARE = 0.01  # of an arm's rollouts that were interrupted, above which retries may bend it


@dataclass(frozen=True, slots=True)
class Warnings:
    """Warnings of one kind; `texts` are sentences."""

    title: str
    texts: list[str]


def warnings_of(frames: Frames) -> list[Warnings]:
    """Every kind that has something to say, the gravest first."""
    kinds: list[tuple[str, Callable[[Frames], list[str]]]] = [
        ("Failed audit", audit_warnings),
        ("Failed negative controls", failed_controls),
        ("Missing rollouts or failures", missing_rollouts),
        ("The plan", plan_warnings),
        ("Uninformative pools", uninformative_pools),
        ("Infrastructure errors", infrastructure_warnings),
    ]
    found = [Warnings(title, collect(frames)) for title, collect in kinds]
    return [warnings for warnings in found if warnings.texts]


def failed_controls(frames: Frames) -> list[str]:
    """Negative controls that must be zero and are not; see `judge_controls` for the rule."""
    rows = statistics(frames, "negative_control").filter(pl.col("note").str.starts_with(FAILED))
    return [
        f"In pool {row['pool']} {what_failed(row['evaluator'])}: {decimal(row['estimate'], 3)} "
        f"({interval(row['ci_low'], row['ci_high'], 3)}) instead of 0. Something in the pipeline "
        "leaks or is mixed up; no number of this pool is to be trusted before it is found."
        for row in rows.iter_rows(named=True)
    ]


def what_failed(control: str) -> str:
    """What a negative control that is not zero means."""
    if control.endswith(OTHER_SEEDS):
        return (
            "the deployed executor, judged by its own rollouts with other seeds, is not worth what "
            "its own rollouts are at equal budget"
        )
    return {
        "shuffled": "selection among shuffled outcomes gains over random choice",
        "original": "the original action gains over itself",
        "exact_values": "rollouts do not agree with the exact values of the planted executor",
    }.get(control, f"{evaluator(control).label} differs from zero")


def missing_rollouts(frames: Frames) -> list[str]:
    """Rollouts that never finished, and pools without the failures that were asked for.

    A screened pool may be smaller: no more failures passed its screen.
    """
    rollouts = table_of(frames, "rollouts")
    lost = rollouts.filter(pl.col("status") == "infrastructure_error")["rollout_key"].n_unique()
    found = [f"{counted(lost, 'rollout')} never finished."] if lost else []
    config = study_of(frames).config.get("pools", {})
    for pool in study_of(frames).pools:
        wanted = config.get(pool.name, {}).get("size")
        if wanted and pool.n_failures < wanted and not pool.screened:
            found.append(f"Pool {pool.name} has {pool.n_failures} of {wanted} failures.")
    return found


def plan_warnings(frames: Frames) -> list[str]:
    """A plan that came late, changed, or that the records of the rollouts contradict."""
    study = study_of(frames)
    if study.plan_hash is None:
        return ["No plan was frozen: every result is exploratory."]
    late = [
        item
        for item in study.amendments
        if item["reason"].endswith("frozen after rollouts existed")
    ]
    unsettled = [item for item in study.amendments if item["reason"].startswith("the settings")]
    later = [item for item in study.amendments if item not in (*late, *unsettled)]
    found = [f"{text[:1].upper()}{text[1:]}." for text in remarks_of(frames)]
    if late:
        found.append(
            "The plan was frozen after outcomes existed"
            + (
                "; its authors state that they had not seen them."
                if study.plan.get("outcomes_unseen")
                else ", so that no result is confirmatory."
            )
        )
    if unsettled:
        found.append(
            "The plan was frozen by an earlier version of the workflow, without the settings of "
            "the configuration: nothing witnesses that these are what they were."
        )
    if later:
        when = listed(str(item["at"])[:16].replace("T", " ") for item in later)
        found.append(
            f"Plan or configuration changed after rollouts existed ({when} UTC; the differences "
            "are below). What the changes touch is exploratory."
        )
    return found


def remarks_of(frames: Frames) -> list[str]:
    rows = table_of(frames, "preregistration")
    return [item["says"] for item in json.loads(rows["remarks"][0])] if rows.height else []


def uninformative_pools(frames: Frames) -> list[str]:
    names = [pool.name for pool in study_of(frames).pools if pool.informative is False]
    if not names:
        return []
    return [
        f"The positive control failed in {listed(names)}: matched selection hardly beats random "
        "choice there, so that losses are no evidence of anything."
    ]


def infrastructure_warnings(frames: Frames) -> list[str]:
    """Arms of which many rollouts were interrupted and run again."""
    arms = table_of(frames, "infrastructure").filter(
        pl.col("retried") > SHARE * pl.col("rollouts")
    ).sort("executor", "role", "is_original")  # fmt: skip
    return [
        f"{count(row['retried'])} of {count(row['rollouts'])} rollouts of {row['executor']} "
        f"({row['role']}, {'original action' if row['is_original'] else 'candidates'}) were "
        "interrupted by errors that are not the agent's and run again: more than "
        f"{percent(SHARE)}. If that depends on how they go, it bends their outcomes."
        for row in arms.iter_rows(named=True)
    ]
