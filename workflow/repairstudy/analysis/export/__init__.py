"""A finished study as a data set of repair labels that others can use without this project."""

from repairstudy.analysis.export.card import data_card
from repairstudy.analysis.export.labels import repair_labels
from repairstudy.analysis.export.runs import failed_runs
from repairstudy.analysis.export.tables import FAILED_RUNS, REPAIR_LABELS

__all__ = ["FAILED_RUNS", "REPAIR_LABELS", "data_card", "failed_runs", "repair_labels"]
