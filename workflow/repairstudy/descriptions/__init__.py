"""What went wrong in failed runs, by rules on their recorded steps: labels, never explanations."""

from repairstudy.descriptions.label import AXES, describe, labels_of
from repairstudy.descriptions.registry import symptoms_of
from repairstudy.descriptions.run import FailedRun, failed_runs
from repairstudy.descriptions.symptom import Finding, Symptom

__all__ = [
    "AXES",
    "FailedRun",
    "Finding",
    "Symptom",
    "describe",
    "failed_runs",
    "labels_of",
    "symptoms_of",
]
