"""Errors that a user of a study meets: each says what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class StudyError(Exception):
    """Base of every error that is the study's to explain, not a bug of this library."""


class ConfigError(StudyError):
    """A configuration or plan file is wrong: names the file, the key and the accepted values."""


class DataError(StudyError):
    """A file of data is unreadable or breaks its contract.

    Args:
        path: the file.
        problem: what is wrong, with the field.
        remedy: what the reader can do about it.
    """

    def __init__(self, path: str | Path, problem: str, remedy: str = "") -> None:
        self.path = str(path)
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{path}: {problem}" + (f" {remedy}" if remedy else ""))


class ReplayMismatch(StudyError):
    """A replayed prefix led to another state or observation than the one recorded."""


class EngineError(StudyError):
    """A model server failed in a way that is not the agent's doing (an infrastructure error)."""


class RequestRefused(EngineError):
    """A server that works will not answer this request, however often it is asked."""


class WrongModel(EngineError):
    """The endpoint serves another model than the configuration expects. Never retried."""


class MissingRollouts(StudyError):
    """A pool lacks rollouts that its statistics need."""


class PlanError(StudyError):
    """The analysis plan is missing, malformed, or differs from the frozen one."""
