"""Whether an environment keeps its protocol: what to run before a world of your own is studied."""

from repairstudy.conformance.kit import (
    CHECKS,
    NotConforming,
    assert_conforms,
    check_environment,
    conforms,
)

__all__ = ["CHECKS", "NotConforming", "assert_conforms", "check_environment", "conforms"]
