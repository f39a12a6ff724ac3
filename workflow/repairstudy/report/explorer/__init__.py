"""Failures one by one, as a person would want to read them: a page that opens from disk."""

from repairstudy.report.explorer.failures import FailureView, failures
from repairstudy.report.explorer.page import render_explorer, write_explorer

__all__ = ["FailureView", "failures", "render_explorer", "write_explorer"]
