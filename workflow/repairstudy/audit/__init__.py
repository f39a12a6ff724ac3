"""Whether an environment's reward can be trusted: invariants, known answers, planted defects."""

from repairstudy.audit.audit import CHECKS, audit_environment, trusted
from repairstudy.audit.findings import Finding
from repairstudy.audit.ground import Make, Sample
from repairstudy.audit.page import page
from repairstudy.audit.planted import Planted, audit_the_audit, summary

__all__ = [
    "CHECKS",
    "Finding",
    "Make",
    "Planted",
    "Sample",
    "audit_environment",
    "audit_the_audit",
    "page",
    "summary",
    "trusted",
]
