"""Labels of failed runs along four axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import polars as pl

from repairstudy.descriptions.registry import symptoms_of
from repairstudy.descriptions.run import FailedRun, failed_runs
from repairstudy.descriptions.symptom import AGENT, BUDGET, Finding, Symptom
from repairstudy.records.tables import FAILURE_LABELS

TYPE, SOURCE, STAGE, CAPABILITY = AXES = ("failure_type", "source", "stage", "capability")
UNEXPLAINED = "unexplained"
STAGES = ("start", "middle", "end")


class Label(NamedTuple):
    """One label on one axis, with what it rests on."""

    axis: str
    label: str
    evidence: str


def labels_of(run: FailedRun) -> list[Label]:
    """Every label of a run, each once.

    A run has a failure type for each of its symptoms, and what these say on the axes source and
    capability. Its source is the budget only if no symptom is the agent's. Its stage is the third
    of the run in which the first symptom begins. A run without symptoms is `unexplained`, on the
    axis failure_type alone.
    """
    found = [
        (symptom, finding)
        for symptom in symptoms_of(run.environment)
        if (finding := symptom.find(run)) is not None
    ]
    if not found:
        return [Label(TYPE, UNEXPLAINED, "no symptom that is looked for")]
    first = min(finding.first for _, finding in found)
    labels = [Label(STAGE, STAGES[3 * first // len(run.actions)], f"first symptom at step {first}")]
    agents = any(symptom.source == AGENT for symptom, _ in found)
    for symptom, finding in found:
        labels += _of_symptom(symptom, finding)
    if agents:
        labels = [label for label in labels if (label.axis, label.label) != (SOURCE, BUDGET)]
    kept: dict[tuple[str, str], Label] = {}
    for label in labels:
        kept.setdefault((label.axis, label.label), label)
    return list(kept.values())


def describe(
    frames: Mapping[str, pl.DataFrame], reachability: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Rows of FAILURE_LABELS for every failure of a pool that has recorded steps.

    Args:
        frames: tables failures, trajectories, steps, positions and candidates.
        reachability: scores of `solvability`, for dead ends.
    """
    rows = [
        (failure, *label)
        for failure, run in failed_runs(frames, reachability)
        for label in labels_of(run)
    ]
    return pl.DataFrame(rows, FAILURE_LABELS.schema, orient="row").sort(FAILURE_LABELS.key)


def _of_symptom(symptom: Symptom, finding: Finding) -> Iterator[Label]:
    yield Label(TYPE, symptom.label, finding.evidence)
    because = f"{symptom.label}: {finding.evidence}"
    yield Label(SOURCE, symptom.source, because)
    yield Label(CAPABILITY, symptom.capability, because)
