"""The configuration of a study: strict, described, and checked before anything runs."""

from repairstudy.checked import read_yaml
from repairstudy.config.study import OutcomesConfig, StudyConfig, parse_study

__all__ = ["OutcomesConfig", "StudyConfig", "parse_study", "read_yaml"]
